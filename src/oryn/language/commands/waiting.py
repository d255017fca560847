"""*Waiting* for the page, and *Reading data* from it."""

from __future__ import annotations

from typing import Literal

from oryn.language.command import Command, TargetCommand, argument, option
from oryn.language.kinds import CSS, DURATION, JAVASCRIPT, PATTERN, TARGET, Extracted, Integer, OneOf
from oryn.language.kinds.special import Extractable
from oryn.language.targets import Css, Target

__all__ = [
    "Extract",
    "WaitElement",
    "WaitItems",
    "WaitLoad",
    "WaitSelector",
    "WaitTime",
    "WaitUntil",
    "WaitUrl",
]

_FAMILY = "Waiting"

LoadState = Literal["load", "idle", "navigation", "ready"]
WaitedState = Literal["visible", "hidden", "enabled", "disabled"]
Presence = Literal["exists", "gone"]
DataFormat = Literal["json", "csv", "text"]


class WaitLoad(
    Command, path="wait", family=_FAMILY, safe=True, help="Wait until the page has come so far", example="wait idle"
):
    """`load`, `ready` (its DOM), `idle` (no requests either), or a `navigation` that is under way or starts now."""

    state: LoadState = argument(OneOf[LoadState]("load", "idle", "navigation", "ready"), "how far")


class WaitElement(
    TargetCommand,
    path="wait",
    family=_FAMILY,
    safe=True,
    help="Wait until an element is in a state",
    example='wait visible "Success"',
):
    """Also matches text that is not interactive, and is never ambiguous."""

    state: WaitedState = argument(OneOf[WaitedState]("visible", "hidden", "enabled", "disabled"), "the state")
    target: Target = argument(TARGET, "the element")


class WaitSelector(
    Command,
    path="wait",
    family=_FAMILY,
    safe=True,
    help="Wait until a selector finds something, or nothing",
    example='wait gone ".busy"',
):
    """In the document, visible or not."""

    state: Presence = argument(OneOf[Presence]("exists", "gone"), "there or not")
    selector: str = argument(CSS, "what to find")


class WaitUrl(
    Command, path="wait url", family=_FAMILY, safe=True, help="Wait until the URL fits", example='wait url "*/cart?*"'
):
    """`*` stands for anything; without one, the URL contains the pattern."""

    pattern: str = argument(PATTERN, "part of the URL, or a pattern of all of it with *")


class WaitUntil(
    Command,
    path="wait until",
    family=_FAMILY,
    help="Wait until an expression holds",
    example='wait until "window.ready"',
):
    """JavaScript in the page's own world."""

    expression: str = argument(JAVASCRIPT, "JavaScript, run in the page's own world")


class WaitItems(
    Command,
    path="wait items",
    family=_FAMILY,
    safe=True,
    help="Wait until a selector finds so many",
    example='wait items "li" 10',
):
    """At least `count` elements."""

    selector: str = argument(CSS, "what to count")
    count: int = argument(Integer("count"), "at least so many")


class WaitTime(Command, path="wait", family=_FAMILY, safe=True, help="Wait for a time", example="wait 2s"):
    """`duration` is in seconds."""

    duration: float = argument(DURATION, "how long")


class Extract(
    Command,
    path="extract",
    door="extract_page",
    family="Reading data",
    safe=True,
    help="Read links, images, tables, metadata or text out of the page",
    example='extract links --selector "nav" --format csv',
):
    """`what` is a word, or the elements of a `Css` selector."""

    what: Extractable | Css = argument(Extracted(), "what to read")
    selector: str | None = option(CSS, "only inside what this finds")
    format: DataFormat | None = option(OneOf[DataFormat]("json", "csv", "text"), "how to show it")
