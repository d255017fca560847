"""The results of commands as JSON data, declared once.

`CommandSpec.result` names one of these types, or an expression of them (`list[TabRow]`). The data is the field `result`
of an answer's JSON form. From here come the types of the Python and TypeScript libraries, `/openapi.json`, the output
schemas of MCP tools; `oryn.language.result_schema` turns a type into JSON Schema.

A docstring is a type's description, and the string below a field is that field's."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

__all__ = [
    "AccessibilityReport",
    "AccessibilityRule",
    "AuditedElement",
    "CaptchaList",
    "CaptchaRow",
    "ClosedSessions",
    "CollectionRow",
    "ConsoleRow",
    "CookieRow",
    "CrawlFigures",
    "DeviceDetails",
    "DroppedCollection",
    "ElementBox",
    "ElementRow",
    "ExtractedTable",
    "FoundPlace",
    "FrameRow",
    "HarFile",
    "HighlightResult",
    "ImageRow",
    "IntentRow",
    "IntentRun",
    "InterceptRule",
    "LearnStatus",
    "LinkRow",
    "MessageRow",
    "NetworkPreset",
    "NoteReply",
    "NoteRow",
    "NotedElement",
    "NumberedBox",
    "ObservedPage",
    "OptionTexts",
    "PackRow",
    "PageAddress",
    "PictureDifference",
    "PictureFile",
    "PictureSize",
    "ProgramCommand",
    "ProgramRun",
    "ProgramStop",
    "Rectangle",
    "RequestCount",
    "RequestDetails",
    "RequestMessage",
    "RequestRow",
    "SavedIntent",
    "ScriptRow",
    "ScrollPosition",
    "SearchHit",
    "SelectedElement",
    "SessionDetails",
    "SessionRow",
    "SiteAddresses",
    "SnapshotRow",
    "StateSummary",
    "TabRow",
    "ToolRow",
    "TraceFile",
    "UnchangedPicture",
    "UploadedFiles",
    "VideoFile",
    "WebVital",
    "WebVitals",
    "WrittenFile",
    "ZoomedPicture",
]


class PageAddress(TypedDict):
    """A page."""

    url: str
    title: str


class OptionTexts(TypedDict):
    """Options of a select element."""

    first: list[str]
    """The texts of the first dozen."""
    count: int
    """How many there are."""


class AuditedElement(TypedDict):
    """An element that breaks a rule."""

    id: int | None
    """Its number; null if it has left the page meanwhile."""
    html: str
    """The beginning of its HTML."""
    problem: str
    """What has to be repaired, in axe's words."""


class AccessibilityRule(TypedDict):
    """A rule of axe-core, and what breaks it."""

    rule: str
    impact: Literal["minor", "moderate", "serious", "critical"]
    help: str
    """What it demands."""
    url: str
    """Where it is described."""
    tags: list[str]
    elements: list[AuditedElement]


class AccessibilityReport(TypedDict):
    """What an audit has found, the gravest first."""

    rules: list[AccessibilityRule]
    review: list[AccessibilityRule]
    """What only a person can judge."""


class WebVital(TypedDict):
    """A metric of web-vitals."""

    name: Literal["LCP", "CLS", "INP", "FCP", "TTFB"]
    value: float
    """Milliseconds; of CLS a score."""
    rating: Literal["good", "needs-improvement", "poor"]
    id: int | None
    """The number of its element; null if that has left the page, or is in a shadow root."""
    element: str | None
    """The beginning of the element's HTML, or a selector of one without a number."""
    interaction: Literal["pointer", "keyboard"] | None
    """What INP is of."""
    parts: dict[str, float]
    """What the time consists of, in milliseconds."""


class WebVitals(TypedDict):
    """The web vitals of the page."""

    metrics: list[WebVital]
    missing: dict[str, str]
    """Why the others have no value."""


class ElementBox(TypedDict):
    """Position and size in CSS pixels of the viewport."""

    x: float
    y: float
    width: float
    height: float
    visible: bool
    in_viewport: Literal["inside", "partial", "outside"]


class NumberedBox(TypedDict):
    """An element's box, in CSS pixels of the page."""

    id: int
    """The element's number."""
    x: float
    y: float
    width: float
    height: float


class Rectangle(TypedDict):
    """Position and size in CSS pixels of the viewport."""

    x: float
    y: float
    width: float
    height: float


