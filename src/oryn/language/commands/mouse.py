"""*Acting*, by single events of the mouse, and by touch: what `click`, `hover`, `scroll` and `drag` don't do."""

from __future__ import annotations

from oryn.language.command import TargetCommand, argument, flag, option
from oryn.language.commands.interaction import DIRECTION, Direction
from oryn.language.effects import PRESS
from oryn.language.kinds import TARGET, IntegerKind
from oryn.language.targets import Target

__all__ = ["MouseDown", "MouseMove", "MouseUp", "MouseWheel", "Tap"]

_FAMILY = "Acting"


class MouseMove(
    TargetCommand,
    path="mouse move",
    family=_FAMILY,
    safe=True,
    help="Move the mouse, with the button that is held",
    example="mouse move at(300,200)",
):
    """Move the mouse. With a held button this is a part of a drag."""

    target: Target = argument(TARGET, "where to")


class MouseDown(
    TargetCommand,
    path="mouse down",
    family=_FAMILY,
    effects=PRESS,
    help="Press a button of the mouse and hold it until mouse up",
):
    """Press and hold. Of `right` and `middle` at most one is true: the last written."""

    target: Target | None = argument(TARGET, "where; default: where the mouse is", default=None)
    right: bool = flag("use the right button", group="button")
    middle: bool = flag("use the middle button", group="button")


class MouseUp(
    TargetCommand, path="mouse up", family=_FAMILY, effects=PRESS, help="Release the held button of the mouse"
):
    """Release."""

    target: Target | None = argument(TARGET, "where; default: where the mouse is", default=None)


class MouseWheel(
    TargetCommand,
    path="mouse wheel",
    family=_FAMILY,
    safe=True,
    help="Turn the wheel of the mouse over an element: pages scroll by it, and maps zoom",
    example="mouse wheel up at(400,300) --amount 300",
):
    """Turn the wheel. `amount` is in pixels; one notch of a wheel is 100."""

    direction: Direction | None = argument(DIRECTION, "direction; default: down", default=None)
    target: Target | None = argument(TARGET, "where; default: where the mouse is", default=None)
    amount: int | None = option(IntegerKind("px"), "number of pixels; default: 100")


class Tap(
    TargetCommand,
    path="tap",
    family=_FAMILY,
    effects=PRESS,
    help="Touch an element with a finger",
    example='tap "Menu"',
):
    """One short touch, as on a phone."""

    target: Target = argument(TARGET, "what to touch")
