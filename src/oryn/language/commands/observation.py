"""*Looking*: at the page, and at one element of it."""

from __future__ import annotations

from typing import Literal

from oryn.language.command import Command, TargetCommand, argument, flag, option, output_option, overwrite_flag
from oryn.language.kinds import (
    COUNT,
    CSS,
    NAME,
    PICTURE,
    REGION,
    ROLES,
    TARGET,
    TEXT,
    ChoiceKind,
    IntegerKind,
    NumberKind,
    Region,
)
from oryn.language.targets import Target

__all__ = [
    "Attribute",
    "Box",
    "Count",
    "Exists",
    "Find",
    "Html",
    "Is",
    "Observe",
    "ReadText",
    "Screenshot",
    "Snapshot",
    "Title",
    "Value",
    "Zoom",
]

_FAMILY = "Looking"

ImageFormat = Literal["png", "jpeg", "webp"]
ElementState = Literal["visible", "enabled", "checked", "focused"]

_FORMAT = ChoiceKind[ImageFormat]("png", "jpeg", "webp")
_SCALE = NumberKind("n", minimum=0.05, maximum=10)
_QUALITY = IntegerKind("n", minimum=1, maximum=100)

_OUTPUT_HELP = "the file to write; a word such as page.png is one, too"
_FORMAT_HELP = "image format; default: by the file's suffix, otherwise png"
_QUALITY_HELP = "quality of jpeg and webp, 1 to 100"
_IF_CHANGED_HELP = "no picture if it is, byte for byte, like the last one of the same place and options in this tab"


class Observe(
    TargetCommand,
    path="observe",
    family=_FAMILY,
    result="ObservedPage",
    safe=True,
    reads=True,
    help="List the page's interactive elements with their numbers",
    aliases=("scan",),
    conflicts=(("full", "minimal"),),
    example='observe --near "Payment"',
):
    """Scan the page and number its elements from 1."""

    full: bool = flag("show all details of each element")
    minimal: bool = flag("show only number, type and text")
    viewport: bool = flag("list only elements in the viewport")
    hidden: bool = flag("include hidden elements")
    positions: bool = flag("add each element's position: @(x,y,wxh)")
    near: str | None = option(TEXT, "only elements near this text")
    within: Target | None = option(TARGET, "only elements inside this one, or in the section of a heading")
    roles: tuple[str, ...] | None = option(ROLES, "only elements of these roles or types")
    limit: int | None = option(COUNT, "maximum number of elements; 0 for all")
    diff: bool = flag("show only changes since the last observation")

    @property
    def narrows(self) -> bool:
        """Whether it lists only a part of the page."""
        return bool(self.viewport or self.near is not None or self.within is not None or self.roles)


class Find(
    TargetCommand,
    path="find",
    family=_FAMILY,
    result="list[FoundPlace]",
    safe=True,
    reads=True,
    help="Show where a text stands: number, row, heading, the text around it",
    example='find "Total" --within "Order 1003"',
):
    """Every place where the text can be seen, also inside of words, in any case. The numbers are targets."""

    text: str = argument(TEXT, "the text")
    regex: bool = flag("the text is a regular expression, in any case")
    within: Target | None = option(TARGET, "only inside this element, or in the section of a heading")
    limit: int | None = option(COUNT, "maximum number of places; default: 20")


class Snapshot(
    TargetCommand,
    path="snapshot",
    family=_FAMILY,
    result="list[SnapshotRow]",
    safe=True,
    reads=True,
    help="Show the accessibility tree with @eN references",
):
    """The accessibility tree; its references are targets (`@e5`)."""

    within: Target | None = option(TARGET, "only this element and what is inside, or the section of a heading")
    depth: int | None = option(COUNT, "only so many levels")
    roles: tuple[str, ...] | None = option(ROLES, "only nodes of these roles")


class Html(Command, path="html", family=_FAMILY, result="str", safe=True, reads=True, help="Show the page's HTML"):
    """The HTML of the page, or of the first element that a selector finds."""

    selector: str | None = option(CSS, "only this element")


class ReadText(
    TargetCommand,
    path="text",
    family=_FAMILY,
    result="str",
    safe=True,
    reads=True,
    help="Show the text of the page or of an element",
):
    """The visible text (command `text`)."""

    target: Target | None = argument(TARGET, "the element; default: the page", default=None)
    selector: str | None = option(CSS, "the first element that this matches")
    skip: int | None = option(COUNT, "leave out this many characters at the beginning")
    first: int | None = option(COUNT, "then at most this many characters")
    last: int | None = option(COUNT, "only this many characters at the end")


class Title(Command, path="title", family=_FAMILY, result="str", safe=True, reads=True, help="Show the page's title"):
    """The document's title."""