class ElementRow(TypedDict):
    """An interactive element of the page."""

    id: int
    """Its number, which is a target."""
    type: str
    """`input`, `button`, `link`, `select`, `textarea`, `checkbox`, `radio` or `generic`."""
    role: str
    """Its role, such as `email`, `submit` or `tab`."""
    text: str
    """Its accessible name."""
    modifiers: list[str]
    """States such as `required`, `disabled`, `checked`, `focused`."""
    value: NotRequired[str]
    """The value of a field that is not empty; never a password's."""
    options: NotRequired[OptionTexts]
    selector: NotRequired[str]
    """With `--full`."""
    attributes: NotRequired[dict[str, str]]
    """With `--full`."""
    rect: NotRequired[Rectangle]
    """With `--full` or `--positions`."""


class ObservedPage(TypedDict):
    """What `observe` has found. With `--diff`, the changes of the answer have it instead."""

    url: str
    title: str
    elements: list[ElementRow]
    patterns: dict[str, Any]
    """Known parts of the page, such as `login_form`, by name; numbers in them are elements."""
    more: int
    """How many elements the limit has left out."""
    tools: NotRequired[list[str]]
    """Names of the tools that the page offers."""


class SnapshotRow(TypedDict):
    """One node of the accessibility tree."""

    depth: int
    role: str
    name: NotRequired[str]
    text: NotRequired[str]
    ref: NotRequired[str]
    """The reference, which is a target: `@e5`."""
    level: NotRequired[int]
    states: NotRequired[list[str]]
    value: NotRequired[str]
    options: NotRequired[OptionTexts]
    inside: NotRequired[int]
    """How many nodes inside of it `--depth` has left out."""


class FoundPlace(TypedDict):
    """A place where a text stands."""

    id: int
    """The number of the element that shows it, which is a target."""
    type: str
    role: str
    text: str
    """What the element is called, or says."""
    row: NotRequired[str]
    """What the row or item that it is in begins with."""
    section: NotRequired[str]
    """The heading before it."""
    around: NotRequired[str]
    """The text around it, if that is more than `text`."""


class WrittenFile(TypedDict):
    """A file. `size` is in bytes."""

    path: str
    size: int


class PictureFile(TypedDict):
    """A picture. `size` is in bytes."""

    path: str
    size: int
    boxes: NotRequired[list[NumberedBox]]
    """The numbered elements, with `--annotate`."""


class ZoomedPicture(TypedDict):
    """A closer picture of a part of the viewport. `size` is in bytes."""

    path: str
    size: int
    region: Rectangle
    """What it shows."""
    scale: float
    """How many times larger."""


class PictureDifference(TypedDict):
    """What differs between two pictures."""

    same: bool
    """Whether nothing differs."""
    first: PictureSize
    second: PictureSize
    share: float
    """The part of the compared pixels that differs, 0 to 1; 1 if the sizes do."""
    differing: int | None
    """How many pixels that are; None if the sizes differ."""
    regions: list[Rectangle]
    """Where, from top to bottom, in pixels of the pictures."""
    path: str | None
    """The file that the differences are drawn into."""


class PictureSize(TypedDict):
    """In pixels."""

    width: int
    height: int


class UnchangedPicture(TypedDict):
    """No picture, because it would be like the last one."""

    unchanged: Literal[True]


class ScrollPosition(TypedDict):
    """A scroll position and its maximum, in CSS pixels."""

    x: float
    y: float
    max_x: float
    max_y: float


class UploadedFiles(TypedDict):
    """The files that were put into a file input."""

    files: list[WrittenFile]


class CookieRow(TypedDict):
    """A cookie (RFC 6265)."""

    name: str
    value: str
    domain: str
    path: str
    expires: float | None
    """Unix time in seconds; null for a session cookie."""
    secure: bool
    http_only: bool
    same_site: Literal["Strict", "Lax", "None"] | None
    priority: str | None
    source_scheme: str | None
    source_port: int | None
    partition: list[Any] | None


class SessionRow(TypedDict):
    """A session."""

    name: str
    mode: str | None
    started: str | None
    """In UTC (ISO 8601); null if its process does not answer."""
    current: bool
    process: int | None
    """The process that it runs in, if that is another one."""
    profile: str | None
    endpoint: str | None
    dormant: bool
    """Whether its browser starts only with its next command."""


