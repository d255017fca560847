"""The requests of the scanner protocol, one for each command. docs/spec/scanner-protocol.md says what they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

from oryn.language import TargetData
from oryn.scanner.protocol.elements import EditorStep, ElementField, PointData, RectData, VisibleBox


class Request(TypedDict):
    """What every request may have."""

    origin: NotRequired[str | None]
    """The only origin that the document may have."""
    skip_roots: NotRequired[bool]
    """Do without the closed shadow roots that are not known yet."""


# --- parameters that several commands have ---


class ElementParameters(TypedDict):
    """One element: its number, or a selector."""

    id: NotRequired[int | None]
    selector: NotRequired[str | None]


class NumberingParameters(TypedDict):
    next_id: NotRequired[int]
    """The first number that is free."""


class HintParameters(TypedDict):
    """See docs/spec/scanner-protocol.md#listener-hints."""

    listeners: NotRequired[Sequence[int]]
    listeners_of: NotRequired[int]


class FilterParameters(TypedDict):
    """Which elements a scan lists."""

    within: NotRequired[str | None]
    near: NotRequired[str | None]
    container: NotRequired[int]
    """Only elements inside the one with this number, or in the section of a heading; none if this document has no such
    number."""
    roles: NotRequired[Sequence[str]]
    """Only elements of one of these kinds."""
    viewport_only: NotRequired[bool]
    include_hidden: NotRequired[bool]
    folded: NotRequired[bool]


class FindParameters(NumberingParameters):
    target: NotRequired[TargetData]
    any: NotRequired[bool]
    """A text may also match elements that are not interactive."""


class WatchParameters(TypedDict):
    acting: NotRequired[bool]
    """An action follows."""


LocatePurpose = Literal["click", "hover", "type", "any", "choose", "open"]


class PressParameters(TypedDict):
    """Where an element is to be pressed."""

    force: NotRequired[bool]
    scroll_into_view: NotRequired[bool]
    offset: NotRequired[PointData]
    """From the centre of the element."""


class LocateParameters(PressParameters):
    purpose: NotRequired[LocatePurpose]
    presses: NotRequired[int]
    """How often the mouse presses there next."""
    words: NotRequired[str]
    """The words of its text that the command named."""
    timeout: NotRequired[float]


Button = Literal["left", "middle", "right"]
KeyModifier = Literal["control", "shift", "alt", "meta"]


# --- commands that read ---


class VersionRequest(Request):
    cmd: Literal["version"]


class ScanRequest(Request, FilterParameters, HintParameters, NumberingParameters):
    cmd: Literal["scan"]
    max_elements: NotRequired[int]
    include_positions: NotRequired[bool]
    fields: NotRequired[Sequence[ElementField]]
    keep_ids: NotRequired[bool]
    overview: NotRequired[bool]
    """What is on top comes first, and long tables are cut."""


class PageRequest(Request):
    cmd: Literal["page"]


class FindRequest(Request, FindParameters):
    cmd: Literal["find"]
    frames: NotRequired[bool]
    """Only frames count."""
    follow: NotRequired[bool]
    """The likes of the matches take over their numbers whenever they come, also of elements that are not
    interactive."""
    places: NotRequired[bool]
    """Also where each match of a pattern stands."""


class TreeRequest(Request, HintParameters, NumberingParameters):
    cmd: Literal["tree"]
    next_ref: NotRequired[int]
    root: NotRequired[int]
    """Only the element with this number, or the section of a heading, and what is inside."""


class GetValueRequest(Request, ElementParameters):
    cmd: Literal["get_value"]


class GetTextRequest(Request, ElementParameters):
    cmd: Literal["get_text"]


class GetHtmlRequest(Request, ElementParameters):
    cmd: Literal["get_html"]
    outer: NotRequired[bool]


class GetBoundsRequest(Request, ElementParameters):
    cmd: Literal["get_bounds"]


class GetStateRequest(Request, ElementParameters):
    cmd: Literal["get_state"]


class ExistsRequest(Request):
    cmd: Literal["exists"]
    selector: NotRequired[str]
    text: NotRequired[str]


class BoxesRequest(Request):
    cmd: Literal["boxes"]
    ids: Sequence[int]
    references: NotRequired[bool]
    """The numbers are those of the last tree."""


class AnnotateRequest(Request):
    cmd: Literal["annotate"]
    image: str
    format: str
    width: float
    boxes: Sequence[VisibleBox]
    clip: NotRequired[RectData]
    """The part of the picture that is wanted."""
    quality: NotRequired[int | None]
    """Of JPEG and WebP, 1 to 100."""


