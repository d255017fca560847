"""The records of the scanner protocol 1.1 (docs/spec/scanner-protocol.md) as the engine uses them. Standard library
only."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

PROTOCOL_VERSION = "1.1"

ElementType = Literal["input", "button", "link", "select", "textarea", "checkbox", "radio", "generic"]
Role = str
Modifier = Literal[
    "required", "disabled", "readonly", "hidden", "primary", "checked", "unchecked", "expanded", "selected", "pressed",
    "mixed", "current", "ascending", "descending", "invalid", "active", "focused", "revealed",
]  # fmt: skip
"""See docs/spec/scanner-protocol.md#modifiers."""

ELEMENT_FIELDS = ("tag", "selector", "xpath", "rect", "attributes", "state", "options", "value", "frame")
OBSERVE_FIELDS = ("options", "value")
FIND_FIELDS = ("tag", "state", "value")


class RectData(TypedDict):
    x: float
    y: float
    width: float
    height: float


class StateData(TypedDict):
    visible: bool
    enabled: bool
    focused: bool
    checked: bool | None
    value: str | None
    in_viewport: bool


class OptionsData(TypedDict):
    """A select's options: the first dozen texts and the count of all."""

    first: list[str]
    count: int


class TargetMatch(TypedDict):
    """The reasons for a match, and the data for its ranking (docs/spec/scanner-protocol.md#find)."""

    tier: Literal["exact", "case", "contains"]
    """How the text matches; `exact` for ids, roles, selectors and points."""
    source: str
    """The matching part: `name`, `text`, `label`, `placeholder`, `title`, `value`, `attribute` (name or id), `role`,
    `id`, `selector`, `point`."""
    excess: int
    """Characters of that text beyond the wanted ones."""
    interactive: bool
    drawn_by_label: bool
    """It is a check box or radio button that is invisible itself, with a visible label."""
    in_dialog: bool
    """Whether it is inside the topmost open dialog; true if no dialog is open."""
    distance: NotRequired[float]
    """Under a relation: pixels for `near`, size of the common container for `inside`/`contains`, steps in document
    order for the others."""


class ElementData(TypedDict):
    id: int
    type: ElementType
    role: Role
    text: str
    modifiers: list[Modifier]
    tag: NotRequired[str]
    selector: NotRequired[str]
    xpath: NotRequired[str]
    rect: NotRequired[RectData]
    attributes: NotRequired[dict[str, str]]
    state: NotRequired[StateData]
    options: NotRequired[OptionsData]
    value: NotRequired[str]
    """The value of a field, if it is not empty; never a password's."""
    frame: NotRequired[str]
    """Selector of the same-origin frame that contains the element."""
    match: NotRequired[TargetMatch]


class TreeNode(TypedDict):
    """One row of a `tree`."""

    depth: int
    """0 for nodes at the top level of the page."""
    role: str
    """An ARIA role; `text` for text between nodes; `generic` for an interactive element without a role."""
    name: NotRequired[str]
    text: NotRequired[str]
    """The text of a `text` node, or of a node with only text inside."""
    ref: NotRequired[int]
    """The reference, if the node is a useful target: an interactive element, or one with a name."""
    level: NotRequired[int]
    states: NotRequired[list[str]]
    """`checked` `unchecked` `mixed` `expanded` `collapsed` `selected` `pressed` `current` `ascending` `descending`
    `required` `disabled` `readonly` `invalid` `busy` `multiple` `focused`, and the type of an input that is not plain
    text."""
    value: NotRequired[str]
    options: NotRequired[OptionsData]
    frame: NotRequired[int]
    """The number of a frame element whose document this scanner can't read: query the scanner of that frame."""


class PopupCloser(TypedDict):
    id: int
    name: str


class PopupData(TypedDict):
    """A layer over the page that a person would close."""

    index: int
    mark: str
    """The same for a layer that was rendered anew at its place."""
    title: str
    """What it is called, or the beginning of what it says."""
    cookie: bool
    close: list[PopupCloser]
    """The buttons that close or refuse it, the plainest first. None of them accepts, buys or signs up."""
    buttons: list[str]
    """Names of its first four buttons."""
    outside: PopupPoint | None
    """A point of this frame's viewport where a press reaches its backdrop, or the bare page beside it."""


class PopupPoint(TypedDict):
    x: float
    y: float


class TextChange(TypedDict):
    """A unit of text (a paragraph, a list item, a row of a table) that has changed."""

    change: Literal["new", "changed", "gone"]
    kind: Literal["alert", "status", "heading", "text", "order", "image"]
    """What it is by roles, live regions or classes; a message that describes an invalid field is an `alert`. `order`
    has the first of the texts that stand in another order than before; `image` has the name of a picture."""
    text: str


class ScannerTiming(TypedDict):
    ms: float


class ScannerResponse(TypedDict):
    ok: bool
    data: NotRequired[dict[str, Any]]
    error: NotRequired[str]
    code: NotRequired[str]
    timing: NotRequired[ScannerTiming]