class SessionDetails(TypedDict):
    """The current session."""

    name: str
    mode: str | None
    started: str
    pages: int
    url: str | None
    profile: str | None
    endpoint: str | None


class StateSummary(TypedDict):
    """A saved state. `cookies` counts them; `origins` have storage, or are null if it was left out."""

    cookies: int
    origins: list[str] | None
    created: str
    domain: str | None
    encrypted: NotRequired[bool]


class TabRow(TypedDict):
    """A tab."""

    number: int
    url: str
    title: str
    current: bool
    own: NotRequired[bool]
    """Whether the session has opened it; otherwise it is the user's or another session's."""
    holder: NotRequired[str]
    """In a browser that others use too: the session that the tab belongs to, or `the person`. Left out if it is
    free."""
    since: NotRequired[str]
    """Since when, as UTC in ISO 8601; only with a holder."""


class NotedElement(TypedDict):
    """An element that a person has pointed at."""

    id: int | None
    """Its number, which is a target; null if it has none now."""
    type: str
    role: str
    text: str


class NoteReply(TypedDict):
    """An answer to a note."""

    author: Literal["agent", "person"]
    text: str
    time: str


class NoteRow(TypedDict):
    """A note of a person."""

    number: int
    text: str
    time: str
    """When it was written, in UTC (ISO 8601)."""
    state: Literal["open", "done"]
    present: bool
    """Whether what it is about is on the current page."""
    element: NotedElement | None
    """Null for a note about a region."""
    region: Rectangle | None
    """In CSS pixels of the page."""
    elements: list[NotedElement]
    """The first elements in the region."""
    url: str
    title: str
    tab: int | None
    answers: list[NoteReply]


class FrameRow(TypedDict):
    """A frame. `level` is 0 for the page itself."""

    level: int
    name: str
    url: str


class MessageRow(TypedDict):
    """A message of a web socket, or a server-sent event."""

    request: int
    """The number of its request."""
    number: int
    """From 1 in its request."""
    time: float
    """Unix time in seconds."""
    sent: bool
    """Whether the page has sent it."""
    size: int
    """Bytes of the whole content."""
    body: dict[str, str]
    """`text` or `base64`, of a long message only the beginning."""
    event: str
    """The type of a server-sent event."""
    event_id: str


class RequestRow(TypedDict):
    """An HTTP request."""

    number: int
    method: str
    url: str
    type: str
    """The kind of resource: `document`, `fetch`, `script` …"""
    status: int | None
    failure: str | None
    seconds: float | None
    size: int | None
    """Bytes that were transferred."""
    cached: bool
    rule: str | None
    """The pattern of the `intercept` rule that it fits."""
    redirected_to: int | None
    started: float
    """Unix time in seconds."""
    message_count: int
    """Messages of a web socket, or server-sent events, in both directions."""
    messages: NotRequired[list[MessageRow]]
    """The latest of them, with `--messages`."""


class RequestMessage(TypedDict):
    """The request or the response of an exchange. `body` has `text`, `base64`, or `missing` with the reason."""

    headers: list[list[str]]
    body: dict[str, str | None] | None
    status_text: NotRequired[str]


class RequestDetails(RequestRow):
    """An HTTP request with headers and bodies."""

    request: RequestMessage
    response: RequestMessage


class InterceptRule(TypedDict):
    """A rule for requests."""

    pattern: str
    type: str | None
    """The type of the requests that it is for; None for all."""
    action: Literal["answer", "block", "edit", "delay", "log"]
    status: int | None
    delay: float
    """Seconds."""


class HarFile(TypedDict):
    """A written HAR file, of `har stop`."""

    path: str
    requests: int


class NetworkPreset(TypedDict):
    """The kind of connection that is emulated."""

    preset: str


class ConsoleRow(TypedDict):
    """A message of the console, or an uncaught error."""

    level: str
    text: str
    time: float
    """Unix time in seconds."""
    url: str
    line: int | None
    stack: str


class ScriptRow(TypedDict):
    """A script that runs before each page's own."""

    number: int
    path: str


class ToolRow(TypedDict):
    """A tool of the page or of a plugin. `parameters` is the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]
    read_only: bool
    source: Literal["page", "plugin"]
    url: NotRequired[str]
    """The frame of a page's tool."""