class ComparePicturesRequest(Request):
    """Two picture files in base 64."""

    cmd: Literal["compare_pictures"]
    first: str
    second: str
    threshold: float
    """How different two colours may be, 0 to 1."""
    masks: Sequence[RectData]
    """What is left out, in pixels of the pictures."""
    draws: bool
    """Whether a picture of the differences is wanted."""


ExtractionType = Literal["links", "images", "tables", "meta", "css"]


class ExtractRequest(Request):
    cmd: Literal["extract"]
    type: ExtractionType
    selector: NotRequired[str | None]
    within: NotRequired[str | None]


StorageArea = Literal["local", "session"]
StorageAction = Literal["list", "get", "set", "delete", "clear"]


class StorageRequest(Request):
    cmd: Literal["storage"]
    area: NotRequired[StorageArea]
    action: StorageAction
    key: NotRequired[str | None]
    value: NotRequired[str | None]


class CaptchaRequest(Request, NumberingParameters):
    cmd: Literal["captcha"]


class AuditOptions(TypedDict):
    tags: NotRequired[Sequence[str] | None]
    """Only rules with one of these tags."""
    without: NotRequired[Sequence[str] | None]
    """Rules to leave out."""


class AuditRequest(Request, NumberingParameters):
    cmd: Literal["audit"]
    options: AuditOptions
    context: NotRequired[Any]
    """The part of the document that the audit of the document around it is about; without it, the whole."""


class AuditReportRequest(Request):
    cmd: Literal["audit_report"]
    options: AuditOptions
    parts: Sequence[Any]
    """The results of the parts in their order, null for frames that none is of."""


class AuditElementsRequest(Request, NumberingParameters):
    cmd: Literal["audit_elements"]
    paths: Sequence[Sequence[Any]]
    """Of each element, the selectors of the frames around it and its own."""


class VitalsRequest(Request, NumberingParameters):
    cmd: Literal["vitals"]


class GetFramesRequest(Request):
    cmd: Literal["get_frames"]


class SwitchFrameRequest(Request, ElementParameters):
    """Exactly one of its parameters."""

    cmd: Literal["switch_frame"]
    name: NotRequired[str | None]
    main: NotRequired[bool]
    parent: NotRequired[bool]


# --- commands that act ---


class ClickRequest(Request, ElementParameters, PressParameters):
    cmd: Literal["click"]
    button: NotRequired[Button]
    click_count: NotRequired[int]
    modifiers: NotRequired[Sequence[Literal["Control", "Shift", "Alt", "Meta"]]]


class HoverRequest(Request, ElementParameters):
    cmd: Literal["hover"]


class FocusRequest(Request, ElementParameters):
    cmd: Literal["focus"]


class TypeRequest(Request, ElementParameters):
    cmd: Literal["type"]
    text: str
    clear: NotRequired[bool]
    delay: NotRequired[float]


class ClearRequest(Request, ElementParameters):
    cmd: Literal["clear"]


class CheckRequest(Request, ElementParameters):
    cmd: Literal["check"]


class UncheckRequest(Request, ElementParameters):
    cmd: Literal["uncheck"]


class ToggleRequest(Request, ElementParameters, NumberingParameters):
    cmd: Literal["toggle"]


class SelectRequest(Request, ElementParameters):
    """Exactly one of `value`, `text`, `index` and `values`."""

    cmd: Literal["select"]
    value: NotRequired[str]
    text: NotRequired[str]
    index: NotRequired[int]
    values: NotRequired[Sequence[str]]


class SubmitRequest(Request, ElementParameters):
    cmd: Literal["submit"]


class ScrollRequest(Request):
    cmd: Literal["scroll"]
    element: NotRequired[int]
    """Scroll it into view, and nothing else."""
    direction: NotRequired[Literal["up", "down", "left", "right"]]
    amount: NotRequired[float]
    page: NotRequired[bool]
    container: NotRequired[str]
    id: NotRequired[int]
    behavior: NotRequired[Literal["instant", "smooth"]]


class LocateRequest(Request, ElementParameters, LocateParameters):
    cmd: Literal["locate"]


class ApproachRequest(Request, FindParameters, WatchParameters):
    cmd: Literal["approach"]
    id: NotRequired[int]
    locate: NotRequired[LocateParameters]


class RestoreScrollRequest(Request):
    cmd: Literal["restore_scroll"]


