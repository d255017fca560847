"""`highlight`, `highlight clear`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.resolve import resolve
from oryn.engine.page.scanner import FRAME_GONE, query_scanner
from oryn.errors import InternalError, InvalidValue
from oryn.language import Highlight, HighlightClear

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import HighlightClearRequest, HighlightClearResponse, HighlightRequest

_COLOR = re.compile(r"[a-zA-Z]+|#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
"""A name, which the browser checks, or hexadecimal digits: https://www.w3.org/TR/css-color-4/"""


@handles(Highlight)
async def highlight(context: PageContext, command: Highlight) -> Answer:
    require_no_dialog(context)
    color = command.color or "red"
    if not _COLOR.fullmatch(color):
        raise _no_color(color)
    target = await resolve(context, command.target, "highlight", strict=command.strict)
    milliseconds = 0 if command.duration is None else max(1, round(command.duration * 1000))
    await query_element(context, target, {"cmd": "scroll", "element": target.id})
    request: HighlightRequest = {"cmd": "highlight", "id": target.id, "color": color, "duration": milliseconds}
    try:
        await query_element(context, target, request)
    except InternalError as error:
        # The colour is the only part of this request that the scanner may reject.
        raise _no_color(color) from error
    return Answer(notes=target.notes)


@handles(HighlightClear)
async def highlight_clear(context: PageContext, command: HighlightClear) -> Answer:
    """Remove the highlights of every frame. A frame that was chosen has its own, even if the page's
    scanner reaches it."""
    require_no_dialog(context)
    cleared = 0
    for position, frame in enumerate(context.page.frames()):
        try:
            request: HighlightClearRequest = {"cmd": "highlight_clear"}
            data: HighlightClearResponse = await query_scanner(
                context.page, request, frame, context.deadline.remaining()
            )
        except FRAME_GONE:  # the frame was removed
            if position == 0:
                raise
            continue
        cleared += data["cleared"]
    return Answer(lines=[f"{cleared} removed"], data={"removed": cleared})


def _no_color(color: str) -> InvalidValue:
    return InvalidValue(f"no such colour: {color}", 'Use a CSS name such as red, or "#rrggbb".')
