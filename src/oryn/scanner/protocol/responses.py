"""The responses of the scanner protocol: what is around each, and the data of each command."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from oryn.scanner.protocol.elements import (
    BitmapSize,
    CalendarData,
    CaptchaData,
    EditorData,
    ElementData,
    FileInputData,
    FrameData,
    OptionMatch,
    PageResponse,
    Patterns,
    PointData,
    PopupData,
    RectData,
    ScrollData,
    ScrollerData,
    SegmentData,
    SliderData,
    StateData,
    TextChange,
    TreeNode,
    ViewportPlace,
    VisibleBox,
)
from oryn.scanner.protocol.requests import ExtractionType

ErrorCode = Literal[
    "ELEMENT_NOT_FOUND", "ELEMENT_STALE", "ELEMENT_NOT_VISIBLE", "ELEMENT_DISABLED", "ELEMENT_NOT_INTERACTABLE",
    "SELECTOR_INVALID", "TIMEOUT", "SCRIPT_ERROR", "UNKNOWN_COMMAND", "INVALID_REQUEST", "INVALID_ELEMENT_TYPE",
    "OPTION_NOT_FOUND", "FRAME_NOT_FOUND", "ORIGIN_CHANGED", "ROOTS_UNKNOWN", "INTERNAL_ERROR",
]  # fmt: skip
"""See docs/spec/scanner-protocol.md#error-codes."""


class ScannerTiming(TypedDict):
    ms: float


class ScannerResponse(TypedDict):
    """What is around the data of every response."""

    ok: bool
    data: NotRequired[Any]
    """The command's data; without `ok`, details of the error."""
    error: NotRequired[str]
    code: NotRequired[ErrorCode]
    timing: NotRequired[ScannerTiming]


class NoData(TypedDict):
    """There is nothing to say."""


class NumberedResponse(TypedDict):
    """A response that may have numbered elements."""

    next_id: int
    """The first number that is free."""


# --- commands that read ---


class VersionResponse(TypedDict):
    protocol: str
    scanner: str
    features: list[str]


class ScanStats(TypedDict):
    total: int
    """Elements that fit."""
    returned: int
    scanned: int
    """Elements of the document."""
    ms: float


class TableData(TypedDict):
    """A table of which an overview lists the first rows."""

    first: int
    """The first element of its rows."""
    last: int
    """The last one that is listed."""
    rows: int
    columns: list[str]
    """What the heads of the columns say."""
    elements: list[int]
    """What is in the rows that are left out."""


class ScanResponse(NumberedResponse):
    page: PageResponse
    elements: list[ElementData]
    patterns: Patterns
    raised: NotRequired[list[int]]
    """What is in a dialog or a menu over the page, if an overview was asked for and other elements are not."""
    tables: NotRequired[list[TableData]]
    stats: ScanStats


class FindResponse(NumberedResponse):
    matches: list[ElementData]
    count: int
    """Of all matches."""
    visible: int
    """How many of all can be seen."""


class TreeStats(TypedDict):
    scanned: int


class TreeResponse(NumberedResponse):
    page: PageResponse
    nodes: list[TreeNode]
    stats: TreeStats
    next_ref: int


class GetValueResponse(TypedDict):
    value: str | bool | list[str]
    editor: NotRequired[EditorData]


class GetTextResponse(TypedDict):
    text: str


class GetHtmlResponse(TypedDict):
    html: str


class GetBoundsResponse(RectData):
    visible: bool
    in_viewport: ViewportPlace


class GetStateResponse(TypedDict):
    state: StateData
    attributes: dict[str, str]
    rect: RectData
    in_viewport: ViewportPlace


class ExistsResponse(TypedDict):
    exists: bool


class BoxesResponse(TypedDict):
    boxes: list[VisibleBox]


class AnnotateResponse(TypedDict):
    image: str


class ComparePicturesResponse(TypedDict):
    """Without `compared` and what follows for pictures of different sizes, and for more than 64 million pixels."""

    first: BitmapSize | None
    """None for a file that the engine can't read."""
    second: BitmapSize | None
    compared: NotRequired[int]
    """How many pixels no mask touches."""
    differing: NotRequired[int]
    """How many of these differ."""
    regions: NotRequired[list[RectData]]
    """The boxes around them, from top to bottom."""
    image: NotRequired[str]


