"""`highlight`, `highlight clear`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oryn.engine.actions import require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.execute.acting import ask_about
from oryn.engine.execute.registry import handles
from oryn.engine.resolve import resolve
from oryn.engine.view import FRAME_GONE, ask
from oryn.errors import InternalError, InvalidValue
from oryn.language import Highlight, HighlightClear

if TYPE_CHECKING:
    from oryn.engine.session import Session

_COLOR = re.compile(r"[a-zA-Z]+|#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
"""https://www.w3.org/TR/css-color-4/: a name, which the browser knows, or hexadecimal digits."""


@handles(Highlight)
async def highlight(session: Session, command: Highlight) -> Answer:
    require_no_dialog(session)
    color = command.color or "red"
    if not _COLOR.fullmatch(color):
        raise _no_color(color)
    target = await resolve(session, command.target, "highlight", strict=command.strict)
    milliseconds = 0 if command.duration is None else max(1, round(command.duration * 1000))
    await ask_about(session, target, {"cmd": "scroll", "element": target.id})
    try:
        await ask_about(session, target, {"cmd": "highlight", "color": color, "duration": milliseconds})
    except InternalError as error:
        # The only thing that the scanner may refuse in this request.
        raise _no_color(color) from error
    return Answer(notes=target.notes)


@handles(HighlightClear)
async def highlight_clear(session: Session, command: HighlightClear) -> Answer:
    """Of every frame: one that was chosen keeps its own highlights, also where the page's scanner reaches it."""
    require_no_dialog(session)
    cleared = 0
    for position, frame in enumerate(session.page.frames()):
        try:
            data = await ask(session.page, {"cmd": "highlight_clear"}, frame, session.remaining())
        except FRAME_GONE:  # it went away
            if position == 0:
                raise
            continue
        cleared += data["cleared"]
    return Answer(lines=[f"{cleared} removed"], data={"removed": cleared})


def _no_color(color: str) -> InvalidValue:
    return InvalidValue(f"no such colour: {color}", 'Use a CSS name such as red, or "#rrggbb".')