class Screenshot(
    TargetCommand,
    path="screenshot",
    family=_FAMILY,
    result="PictureFile | UnchangedPicture",
    safe=True,
    reads=True,
    help="Take a screenshot of the viewport, the page or an element",
    conflicts=(("target", "clip"), ("target", "fullpage")),
    example="screenshot --output page.png --fullpage",
):
    """A picture. `output` None leaves the place to the host."""

    target: Target | None = argument(TARGET, "the element; default: the viewport", default=None)
    output: str | None = output_option(_OUTPUT_HELP, PICTURE)
    overwrite: bool = overwrite_flag()
    format: ImageFormat | None = option(_FORMAT, _FORMAT_HELP)
    quality: int | None = option(_QUALITY, _QUALITY_HELP)
    clip: Region | None = option(REGION, "only this region, in CSS pixels of the viewport, or of the whole page")
    fullpage: bool = flag("capture the whole page, not only the viewport", aliases=("full-page", "full-length"))
    scale: float | None = option(_SCALE, "size of the picture, 0.05 to 10: 0.5 is half as wide; default: 1")
    annotate: bool = flag("draw the elements' numbers")
    if_changed: bool = flag(_IF_CHANGED_HELP)


class Zoom(
    TargetCommand,
    path="zoom",
    family=_FAMILY,
    result="ZoomedPicture | UnchangedPicture",
    safe=True,
    reads=True,
    help="Take a closer picture of an element or a region, for small print",
    conflicts=(("target", "clip"),),
    either=("target", "clip"),
    example="zoom --clip 40,300,200,80",
):
    """A picture whose `scale` is, by default, chosen so that the region fills a picture that models read well."""

    target: Target | None = argument(TARGET, "the element", default=None)
    output: str | None = output_option(_OUTPUT_HELP, PICTURE)
    overwrite: bool = overwrite_flag()
    format: ImageFormat | None = option(_FORMAT, _FORMAT_HELP)
    quality: int | None = option(_QUALITY, _QUALITY_HELP)
    clip: Region | None = option(REGION, "the region, in CSS pixels of the viewport")
    scale: float | None = option(
        _SCALE, "how many times larger; default: up to 4, so that the longer side has 1568 pixels"
    )
    if_changed: bool = flag(_IF_CHANGED_HELP)


class Box(
    TargetCommand,
    path="box",
    family=_FAMILY,
    result="ElementBox",
    safe=True,
    reads=True,
    help="Show an element's position and size",
):
    """Position and size in CSS pixels."""

    target: Target = argument(TARGET, "the element")


class Value(
    TargetCommand,
    path="value",
    family=_FAMILY,
    result="str | bool | list[str]",
    safe=True,
    reads=True,
    help="Show a field's value",
    conflicts=(("first", "last"), ("skip", "last")),
    example='value "Query" --skip 4000 --first 2000',
):
    """The value of a form field, or all text of an editor."""

    target: Target = argument(TARGET, "the field or editor")
    skip: int | None = option(COUNT, "leave out this many characters at the beginning")
    first: int | None = option(COUNT, "then at most this many characters")
    last: int | None = option(COUNT, "only this many characters at the end")


class Attribute(
    TargetCommand,
    path="attribute",
    family=_FAMILY,
    result="str",
    safe=True,
    reads=True,
    help="Show an attribute's value",
    example="attribute 3 href",
):
    """One attribute of an element."""

    target: Target = argument(TARGET, "the element")
    name: str = argument(NAME, "the attribute")


class Is(
    TargetCommand,
    path="is",
    family=_FAMILY,
    result="bool",
    safe=True,
    reads=True,
    help="Check whether an element is in a state",
    example="is checked 4",
):
    """A question about one element, answered yes or no."""

    state: ElementState = argument(ChoiceKind[ElementState]("visible", "enabled", "checked", "focused"), "the state")
    target: Target = argument(TARGET, "the element")


class Exists(
    TargetCommand,
    path="exists",
    family=_FAMILY,
    result="bool",
    safe=True,
    reads=True,
    help="Check whether there is such an element or text",
    example='exists "Saved"',
):
    """A text counts if it is visible, a selector also if it matches something hidden. A quoted string is a selector if
    it can only be one: `exists ".error"`."""

    target: Target = argument(TARGET, "what to find")


class Count(
    TargetCommand,
    path="count",
    family=_FAMILY,
    result="int",
    safe=True,
    reads=True,
    help="Count such elements or texts",
    example='count css("li.result")',
):
    """A text counts if it is visible, a selector also if it matches something hidden. A quoted string is a selector if
    it can only be one: `count ".result"`."""

    target: Target = argument(TARGET, "what to count")