class PrepareRequest(Request, ElementParameters):
    cmd: Literal["prepare"]
    clear: NotRequired[bool]
    compares: NotRequired[bool]
    """False: what the field holds need not be the text alone."""
    guards: NotRequired[bool]
    """Keep the keys that come next from other elements."""
    again: NotRequired[bool]
    """The same text once more, in the place of what became of it."""
    opened: NotRequired[bool]
    """The field that a press on the element has opened, and that has the focus."""


class RestoreFieldRequest(Request):
    cmd: Literal["restore_field"]


class InsertRequest(Request, ElementParameters):
    cmd: Literal["insert"]
    text: str
    clear: NotRequired[bool]
    fits: NotRequired[bool]
    """Only if a field of a form accepts all of the text."""
    again: NotRequired[bool]
    """In the place of what has become of the text that was typed after `prepare`."""
    code: NotRequired[bool]
    """It is a code for one login: no picture shows it, and it may belong into a row of boxes."""


class ReadEditorRequest(Request):
    """It runs in the page's own world, by a script of its own."""

    cmd: Literal["read_editor"]
    path: Sequence[EditorStep]


class PasteRequest(Request):
    cmd: Literal["paste"]
    text: str


class CopyRequest(Request):
    cmd: Literal["copy"]


PointerKind = Literal["move", "click", "down", "up", "cancel", "wheel", "tap", "touch", "draggable", "double", "drop"]


class PointerRequest(Request):
    cmd: Literal["pointer"]
    kind: PointerKind
    x: float
    y: float
    button: NotRequired[Button]
    count: NotRequired[int]
    """Of `click`."""
    modifiers: NotRequired[Sequence[KeyModifier]]
    dx: NotRequired[float]
    """Of `wheel`, as `dy`."""
    dy: NotRequired[float]
    captured: NotRequired[bool]
    """The point belongs to this frame, whatever is there."""


class KeyData(TypedDict):
    """A key that goes down or up."""

    kind: Literal["down", "up"]
    key: str
    code: str
    key_code: int
    location: int
    modifiers: NotRequired[Sequence[KeyModifier]]
    text: NotRequired[str]
    """The typed text."""
    repeat: NotRequired[bool]
    command: NotRequired[str]
    """Its editing command, such as `selectAll`."""


class InsertedText(TypedDict):
    """Text without a key."""

    kind: Literal["insert"]
    text: str


class KeysRequest(Request):
    cmd: Literal["keys"]
    events: Sequence[KeyData | InsertedText]


class ValueExpectation(TypedDict):
    """A field holds the text that was written into it. Without `text`: what it held once that was done."""

    kind: Literal["value"]
    text: str | None


class CheckedExpectation(TypedDict):
    """A box, a switch or a toggle button has this state."""

    kind: Literal["checked"]
    checked: bool


class ChosenExpectation(TypedDict):
    """Options are chosen."""

    kind: Literal["chosen"]
    texts: Sequence[str]


class FocusedExpectation(TypedDict):
    """The element, or a part of it, has the focus."""

    kind: Literal["focused"]


class PressedExpectation(TypedDict):
    """The presses that `locate` was told of have reached the element."""

    kind: Literal["pressed"]


class HoveredExpectation(TypedDict):
    """The mouse is over the element, or over what the page shows there since."""

    kind: Literal["hovered"]


class InViewExpectation(TypedDict):
    """A part of the element can be seen without scrolling."""

    kind: Literal["in_view"]


class DroppedExpectation(TypedDict):
    """What was dragged away, if the browser dragged it, was taken where it was dropped."""

    kind: Literal["dropped"]


class FilesExpectation(TypedDict):
    """A file input holds files of these names."""

    kind: Literal["files"]
    names: list[str]


Expectation = (
    CheckedExpectation
    | ChosenExpectation
    | FocusedExpectation
    | PressedExpectation
    | HoveredExpectation
    | InViewExpectation
    | DroppedExpectation
    | FilesExpectation
    | ValueExpectation
)
"""What must be true of an element after an action."""


class VerifyRequest(Request, ElementParameters):
    cmd: Literal["verify"]
    expects: Expectation


class HighlightRequest(Request):
    cmd: Literal["highlight"]
    id: int
    color: NotRequired[str]
    duration: NotRequired[float]


class HighlightClearRequest(Request):
    cmd: Literal["highlight_clear"]


class ExecuteRequest(Request):
    cmd: Literal["execute"]
    script: str
    args: NotRequired[Sequence[Any]]


# --- commands that watch ---


