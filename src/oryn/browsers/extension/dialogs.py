"""Dialogs where nobody tells of them: without the debugger a page's `alert` is its user's to answer. As long as it is
open no script of the page runs, the scanner's neither, and no extension API says that it is.
"""

from __future__ import annotations

from oryn.errors import NotSupported

SETTING = "'Real keys and mouse', a setting of the extension"
"""As the popup calls it, what lets the debugger be attached."""
SILENT = f"A dialog may be open: close it in the browser. With {SETTING}, 'dialog' answers it."
"""What to do about a page that does not answer."""


def not_told() -> NotSupported:
    """The error for commands about dialogs."""
    return NotSupported(hint=f"Dialogs need {SETTING}.")


def not_attached() -> NotSupported:
    """The error for what a debugger alone can do."""
    return NotSupported(hint=f"It needs {SETTING}.")