class ExtractResponse(TypedDict):
    type: ExtractionType
    data: Any


class StorageResponse(TypedDict):
    entries: NotRequired[dict[str, str]]
    """Of `list` and `clear`."""
    value: NotRequired[str | None]
    """Of the others."""


class CaptchaResponse(NumberedResponse):
    captchas: list[CaptchaData]


class AuditPart(TypedDict):
    """A document's part of an audit, or the place where that of a frame of another origin belongs."""

    result: Any
    frame: int | None
    """The number of the frame of another origin."""
    context: Any
    """The part of the document in the frame that the audit is about."""


class AuditResponse(NumberedResponse):
    parts: list[AuditPart]


class AuditNode(TypedDict):
    path: list[Any]
    """The selectors of the frames around the element and its own; of one in shadow roots, those of the hosts too."""
    html: str
    summary: str


class AuditFinding(TypedDict):
    rule: str
    impact: str
    help: str
    url: str
    tags: list[str]
    nodes: list[AuditNode]


class AuditReportResponse(TypedDict):
    violations: list[AuditFinding]
    incomplete: list[AuditFinding]
    """What only a person can judge."""


class AuditPlace(TypedDict):
    id: int | None
    """The number of the element, or of the frame of another origin that it is in; null for one that is gone."""
    rest: list[Any]
    """The selectors of its path in that frame."""


class AuditElementsResponse(NumberedResponse):
    places: list[AuditPlace]


VitalName = Literal["LCP", "CLS", "INP", "FCP", "TTFB"]


class VitalData(TypedDict):
    name: VitalName
    value: float
    """Milliseconds; of CLS a score."""
    rating: Literal["good", "needs-improvement", "poor"]
    id: int | None
    """The number of the element that the metric is of; null if it has left the page, or is in a shadow root."""
    element: str | None
    """The beginning of its HTML, or a selector of one without a number."""
    interaction: Literal["pointer", "keyboard"] | None
    """What INP is of."""
    parts: dict[str, float]
    """What the time consists of, in milliseconds."""


class VitalsResponse(NumberedResponse):
    metrics: list[VitalData]
    unsupported: list[VitalName]
    """What this browser does not measure."""
    late: bool
    """Whether the document had begun before it was observed."""
    hidden: bool
    """Whether it was in the background when it was loaded."""


class GetFramesResponse(TypedDict):
    frames: list[FrameData]


class CurrentFrame(TypedDict):
    main: bool
    name: str
    url: str


class SwitchFrameResponse(TypedDict):
    frame: CurrentFrame


# --- commands that act ---


class MutationCounts(TypedDict):
    added: int
    removed: int
    modified: int


class ClickResponse(PointData):
    action: Literal["click"]
    id: int
    selector: str | None
    navigation: bool
    changes: MutationCounts


class HoverResponse(PointData):
    action: Literal["hover"]
    id: int


class FocusResponse(TypedDict):
    action: Literal["focus"]
    id: int
    focused: Literal[True]


class TypeResponse(TypedDict):
    action: Literal["type"]
    id: int
    text: str
    value: str


class ClearResponse(TypedDict):
    action: Literal["clear"]
    id: int
    value: str


class CheckResponse(TypedDict):
    action: Literal["check", "uncheck"]
    id: int
    checked: bool | None
    changed: bool


ToggleState = Literal["checked", "unchecked", "mixed"]


class ToggleResponse(NumberedResponse):
    id: int
    """Of the control that has the state: the element itself, or the one that it labels or holds."""
    state: ToggleState
    radio: bool


class SelectResponse(TypedDict):
    action: Literal["select"]
    id: int
    value: str
    text: str
    previous: str
    chosen: list[str]
    """The texts of the options that were asked for."""
    texts: NotRequired[list[str]]
    """Of a select that takes several options."""


class SubmitResponse(TypedDict):
    action: Literal["submit"]
    id: int
    valid: bool
    sent: bool
    """Whether the form was submitted, even if the page has cancelled that."""
    field: NotRequired[str]
    """The name of the first field that is not valid."""
    reason: NotRequired[str]
    """What the browser says of it."""


