"""*Acting*: on elements, with mouse and keyboard."""

from __future__ import annotations

from typing import Literal, Self

from oryn.language.command import (
    Command,
    TargetCommand,
    argument,
    flag,
    has_line_break,
    mask_secret,
    names_password,
    option,
)
from oryn.language.effects import FILL, PRESS, Effect
from oryn.language.kinds import (
    PATH,
    TARGET,
    TEXT,
    ChoiceKind,
    IntegerKind,
    KeyCombinationKind,
    KeyKind,
    NumberKind,
    OffsetKind,
    SelectionKind,
)
from oryn.language.targets import (
    KindTarget,
    PatternTarget,
    RelatedTarget,
    RoleTarget,
    SourceTarget,
    Target,
    TextTarget,
)

__all__ = [
    "Check",
    "Clear",
    "Click",
    "ClipboardRead",
    "ClipboardWrite",
    "Drag",
    "Focus",
    "Hover",
    "KeyDown",
    "KeyUp",
    "Keys",
    "Press",
    "Scroll",
    "Select",
    "Submit",
    "Type",
    "Uncheck",
    "Upload",
]

_FAMILY = "Acting"

Direction = Literal["up", "down", "left", "right"]
DIRECTION = ChoiceKind[Direction]("up", "down", "left", "right")


class Click(
    TargetCommand,
    path="click",
    family=_FAMILY,
    effects=PRESS,
    help="Click an element",
    guarantee="press, release and click reached the element, its label or content, or the page answered the press",
    example='click "Sign in"',
):
    """A click with the trusted mouse. Of `right` and `middle` at most one is true: the last written."""

    target: Target = argument(TARGET, "what to click")
    double: bool = flag("double-click")
    right: bool = flag("use the right mouse button", group="button")
    middle: bool = flag("use the middle mouse button", group="button")
    force: bool = flag("click even if another element covers it")
    ctrl: bool = flag("hold Control")
    shift: bool = flag("hold Shift")
    alt: bool = flag("hold Alt")


class Type(
    TargetCommand,
    path="type",
    family=_FAMILY,
    effects=FILL,
    help="Type text into a field, replacing its content",
    guarantee="the field holds the text, judged by its kind: numbers as numbers, dates as dates",
    aliases=("fill",),
    conflicts=(("append", "clear"),),
    example='type email "ann@example.com" --enter',
):
    """Typed text. `delay` is in milliseconds."""

    target: Target = argument(TARGET, "the field")
    text: str = argument(TEXT, "what to type")
    append: bool = flag("keep the content, and type after it")
    enter: bool = flag("press Enter after the text")
    clear: bool = flag("clear it first; this is the default")
    delay: float | None = option(NumberKind("ms", minimum=0), "milliseconds between keys")

    @property
    def effects(self) -> tuple[Effect, ...]:
        """In a field of one line, a line break is Enter."""
        return *self.spec.effects, *(PRESS if self.enter or has_line_break(self.text) else ())

    def masked(self) -> Self:
        """What is typed into `password`, or into what calls itself one, is a secret."""
        target = self.target.subject if isinstance(self.target, RelatedTarget) else self.target
        secret = target == RoleTarget("password") or (
            isinstance(target, TextTarget | KindTarget | SourceTarget)
            and (names_password(target.text) or str(target).partition("/")[2].startswith("password "))
        )
        if isinstance(target, PatternTarget):
            secret = names_password(target.pattern) or (target.kind or "").endswith("/password")
        text = mask_secret(self.text) if secret else self.text
        return self.replace(text=text) if text != self.text else self


class Clear(
    TargetCommand, path="clear", family=_FAMILY, effects=FILL, help="Empty a field", guarantee="the field is empty"
):
    """Remove what a field holds."""

    target: Target = argument(TARGET, "the field")


class Press(
    Command,
    path="press",
    family=_FAMILY,
    effects=PRESS,
    help="Press a key or a key combination",
    aliases=("key",),
    example="press control+a",
):
    """`keys` in the order written, by their canonical names: `("control", "shift", "a")`."""

    keys: tuple[str, ...] = argument(KeyCombinationKind(), "keys joined by +")


class KeyDown(Command, path="keydown", family=_FAMILY, effects=PRESS, help="Press a key and hold it"):
    """Hold a key until `keyup`."""

    key: str = argument(KeyKind(), "the key")


class KeyUp(Command, path="keyup", family=_FAMILY, effects=PRESS, help="Release a held key"):
    """`key` is `all` for every held key."""

    key: str = argument(KeyKind("all"), "the key")


