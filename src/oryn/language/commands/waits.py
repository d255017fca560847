"""*Waiting* for the page, and *Reading data* from it."""

from __future__ import annotations

from typing import Literal, get_args

from oryn.language.command import Command, TargetCommand, argument, flag, option
from oryn.language.effects import SCRIPT
from oryn.language.kinds import CSS, DURATION, JAVASCRIPT, PATTERN, TARGET, ChoiceKind, ExtractKind, IntegerKind
from oryn.language.kinds.special import Extractable
from oryn.language.targets import CssTarget, Target

__all__ = [
    "Extract",
    "WaitElement",
    "WaitItems",
    "WaitLoad",
    "WaitText",
    "WaitTime",
    "WaitUntil",
    "WaitUrl",
]

_FAMILY = "Waiting"

LoadState = Literal["load", "idle", "navigation", "ready"]
WaitedState = Literal["visible", "hidden", "enabled", "disabled", "exists", "gone"]
DataFormat = Literal["json", "csv", "text"]


class WaitLoad(
    Command,
    path="wait",
    family=_FAMILY,
    safe=True,
    reads=True,
    help="Wait for a load state of the page",
    example="wait idle",
):
    """`load`, `ready` (its DOM), `idle` (no requests either), or a `navigation` that is under way or starts now."""

    state: LoadState = argument(
        ChoiceKind[LoadState]("load", "idle", "navigation", "ready"),
        "load: fully loaded; ready: DOM parsed; idle: no requests either; navigation: one under way or the next",
    )


class WaitElement(
    TargetCommand,
    path="wait",
    family=_FAMILY,
    safe=True,
    reads=True,
    help="Wait until an element is in a state",
    example='wait visible "Success"',
):
    """Also matches text that is not interactive, and is never ambiguous. A text `exists` if it is visible, a selector
    also if it matches something hidden; a quoted string is a selector there if it can only be one:
    `wait gone ".busy"`."""

    state: WaitedState = argument(ChoiceKind[WaitedState](*get_args(WaitedState)), "the state")
    target: Target = argument(TARGET, "the element")


class WaitText(
    Command,
    path="wait text",
    family=_FAMILY,
    safe=True,
    reads=True,
    help="Wait until the page shows a text",
    example='wait text "Order * comes on Saturday"',
):
    """Whole words of what can be read on the page, in any case; they may stand in several elements, such as the cells
    of a row. `*` stands for anything."""

    pattern: str = argument(PATTERN, "a part of the page's text; with *, anything may stand there")
    gone: bool = flag("wait until the page does not show it")


class WaitUrl(
    Command,
    path="wait url",
    family=_FAMILY,
    safe=True,
    reads=True,
    help="Wait until the URL matches",
    example='wait url "*/cart?*"',
):
    """`*` stands for anything; without one, the URL contains the pattern."""

    pattern: str = argument(PATTERN, "part of the URL, or with * a pattern for the whole URL")


class WaitUntil(
    Command,
    path="wait until",
    family=_FAMILY,
    acts=True,
    effects=SCRIPT,
    help="Wait until an expression is true",
    example='wait until "window.ready"',
):
    """JavaScript in the page's own world."""

    expression: str = argument(JAVASCRIPT, "JavaScript, run in the page's own world")


class WaitItems(
    Command,
    path="wait items",
    family=_FAMILY,
    safe=True,
    reads=True,
    help="Wait until a selector matches enough elements",
    example='wait items "li" 10',
):
    """At least `count` elements."""

    selector: str = argument(CSS, "what to count")
    count: int = argument(IntegerKind("count"), "minimum number of elements")


class WaitTime(
    Command, path="wait", family=_FAMILY, safe=True, reads=True, help="Wait for a fixed time", example="wait 2s"
):
    """`duration` is in seconds."""

    duration: float = argument(DURATION, "how long")


class Extract(
    Command,
    path="extract",
    api_name="extract_page",
    family="Reading data",
    results={
        "links": "list[LinkRow]",
        "images": "list[ImageRow]",
        "tables": "list[ExtractedTable]",
        "meta": "dict[str, str]",
        "text": "str",
        "css": "list[SelectedElement]",
    },
    safe=True,
    reads=True,
    help="Extract links, images, tables, metadata or text from the page",
    example='extract links --selector "nav" --format csv',
):
    """`what` is a word, or the elements of a `CssTarget` selector."""

    what: Extractable | CssTarget = argument(ExtractKind(), "what to read")
    selector: str | None = option(CSS, "only inside elements that this matches")
    format: DataFormat | None = option(ChoiceKind[DataFormat]("json", "csv", "text"), "the output format")
