"""JavaScript dialogs, the same in every backend: which are answered automatically, and what an open one says."""

from __future__ import annotations

from typing import Literal

from oryn.browsers.base import Dialog, DialogPolicy
from oryn.errors import DialogOpen

MAX_AUTOMATIC_ANSWERS = 10
"""A page may open alerts in a loop: after so many within one command, the next one stays open."""
MAX_MESSAGE_CHARACTERS = 200
"""Characters of a dialog's message in an error."""


def automatic_answer(dialog: Dialog, policy: DialogPolicy | None) -> bool | None:
    """Whether a dialog is accepted or dismissed automatically; None if it waits for a command.

    Without a policy only alerts, and the question whether to leave the page, are answered."""
    if policy == "off":
        return None
    if policy is not None:
        return policy == "accept" or dialog.kind == "beforeunload"
    return True if dialog.kind in ("alert", "beforeunload") else None


def outcome(accepted: bool) -> Literal["accepted", "dismissed"]:
    """The answer of a dialog, as `Dialog.answer` has it."""
    return "accepted" if accepted else "dismissed"


def dialog_open_error(dialog: Dialog) -> DialogOpen:
    """The error for commands while a dialog is open."""
    message = dialog.message
    text = message if len(message) <= MAX_MESSAGE_CHARACTERS else message[:MAX_MESSAGE_CHARACTERS] + "…"
    article = "an" if dialog.kind == "alert" else "a"
    return DialogOpen(
        f"{article} {dialog.kind} dialog is open",
        f"It says {text!r}. Run 'dialog accept' or 'dialog dismiss' first, or 'goto' another page.",
    )