class Keys(Command, path="keys", family=_FAMILY, result="list[str]", safe=True, reads=True, help="List the held keys"):
    """The keys that `keydown` holds."""


class Select(
    TargetCommand,
    path="select",
    family=_FAMILY,
    effects=FILL,
    help="Choose options of a select by value or text, or one by index",
    guarantee="the widget has the options chosen",
    example='select "Country" "France"',
):
    """`choice` is a tuple of values or texts, or an `int`: the 0-based index of one option."""

    target: Target = argument(TARGET, "the select")
    choice: tuple[str, ...] | int = argument(
        SelectionKind(), "values or texts, or one bare number: a 0-based index", many=True
    )


class Check(
    TargetCommand,
    path="check",
    family=_FAMILY,
    effects=FILL,
    help="Check a checkbox or choose a radio button",
    guarantee="it is checked; a box that is partly ticked is not",
):
    """Make it checked, whatever it was."""

    target: Target = argument(TARGET, "the box")


class Uncheck(
    TargetCommand,
    path="uncheck",
    family=_FAMILY,
    effects=FILL,
    help="Uncheck a checkbox",
    guarantee="it is not checked, nor partly ticked",
):
    """Make it unchecked, whatever it was."""

    target: Target = argument(TARGET, "the box")


class Hover(
    TargetCommand,
    path="hover",
    family=_FAMILY,
    safe=True,
    help="Move the mouse over an element",
    guarantee="the mouse is over the element, or over what has opened there",
):
    """Move the mouse there and leave it."""

    target: Target = argument(TARGET, "the element")


class Focus(
    TargetCommand,
    path="focus",
    family=_FAMILY,
    effects=("focus",),
    help="Give an element the keyboard focus",
    guarantee="the element, or a part of it, has the focus",
):
    """Focus without clicking."""

    target: Target = argument(TARGET, "the element")


class Scroll(
    TargetCommand,
    path="scroll",
    family=_FAMILY,
    result="ScrollPosition",
    safe=True,
    help="Scroll the page or an element",
    guarantee="the element is in view; with a direction, a note says if nothing has moved",
    example="scroll down --page",
):
    """With a direction: scroll the page, or the target's scrolling part. With a target alone: bring it into view."""

    direction: Direction | None = argument(DIRECTION, "direction; default: down", default=None)
    target: Target | None = argument(TARGET, "what to scroll, or to scroll to", default=None)
    amount: int | None = option(IntegerKind("px", minimum=None), "number of pixels; default: 80 % of the viewport")
    page: bool = flag("scroll by one screenful")


class Submit(
    TargetCommand,
    path="submit",
    family=_FAMILY,
    effects=PRESS,
    help="Submit a form",
    guarantee="no field of the form kept it from being sent",
):
    """Submit the form that the target belongs to; without one, the form in use."""

    target: Target | None = argument(TARGET, "the form, or an element of it", default=None)


class Drag(
    TargetCommand,
    path="drag",
    family=_FAMILY,
    effects=PRESS,
    help="Drag an element onto another, to a point, or by a distance",
    guarantee="what the browser dragged was taken where it was dropped, or the page has changed",
    either=("to", "offset"),
    example='drag "Card" to "Done"',
):
    """Drag and drop with the trusted mouse. `offset` is in pixels to the right and down, from the middle of `to`, or,
    without it, from where the drag begins."""

    target: Target = argument(TARGET, "what to drag")
    to: Target | None = argument(TARGET, "where to drop it", default=None, lead="to")
    offset: tuple[float, float] | None = option(
        OffsetKind(),
        "pixels to the right and down: from the middle of the drop target, or without one, from where the drag begins",
    )


class Upload(
    TargetCommand,
    path="upload",
    family=_FAMILY,
    effects=("upload", "press"),
    result="UploadedFiles",
    help="Put files into a file input",
    guarantee="the file input holds the files, or the page has taken them and changed",
    example="upload 4 cv.pdf",
):
    """Set the files of a file input."""

    target: Target = argument(TARGET, "the file input")
    paths: tuple[str, ...] = argument(PATH, "the files", many=True)


class ClipboardRead(
    Command,
    path="clipboard read",
    family=_FAMILY,
    result="str",
    safe=True,
    reads=True,
    help="Show the clipboard's text",
):
    """The text of the session's clipboard."""


class ClipboardWrite(
    Command, path="clipboard write", family=_FAMILY, effects=("clipboard",), help="Put text on the clipboard"
):
    """Replace the clipboard's text."""

    text: str = argument(TEXT, "the text")
