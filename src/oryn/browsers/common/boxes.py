"""Where frames lie in each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from oryn.browsers.base import Rect


def nested(boxes: Iterable[Rect]) -> tuple[Rect, Rect]:
    """The place of the innermost of `boxes`, each given in the one before it, and the part of it that they all show."""
    box = Rect(0, 0, 0, 0)
    shown: Rect | None = None
    for inner in boxes:
        box = Rect(box.x + inner.x, box.y + inner.y, inner.width, inner.height)
        shown = box if shown is None else shown.within(box)
    return box, shown or box
