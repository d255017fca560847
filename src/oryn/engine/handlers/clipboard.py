"""`clipboard read`, `clipboard write`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.language import ClipboardRead, ClipboardWrite

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext


@handles(ClipboardRead)
async def clipboard_read(context: PageContext, command: ClipboardRead) -> Answer:
    text = await context.browser.clipboard.read()
    return Answer(block=text, data=text) if text else Answer(lines=["the clipboard is empty"], data="")


@handles(ClipboardWrite)
async def clipboard_write(context: PageContext, command: ClipboardWrite) -> Answer:
    """Set the text for the next paste; no page is notified."""
    await context.browser.clipboard.write(command.text)
    return Answer()
