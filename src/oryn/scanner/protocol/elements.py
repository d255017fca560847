"""The records that requests and responses of the scanner have in common."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, get_args

PROTOCOL_VERSION = "1.1"

ElementType = Literal["input", "button", "link", "select", "textarea", "checkbox", "radio", "generic"]
Role = str
Modifier = Literal[
    "required", "disabled", "readonly", "hidden", "primary", "checked", "unchecked", "expanded", "collapsed",
    "selected", "pressed", "mixed", "current", "ascending", "descending", "invalid", "active", "focused", "revealed",
]  # fmt: skip
"""See docs/spec/scanner-protocol.md#modifiers."""

ElementField = Literal[
    "tag", "selector", "xpath", "rect", "attributes", "state", "options", "value", "frame", "context"
]
"""The optional members of an element."""

ELEMENT_FIELDS: tuple[ElementField, ...] = get_args(ElementField)


class PointData(TypedDict):
    x: float
    y: float


class RectData(PointData):
    width: float
    height: float


class BitmapSize(TypedDict):
    """In pixels."""

    width: int
    height: int


class VisibleBox(RectData):
    """The part of an element that can be seen."""

    id: int


class ScrollData(PointData):
    """How far something is scrolled, and how far it can be."""

    max_x: float
    max_y: float


class StateData(TypedDict):
    visible: bool
    enabled: bool
    focused: bool
    checked: bool | None
    value: str | None
    in_viewport: bool


ViewportPlace = Literal["inside", "partial", "outside"]
"""How a box lies in the viewport."""


class OptionsData(TypedDict):
    """A select's options: the first dozen texts and the count of all."""

    first: list[str]
    count: int


MatchTier = Literal["exact", "case", "contains", "begins"]
"""How a text matches, the best first: as it is; but for case and what people don't see or type alike; as whole words of
another text; as the beginning of a word."""
MatchSource = Literal[
    "name", "text", "label", "placeholder", "title", "value", "attribute", "role", "id", "selector", "point"
]
"""What an element is found by; `attribute` is its name or id."""


class MatchData(TypedDict):
    """Why an element is found (docs/spec/scanner-protocol.md#find)."""

    tier: MatchTier
    """How the text matches; `exact` for ids, roles, selectors and points."""
    source: MatchSource
    excess: int
    """Characters of that text beyond the wanted ones."""
    distance: NotRequired[float]
    """Under a relation: pixels for `near`, size of the common container for `inside`/`contains`, steps in document
    order for the others."""


class TargetMatch(MatchData):
    """The reasons for a match, and the data for its ranking."""

    interactive: bool
    drawn_by_label: bool
    """It is a check box or radio button that is invisible itself, with a visible label."""
    in_dialog: bool
    """Whether it is inside the topmost open dialog; true if no dialog is open."""
    field_types: NotRequired[list[ElementType]]
    """Types of the fields, boxes and radio buttons that it holds and that match too; `generic` is editable."""


class PlaceData(TypedDict):
    """Where a text stands; each part is '' if there is none."""

    row: str
    """What the row or item begins with."""
    section: str
    """The heading before it."""
    around: str
    """The text around it."""


class ElementData(TypedDict):
    """An element (docs/spec/scanner-protocol.md#elements)."""

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
    context: NotRequired[str]
    """A text of the row, card or section that the element is in, if another element of the same type, role and text is
    in another one."""
    match: NotRequired[TargetMatch]
    place: NotRequired[PlaceData]


class ViewportSize(TypedDict):
    width: float
    height: float


class PageResponse(TypedDict):
    """Where a page stands."""

    url: str
    title: str
    viewport: ViewportSize
    scroll: ScrollData
    ready_state: Literal["loading", "interactive", "complete"]


class LoginPattern(TypedDict):
    email: NotRequired[int]
    username: NotRequired[int]
    password: int
    submit: int
    remember: NotRequired[int]
    container: str


class SearchPattern(TypedDict):
    input: int
    submit: NotRequired[int]
    """What starts the search, also if there is no form."""
    container: NotRequired[str]


class Pagination(TypedDict):
    prev: NotRequired[int]
    next: NotRequired[int]
    pages: list[int]


class LayerPattern(TypedDict):
    """The topmost open dialog, or a small box that floats over the page."""

    container: str
    close: NotRequired[int]
    title: NotRequired[str]


class CookiePattern(TypedDict):
    container: str
    accept: int
    reject: NotRequired[int]


