"""The values that are passed between the engine and a browser."""

from __future__ import annotations

from typing import Literal

from oryn.core.records import Record, field

MouseButton = Literal["left", "right", "middle"]
LoadState = Literal["commit", "ready", "load", "idle"]
DialogKind = Literal["alert", "confirm", "prompt", "beforeunload"]
DialogPolicy = Literal["accept", "dismiss", "off"]
DownloadState = Literal["running", "finished", "failed"]
ImageFormat = Literal["png", "jpeg", "webp"]

NO_CONTENT_STATUSES = (204, 205)
"""Of responses that leave the document as it is; RFC 9110, 15.3.5 and 15.3.6."""


class Rect(Record):
    """A rectangle, by its top-left corner and its size in CSS pixels."""

    x: float
    y: float
    width: float
    height: float

    def intersection(self, other: Rect) -> Rect:
        """The common part of both; its sides may be 0."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Rect(left, top, max(0.0, right - left), max(0.0, bottom - top))

    def translated(self, x: float, y: float) -> Rect:
        """The rectangle moved by `x` and `y`."""
        return Rect(self.x + x, self.y + y, self.width, self.height)


class FrameArea(Record):
    """Where a frame's viewport lies in another one, also if it is scaled, turned or zoomed there."""

    map: tuple[float, float, float, float, float, float]
    """`a` to `f`: the point (x, y) lies at (a x + c y + e, b x + d y + f)."""
    width: float
    """Of the frame's viewport, in its own pixels, as the height."""
    height: float

    def point_of(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the frame's viewport lies."""
        a, b, c, d, e, f = self.map
        return a * x + c * y + e, b * x + d * y + f

    def point_within(self, x: float, y: float) -> tuple[float, float] | None:
        """The point of the frame's viewport that lies at a point here; None if the frame is too narrow to have one."""
        a, b, c, d, e, f = self.map
        determinant = a * d - b * c
        if abs(determinant) < 1e-9:
            return None
        x, y = x - e, y - f
        return (d * x - c * y) / determinant, (a * y - b * x) / determinant

    def box_of(self, rect: Rect) -> Rect:
        """The box around what a rectangle of the frame's viewport takes up."""
        right, bottom = rect.x + rect.width, rect.y + rect.height
        corners = [self.point_of(x, y) for x in (rect.x, right) for y in (rect.y, bottom)]
        left, top = min(x for x, _ in corners), min(y for _, y in corners)
        return Rect(left, top, max(x for x, _ in corners) - left, max(y for _, y in corners) - top)

    def within(self, outer: FrameArea) -> FrameArea:
        """The same area in the surroundings of `outer`, in which it lies."""
        a, b, c, d, e, f = self.map
        oa, ob, oc, od, _, _ = outer.map
        map = (oa * a + oc * b, ob * a + od * b, oa * c + oc * d, ob * c + od * d, *outer.point_of(e, f))
        return FrameArea(map, self.width, self.height)


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
    own: bool = True
    """Whether the session has opened it; otherwise it is a person's or another session's."""


class Dialog(Record):
    """A JavaScript dialog. `answer` says how it was closed, or None while it is open."""

    kind: DialogKind
    message: str
    default: str = ""
    answer: Literal["accepted", "dismissed"] | None = None


class Download(Record):
    """A download. `filename` is the name that the page gives it, never a path."""

    filename: str
    url: str
    size: int | None = None
    """Bytes: the announced size, at the end the actual one; None if it is not known."""
    id: str = ""
    received: int = 0
    state: DownloadState = "running"
    path: str | None = None
    """The path of the finished file."""
    reason: str | None = None
    """Why it failed."""


class Navigation(Record):
    """How a navigation ended.

    `status` is the HTTP status of the final response (None without one: `about:`, `data:`, same-document).
    `redirects` are the URLs passed through before `url`. `download` is set when the response was a file instead of a
    page, and the page stayed where it was.
    """

    url: str
    status: int | None = None
    status_text: str = ""
    redirects: tuple[str, ...] = ()
    same_document: bool = False
    download: Download | None = None


class PageEffects(Record, frozen=False):
    """The effects of an action: what has happened in a page since a checkpoint, once it has settled."""

    navigation: Navigation | None = None
    failed_load: str | None = None
    """Why a navigation that the action has started did not load (`net::ERR_NAME_NOT_RESOLVED`), or None."""
    no_content: int | None = None
    """The status of a response without a document (`NO_CONTENT_STATUSES`) to a navigation that the action has started:
    the page stays as it is."""
    dialogs: list[Dialog] = field(factory=list)
    """Dialogs that have opened, also those that the policy has answered."""
    tabs: list[Tab] = field(factory=list)
    downloads: list[Download] = field(factory=list)
    file_chooser: bool = False
    closed: bool = False
    """The tab has closed itself; `Browser.page` is another one now."""
    busy: str | None = None
    """Why the page was not yet quiet when waiting ended (`2 requests in flight`), or None."""
    pending: bool | None = None
    """Whether scripts of the page have put something off since the action began; None if that can't be told."""


class Checkpoint(Record):
    """A moment in a page's life, created by `Page.checkpoint` for `Page.settle`."""

    serial: int


class FileChooser(Record):
    """A file chooser that a page has opened. `id` is the backend's own; empty if no field has opened it."""

    id: str
    multiple: bool
    accept: str = ""
    """https://html.spec.whatwg.org/multipage/input.html#attr-input-accept"""


class Cookie(Record):
    """A cookie. https://www.rfc-editor.org/rfc/rfc6265"""

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
    """Whether it was set over a secure connection; None is as `secure` says."""
    source_port: int | None = None
    partition: tuple[str, bool] | None = None
    """For a partitioned cookie (CHIPS): the site of the top page, and whether a frame of another site is in between."""


class BrowserInfo(Record):
    """Where a browser runs."""

    profile: str | None = None
    """The name of the profile that stores its cookies and data; None without one."""
    endpoint: str | None = None
    """The DevTools address at which others can attach to it, or Oryn has `attached` to it; without keys."""
    attached: bool = False
    headful: bool = False
    here: bool = True
    """Whether it runs on this computer and can read its files."""