class DeviceDetails(TypedDict):
    """The emulated device; sizes are in CSS pixels."""

    name: str
    width: int
    height: int
    scale: float
    mobile: bool


class HighlightResult(TypedDict):
    """How many frames were removed."""

    removed: int


class TraceFile(TypedDict):
    """A written trace. `size` is in bytes."""

    path: str
    size: int
    commands: int


class VideoFile(TypedDict):
    """A written video. `size` is in bytes."""

    path: str
    size: int
    frames: int
    seconds: float
    width: int
    height: int


IntentRow = TypedDict("IntentRow", {"name": str, "usage": str, "from": str, "description": str})
"""An intent; `from` says where it is defined."""
LinkRow = TypedDict("LinkRow", {"href": str, "text": str})  # noqa: UP013
ImageRow = TypedDict("ImageRow", {"src": str, "alt": str})  # noqa: UP013
ExtractedTable = TypedDict("ExtractedTable", {"caption": str, "rows": list[list[str]]})  # noqa: UP013
SelectedElement = TypedDict("SelectedElement", {"tag": str, "text": str, "attributes": dict[str, str]})  # noqa: UP013


class ProgramCommand(TypedDict):
    """A command that a program has given."""

    line: int | None
    """The line of the program."""
    command: str
    ok: bool
    changes: NotRequired[list[dict[str, Any]]]
    error: NotRequired[dict[str, Any]]


class ProgramStop(TypedDict):
    """Where a program has stopped before its end."""

    line: int | None
    command: str | None
    variables: dict[str, str]
    """The short texts of its variables."""
    resume: str | None
    """What `--from` takes; null if it can't go on."""


class ProgramRun(TypedDict):
    """A run of a program."""

    program: str
    """Its identifier, which the rows of its commands in the history have too."""
    value: Any
    """The value of its last expression."""
    printed: str
    commands: dict[str, int]
    """How many commands it has given, by their names."""
    failed: int
    """How many of them failed."""
    seconds: float
    acts: list[ProgramCommand]
    """Those that `--report` asks for."""
    stopped: NotRequired[ProgramStop]


class PackRow(TypedDict):
    """A pack of intents."""

    name: str
    version: str
    state: str
    intents: list[str]
    description: str
    urls: list[str]


IntentRun = TypedDict(
    "IntentRun", {"intent": str, "from": str, "steps": list[dict[str, Any]], "program": NotRequired[ProgramRun]}
)
"""A run of a custom intent. Each step has `step`, `command`, `ok`, and `result` or `error`; an intent that is a program
has no steps."""


class LearnStatus(TypedDict):
    """The intents that could be learnt, and the number of commands that were watched."""

    proposals: list[dict[str, Any]]
    commands: int


class SavedIntent(TypedDict):
    """A saved intent."""

    path: str
    usage: str


class SearchHit(TypedDict):
    """A result of a search."""

    title: str
    url: str
    snippet: NotRequired[str]


class CrawlFigures(TypedDict):
    """The figures of a crawl, and its first pages if it was written to a file."""

    totals: dict[str, Any]
    path: NotRequired[str]
    pages: NotRequired[list[dict[str, Any]]]


class SiteAddresses(TypedDict):
    """The addresses of a site; with `--to` the file, and their number."""

    urls: list[str] | int
    path: NotRequired[str]
    sitemaps: NotRequired[int]
    llms: NotRequired[str]
    is_complete: NotRequired[bool]
    notes: NotRequired[list[str]]


class CollectionRow(TypedDict):
    """A collection of the index."""

    name: str
    passages: int
    model: str


class DroppedCollection(TypedDict):
    """The collection that was deleted."""

    dropped: str


class ClosedSessions(TypedDict):
    """The sessions that were closed."""

    closed: list[str]


class CaptchaRow(TypedDict):
    """A captcha of the page."""

    kind: str
    version: str | None
    enterprise: bool
    invisible: bool
    sitekey: str | None
    solved: bool
    id: int | None
    box: dict[str, Any] | None
    field: int | None
    frame: str | None


class CaptchaList(TypedDict):
    """The captchas of the page."""

    captchas: list[CaptchaRow]


class RequestCount(TypedDict):
    """How many requests were recorded."""

    requests: int