class Patterns(TypedDict):
    """Parts of an interface (docs/spec/scanner-protocol.md#patterns): elements by their numbers, `container` a
    selector."""

    login_form: NotRequired[LoginPattern]
    search_form: NotRequired[SearchPattern]
    pagination: NotRequired[Pagination]
    modal: NotRequired[LayerPattern]
    popup: NotRequired[LayerPattern]
    cookie_banner: NotRequired[CookiePattern]


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
    `required` `disabled` `readonly` `active` `revealed` `invalid` `busy` `multiple` `focused`, and the type of an input
    that is not plain text."""
    value: NotRequired[str]
    options: NotRequired[OptionsData]
    frame: NotRequired[int]
    """The number of a frame element whose document this scanner can't read: query the scanner of that frame."""


class FrameData(TypedDict):
    id: int
    name: str
    src: str
    selector: str
    nested_level: int
    """0 for the frames of the page."""
    accessible: bool
    """Whether this scanner can enter it."""


EditorStep = int | Literal["shadow", "frame"]
"""A step on the way to an element: its position among the elements beside it, or into what the element before
contains."""


class EditorData(TypedDict):
    """What reading and writing an editor needs."""

    code: bool
    """It contains source code, and selects by its own shortcuts alone."""
    path: list[EditorStep] | None
    """Where `read_editor` finds it."""


CaptchaKind = Literal[
    "recaptcha", "hcaptcha", "turnstile", "cloudflare challenge", "funcaptcha", "geetest", "aws waf", "datadome",
    "friendly captcha", "perimeterx", "picture",
]  # fmt: skip


class CaptchaData(TypedDict):
    kind: CaptchaKind
    sitekey: str | None
    solved: bool | None
    """None if unknown."""
    answer: str | None
    """A selector of the fields for its answer."""
    id: int | None
    """Its visible element."""
    box: RectData | None
    """What can be seen of that."""
    version: NotRequired[Literal["v2", "v3"]]
    """Of reCAPTCHA, as the next two."""
    enterprise: NotRequired[bool]
    invisible: NotRequired[bool]
    field: NotRequired[int | None]
    """Of a picture: the number of the field that its letters are typed into."""


class FileInputData(TypedDict):
    id: int
    multiple: bool
    folder: bool
    accept: str
    disabled: bool


class SliderData(TypedDict):
    """An adjustable control."""

    id: int
    native: bool
    position: str
    """Any text, which changes with the value."""
    now: float | None
    text: str | None
    min: float | None
    max: float | None
    step: float | None
    vertical: bool
    reversed: bool
    disabled: bool
    track: RectData
    thumb: RectData


SegmentKind = Literal["year", "month", "day", "hour", "minute", "second", "half", ""]


class SegmentData(TypedDict):
    """A part of a field for a date or a time."""

    id: int
    kind: SegmentKind
    disabled: bool


class ChoiceData(TypedDict):
    """What to select in the element `id`."""

    id: int
    value: str


class TimeStep(TypedDict):
    """`text` is to be typed, `value` to be selected; with neither the element is to be pressed."""

    id: int
    text: NotRequired[str]
    value: NotRequired[str]


class CalendarData(TypedDict):
    """The calendar of one month or several."""

    key: int
    """The number of its first day."""
    floating: bool
    """Whether it lies over the page, or around the element."""
    first: str | None
    """The first and the last month that it displays (`2026-12`); None if unreadable."""
    last: str | None
    day: int | None
    """The number of the wanted day; None if it is not displayed."""
    disabled: bool
    """Whether that is disabled."""
    forward: list[int]
    """Buttons to other months, the likely ones first."""
    backward: list[int]
    month_option: ChoiceData | None
    year_option: ChoiceData | None
    year_field: int | None
    confirm: int | None
    time: list[TimeStep] | None
    """What is to be done for the wanted time, in order."""


class OptionMatch(TypedDict):
    """The option that a text fits best."""

    id: int
    text: str
    tier: Literal["exact", "case", "prefix", "contains"]
    others: list[str]
    """Texts that fit as well."""
    disabled: bool
    selected: bool
    """As one of several."""
    chosen: bool
    """Another press takes it away."""


class ScrollerData(ScrollData):
    """A box that scrolls up and down."""

    id: int


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
    outside: PointData | None
    """A point of this frame's viewport where a press reaches its backdrop, or the bare page beside it."""


class TextChange(TypedDict):
    """A unit of text (a paragraph, a list item, a row of a table) that has changed."""

    change: Literal["new", "changed", "gone"]
    kind: Literal["alert", "status", "heading", "text", "order", "image", "selection", "format"]
    """What it is by roles, live regions or classes; a message that describes an invalid field is an `alert`. `order`
    has the first of the texts that stand in another order than before; `image` has the name of a picture,
    `selection` the text that is selected now, `format` a text of an editor that is formatted otherwise."""
    text: str
    format: NotRequired[str]
    """Of `format`: what is other than before: `bold, not italic`."""
    vanished: NotRequired[bool]
    """It came and has gone again."""