WaitCondition = Literal[
    "visible", "hidden", "exists", "gone", "enabled", "disabled", "count", "navigation", "custom", "content", "change",
    "unread_changes",
]  # fmt: skip


class WaitForRequest(Request, ElementParameters):
    cmd: Literal["wait_for"]
    condition: WaitCondition
    text: NotRequired[str]
    expression: NotRequired[str]
    count: NotRequired[int]
    timeout: NotRequired[float]
    waited: NotRequired[float]
    """How many milliseconds of the timeout are over."""
    since_report: NotRequired[bool]
    """Of `change`: changes since the last report count."""
    quiet: NotRequired[float]
    """Of `unread_changes`, as `collect`."""
    collect: NotRequired[float]


class UnreadChangesRequest(Request):
    cmd: Literal["unread_changes"]
    elements: NotRequired[Sequence[int]]


class SettleRequest(Request):
    cmd: Literal["settle"]
    timeout: NotRequired[float]
    busy: NotRequired[float]
    unheard: NotRequired[bool]
    """No script hears of the action."""


class EventPathsRequest(Request):
    cmd: Literal["event_paths"]
    id: int
    pressed: bool
    """The mouse presses there; else a value is entered."""


class ActivityRequest(Request):
    cmd: Literal["activity"]


class WatchRequest(Request, WatchParameters):
    cmd: Literal["watch"]


class ChangedTextsRequest(Request):
    cmd: Literal["changed_texts"]
    acting: NotRequired[float]
    """What comes in the next so many milliseconds is still the action's."""
    former: NotRequired[Sequence[str] | None]
    """The `visible_texts` of the same address before."""


class FeedElementsRequest(Request):
    cmd: Literal["feed_elements"]
    subject: NotRequired[int | None]
    came: NotRequired[Sequence[int]]
    went: NotRequired[Sequence[int]]
    changed: NotRequired[Sequence[int]]


class DecidedElementsRequest(Request):
    cmd: Literal["decided_elements"]
    subject: int
    elements: Sequence[int]


class RaisedElementsRequest(Request):
    cmd: Literal["raised_elements"]
    elements: Sequence[int]


ReactionStage = Literal["watch", "arm", "report"]


class ReactionRequest(Request, ElementParameters):
    cmd: Literal["reaction"]
    stage: ReactionStage
    restless: NotRequired[bool]
    """The page changes by itself, and previous changes no longer count."""
    end: NotRequired[bool]


# --- widgets ---


class FileInputRequest(Request, ElementParameters, NumberingParameters):
    cmd: Literal["file_input"]


class SliderRequest(Request, ElementParameters, NumberingParameters):
    cmd: Literal["slider"]
    focus: NotRequired[bool]
    after: NotRequired[str]
    """A former `position`."""


class RangeValueRequest(Request, ElementParameters, NumberingParameters):
    cmd: Literal["range_value"]
    value: float | str
    short: NotRequired[bool]
    """Stop a step before the value."""


class DateSegmentsRequest(Request, ElementParameters, NumberingParameters):
    cmd: Literal["date_segments"]


class DateLimitsRequest(Request, ElementParameters):
    cmd: Literal["date_limits"]


class CalendarRequest(Request, NumberingParameters):
    cmd: Literal["calendar"]
    id: int
    date: str
    """`2026-12-24`"""
    time: NotRequired[str | None]
    """`14:30`"""
    timeout: NotRequired[float | None]
    after: NotRequired[str | None]
    """The first month of the calendar that is not waited for."""
    unlike: NotRequired[int | None]
    """The key of the calendar that is not waited for."""


class OptionsRequest(Request, NumberingParameters):
    cmd: Literal["options"]
    id: int
    text: NotRequired[str | None]
    """The wanted option."""
    mark: NotRequired[bool]
    """A choice begins: what appears later may be the list."""
    taken: NotRequired[bool]
    """The wanted option has just been chosen."""
    pressed: NotRequired[bool]
    """The mouse is held down on the element."""


class ScrollersRequest(Request, NumberingParameters):
    cmd: Literal["scrollers"]
    id: NotRequired[int]


class ScrollToRequest(Request):
    cmd: Literal["scroll_to"]
    id: int
    y: NotRequired[float | None]


PopupKind = Literal["popup", "modal", "banner"]


class PopupsRequest(Request, NumberingParameters):
    cmd: Literal["popups"]
    kind: NotRequired[PopupKind]
    text: NotRequired[str | None]


class PopupOpenRequest(Request):
    cmd: Literal["popup_open"]
    index: int
