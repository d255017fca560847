"""Dialogs where nobody tells of them: without the debugger a page's `alert` is the user's to answer."""

from __future__ import annotations

from oryn.errors import Timeout


def perhaps_a_dialog(error: Timeout) -> Timeout:
    """What to say of a page that does not answer: an open dialog keeps its scripts, and with them the scanner's, from
    running, and no extension API tells of it."""
    return Timeout(
        error.message,
        "A dialog may be open: close it in the browser. With trusted input, which the extension's settings allow, "
        "'dialog' answers it.",
    )
