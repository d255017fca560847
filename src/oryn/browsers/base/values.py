"""The values that go between the engine and a browser."""

from __future__ import annotations

from typing import Literal

from oryn.records import Record, field

MouseButton = Literal["left", "right", "middle"]
LoadState = Literal["commit", "ready", "load", "idle"]
DialogKind = Literal["alert", "confirm", "prompt", "beforeunload"]
DialogPolicy = Literal["accept", "dismiss", "off"]
DownloadState = Literal["running", "finished", "failed"]
ImageFormat = Literal["png", "jpeg", "webp"]


class Rect(Record):
    x: float
    y: float
    width: float
    height: float

    def within(self, other: Rect) -> Rect:
        """What both share; its sides may be 0."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Rect(left, top, max(0.0, right - left), max(0.0, bottom - top))

    def moved(self, x: float, y: float) -> Rect:
        return Rect(self.x + x, self.y + y, self.width, self.height)


class Frame(Record):
    """One frame of a page. `id` is the backend's own; `level` 0 is the top one."""

    id: str
    parent: str | None
    url: str
    name: str
    level: int


class Tab(Record):
    """A row of `tabs`. `number` is 1-based and stays with the tab until it closes."""

    number: int
    url: str
    title: str
    current: bool


class Dialog(Record):
    """A JavaScript dialog. `answer` says how it was closed, or None while it is open."""

    kind: DialogKind
    message: str
    default: str = ""
    answer: Literal["accepted", "dismissed"] | None = None


class Download(Record):
    """A file that a page gave. `filename` is the page's word for it, never a path."""

    filename: str
    url: str
    size: int | None = None
    """Bytes: what the server announces, then what came; None where nobody knows."""
    id: str = ""
    received: int = 0
    state: DownloadState = "running"
    path: str | None = None
    """Where the finished file lies."""
    reason: str | None = None
    """Why it failed."""


class Navigation(Record):
    """How a navigation ended.

    `status` is the HTTP status of the final response (None where there is none: `about:`, `data:`, same-document).
    `redirects` are the URLs passed through before `url`. `download` is set when the response was a file instead of a
    page, and the page stayed where it was.
    """

    url: str
    status: int | None = None
    status_text: str = ""
    redirects: tuple[str, ...] = ()
    same_document: bool = False
    download: Download | None = None


class Happened(Record, frozen=False):
    """What a page did since a mark: what an action started, once it has settled."""

    navigation: Navigation | None = None
    failed_load: str | None = None
    """Why a navigation that the action started did not end in a page (`net::ERR_NAME_NOT_RESOLVED`), or None."""
    dialogs: list[Dialog] = field(factory=list)
    """Dialogs that opened, also those that the policy answered at once."""
    tabs: list[Tab] = field(factory=list)
    downloads: list[Download] = field(factory=list)
    file_chooser: bool = False
    closed: bool = False
    """The tab closed itself; `Browser.page` is another one now."""
    busy: str | None = None
    """Why the page was not yet quiet when waiting ended (`2 requests in flight`), or None."""


class Mark(Record):
    """A moment in a page's life, made by `Page.mark` and handed to `Page.settle`."""

    serial: int


class FileChooser(Record):
    """What a page wants chosen. `id` is the backend's own, empty where the page asked without a field."""

    id: str
    multiple: bool
    accept: str = ""
    """https://html.spec.whatwg.org/multipage/input.html#attr-input-accept"""


class Cookie(Record):
    name: str
    value: str
    domain: str = ""
    path: str = "/"
    expires: float | None = None
    """Unix time in seconds, or None for a session cookie."""
    secure: bool = False
    http_only: bool = False
    same_site: Literal["Strict", "Lax", "None"] | None = None
    priority: Literal["Low", "Medium", "High"] | None = None
    source_scheme: Literal["Unset", "NonSecure", "Secure"] | None = None
    """Whether the connection that it was set over was private; None is as `secure` says."""
    source_port: int | None = None
    partition: tuple[str, bool] | None = None
    """For a cookie that a page keeps apart for those embedded in it (CHIPS): the site of that page, and whether a frame
    of another site lies between."""


class Place(Record):
    """Where a browser lives."""

    profile: str | None = None
    """The name of the profile that it keeps its cookies and storage in; None where nothing is kept."""
    endpoint: str | None = None
    """The DevTools address at which others can attach to it, or at which it was `attached` to, without keys in it."""
    attached: bool = False
    headful: bool = False
    here: bool = True
    """It runs on this computer and sees its files."""