class ScrollResponse(TypedDict):
    action: Literal["scroll"]
    scroll: ScrollData
    moved: bool


class LocateResponse(PointData):
    """Where an element can be pressed."""

    rect: RectData
    tag: str
    type: str
    hovered: bool
    """The mouse is there already."""


class ApproachPlace(LocateResponse):
    id: int


class WatchResponse(TypedDict):
    mutated: bool
    """Whether the document has changed since its last scan without a filter."""
    texts: list[TextChange]
    visible_texts: list[str] | None
    feeding: bool
    """Whether elements may change by themselves."""


class ApproachResponse(TypedDict):
    found: FindResponse | None
    watched: NotRequired[WatchResponse]
    place: NotRequired[ApproachPlace]


class PreparedField(TypedDict):
    mode: Literal["keys", "set"]
    empty: bool
    control: bool
    """It is a form's text field."""
    lines: bool
    """It has several lines."""


class PreparedEditor(EditorData):
    mode: Literal["editor"]
    empty: bool
    plain: bool
    """It takes no elements, so that a line break is a character of its text."""
    mac: bool
    """Its shortcuts are those of macOS."""


PrepareResponse = PreparedField | PreparedEditor

WriteOutcome = Literal["whole", "formatted", "limited"]
"""How a field contains a text: whole, with other characters between the same letters and digits, or as far as its
`maxlength` lets it."""


class WrittenValue(TypedDict):
    """What became of a text that was written into a field. Lengths are in characters."""

    outcome: WriteOutcome | Literal["other"]
    length: int
    """Of the field's content."""
    wanted: int
    """Of the content that it should have."""
    held_text: str | None
    """The content; null of a password."""
    wanted_text: str | None
    unchanged: bool
    """It has its former content."""
    taken: bool
    """The field has taken any input."""
    attached: bool
    """It has not been replaced."""
    away: bool
    """The focus has left it, and the text is not in it."""
    place: str | None
    """Where the focus went, in a few words."""
    frame: bool
    """Whether that is a frame."""
    forms: list[str]
    """Other forms of the number that the text is, which the field may take."""


class RestoreFieldResponse(TypedDict):
    restored: bool
    """Whether the field has its former content again."""


class InsertResponse(TypedDict):
    mode: Literal["inserted", "set", "keys"]
    """`set`: the field takes its value whole. `keys`: the text does not fit, and is left to the keyboard."""
    outcome: NotRequired[WriteOutcome | Literal["refused"]]
    length: NotRequired[int]
    """Of `inserted`: characters of the content."""


class EditorTextResponse(TypedDict):
    text: str | None


class PasteResponse(TypedDict):
    taken: bool
    """Whether the page's scripts have done it."""


class ClickEffects(TypedDict):
    """What the browser refuses to do for clicks that scripts make."""

    opened: list[str]
    """The addresses of links into new tabs."""
    chooser: bool
    """Whether a field requested files."""


class PointerEffects(ClickEffects):
    frame: None
    prevented: NotRequired[bool]
    """Of `touch`: the page wants no mouse events after it."""
    draggable: NotRequired[bool]
    """Of `draggable`: a mouse that is pressed there drags something away."""


class InnerFrame(PointData):
    """The point is in a frame that only another scanner reaches: nothing was done."""

    frame: int


PointerResponse = PointerEffects | InnerFrame


class KeysResponse(ClickEffects):
    done: int
    """How many events were processed."""
    frame: int | None
    """The number of the frame that has the focus and gets the rest."""
    missing: NotRequired[Literal["clipboard"]]


PressFate = Literal["moved", "covered", "replaced", "missed"]
"""Why a press did not reach its element."""


class VerifyResponse(TypedDict):
    holds: bool
    now: NotRequired[str]
    """What is true instead, in a few words."""
    gone: NotRequired[bool]
    """The element has left the page, or is not shown any more: nothing can be said of it."""
    pending: NotRequired[bool]
    """The element is disabled or busy, as while its page asks a server."""
    written: NotRequired[WrittenValue]
    """Of `value`."""
    fate: NotRequired[PressFate]
    again: NotRequired[bool]
    """Nothing else has taken the press: it may be made again."""


