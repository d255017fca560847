"""`clipboard read`, `clipboard write`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.language import ClipboardRead, ClipboardWrite

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(ClipboardRead)
async def clipboard_read(session: Session, command: ClipboardRead) -> Answer:
    text = await session.browser.clipboard.read()
    return Answer(block=text, data=text) if text else Answer(lines=["the clipboard is empty"], data="")


@handles(ClipboardWrite)
async def clipboard_write(session: Session, command: ClipboardWrite) -> Answer:
    """Set the text for the next paste; no page is notified."""
    await session.browser.clipboard.write(command.text)
    return Answer()
