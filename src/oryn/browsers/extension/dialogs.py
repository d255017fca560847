"""Dialogs where nobody tells of them: without the debugger a page's `alert` is its user's to answer. As long as it is
open no script of the page runs, the scanner's neither, and no extension API says that it is.
"""

from __future__ import annotations

from oryn.errors import NotSupported

SILENT = (
    "A dialog may be open: close it in the browser. With trusted input, which the extension's settings allow, 'dialog' "
    "answers it."
)
"""What to do about a page that does not answer."""


def not_told() -> NotSupported:
    """The error for commands about dialogs."""
    return NotSupported(hint="Dialogs need trusted input: the extension's settings allow it.")