class HighlightResponse(TypedDict):
    highlighted: Literal[True]
    id: int


class HighlightClearResponse(TypedDict):
    cleared: int


class ExecuteResponse(TypedDict):
    result: Any


# --- commands that watch ---


class WaitForResponse(TypedDict):
    met: Literal[True]
    waited: float
    previous_url: NotRequired[str]
    """Of `navigation`, as `url`."""
    url: NotRequired[str]
    result: NotRequired[Any]
    """Of `custom`."""


class UnreadChangesResponse(TypedDict):
    fresh: bool
    """There was no such command before, so all is new."""
    touched: bool
    """The document has changed outside of feeds."""
    texts: list[TextChange]
    feeds: list[int]
    """Which of `elements` are in places that change by themselves."""
    feeding: bool


class SettleResponse(TypedDict):
    mutated: bool
    quiet: bool
    busy: str | None
    """What is still on its way, in words."""
    pending: bool | None
    """Scripts have put something off since the action began; None if that can't be told."""
    closed: bool
    """A script has closed the window."""


class NodePath(TypedDict):
    """Where an element is, for a script in another world."""

    steps: list[int]
    """From the document on: the positions among the child elements; -1 leads into the shadow root."""
    tag: str


class EventPathsResponse(TypedDict):
    paths: list[NodePath] | None
    """None if the act may have an effect without a listener, or listeners that can't be seen."""


class ActivityResponse(TypedDict):
    loading: bool
    busy: bool
    changed: int | None
    """Milliseconds since the document has changed; None if it has not since it is watched."""
    scheduled: int | None
    """Milliseconds since scripts were last seen to have set a timer, at most; None if they have set none, or do so by
    themselves all the time."""


class ChangedTextsResponse(TypedDict):
    texts: list[TextChange]
    feeding: bool


class FeedElementsResponse(TypedDict):
    elements: list[int]


class DecidedElementsResponse(TypedDict):
    elements: list[int]


class RaisedElementsResponse(TypedDict):
    elements: list[int]


class ReactionResponse(TypedDict):
    """Empty but of `report`."""

    typed: NotRequired[bool]
    reacted: NotRequired[bool]
    submitted: NotRequired[bool]
    requested: NotRequired[bool]


# --- widgets ---


class FileInputResponse(NumberedResponse):
    input: FileInputData | None
    beside: FileInputData | None
    drops: bool


class SliderResponse(NumberedResponse):
    slider: SliderData | None


class DateSegmentsResponse(NumberedResponse):
    segments: list[SegmentData]
    text: str


class DateLimitsResponse(TypedDict):
    valid: bool
    min: str | None
    max: str | None
    message: str


class CalendarResponse(NumberedResponse):
    calendar: CalendarData | None
    opener: int | None
    """A button beside the element that may open one."""
    in_dialog: bool


class OptionsResponse(NumberedResponse):
    id: int
    """Of what the element stands for: the control of a label, the widget that is shown for a hidden select or field."""
    native: bool
    """That is a select, or a field with suggestions."""
    match: OptionMatch | None
    select_state: bool | None
    """Whether the select behind the widget keeps the wanted text; null without one that knows it."""
    shown: bool
    """The widget shows the wanted text."""
    texts: list[str]
    count: int
    last: str | None
    open: bool
    """The list is known to be open."""
    expanded: bool | None
    """What the widget says of that."""
    typing: int | None
    """The field that filters them."""
    typed: str | None
    """What that field holds."""
    text_field: bool
    """The element takes text and says nothing of a list."""
    opener: int | None
    """What is pressed beside the field to open its list."""
    scroller: int | None
    aside: PointData | None
    """Where the mouse can be released if the list lies under it."""
    in_dialog: bool


class ScrollersResponse(NumberedResponse):
    scrollers: list[ScrollerData]


class ScrollToResponse(TypedDict):
    scroll: ScrollData
    screen: float
    """Its height."""


class PopupsResponse(NumberedResponse):
    layers: list[PopupData]


class PopupOpenResponse(TypedDict):
    open: bool
