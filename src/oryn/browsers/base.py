"""What a browser must offer to the engine, and nothing more.

A `Browser` is one session's browser with its tabs; a `Page` is one tab. Each method is implemented by a backend, or
left as it stands here, where it raises `NotSupported` (`not supported in this mode`). Standard library only: the engine
imports this module, also on Pyodide.

Times are seconds (`float`), lengths CSS pixels, points relative to the top-left corner of the tab's viewport. No method
may wait longer than its `timeout`; a page that hangs, loops or opens dialogs makes it raise `errors.Timeout` or
`errors.DialogOpen`, never block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from oryn.errors import NotSupported

MouseButton = Literal["left", "right", "middle"]
LoadState = Literal["commit", "ready", "load", "idle"]
DialogKind = Literal["alert", "confirm", "prompt", "beforeunload"]
DialogPolicy = Literal["accept", "dismiss", "off"]
ImageFormat = Literal["png", "jpeg", "webp"]


@dataclass(frozen=True, slots=True)
class Rect:
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a page. `id` is the backend's own; `level` 0 is the top one."""

    id: str
    parent: str | None
    url: str
    name: str
    level: int


@dataclass(frozen=True, slots=True)
class Tab:
    """A row of `tabs`. `number` is 1-based and stays with the tab until it closes."""

    number: int
    url: str
    title: str
    current: bool


@dataclass(frozen=True, slots=True)
class Dialog:
    """A JavaScript dialog. `answer` says how it was closed, or None while it is open."""

    kind: DialogKind
    message: str
    default: str = ""
    answer: Literal["accepted", "dismissed"] | None = None


@dataclass(frozen=True, slots=True)
class Download:
    filename: str
    url: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Navigation:
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


@dataclass(slots=True)
class Happened:
    """What a page did since a mark: what an action started, once it has settled."""

    navigation: Navigation | None = None
    failed_load: str | None = None
    """Why a navigation that the action started did not end in a page (`net::ERR_NAME_NOT_RESOLVED`), or None."""
    dialogs: list[Dialog] = field(default_factory=list)
    """Dialogs that opened, also those that the policy answered at once."""
    tabs: list[Tab] = field(default_factory=list)
    downloads: list[Download] = field(default_factory=list)
    file_chooser: bool = False
    closed: bool = False
    """The tab closed itself; `Browser.page` is another one now."""
    busy: str | None = None
    """Why the page was not yet quiet when waiting ended (`2 requests in flight`), or None."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment in a page's life, made by `Page.mark` and handed to `Page.settle`."""

    serial: int


@dataclass(frozen=True, slots=True)
class Cookie:
    name: str
    value: str
    domain: str = ""
    path: str = "/"
    expires: float | None = None
    """Unix time in seconds, or None for a session cookie."""
    secure: bool = False
    http_only: bool = False
    same_site: Literal["Strict", "Lax", "None"] | None = None


class Page:
    """One tab."""

    @property
    def url(self) -> str:
        """The URL of the top document as last committed; no round trip."""
        raise NotSupported

    @property
    def document(self) -> str:
        """A token of the top document: another one as soon as a new document has been committed (not for same-document
        navigations). No round trip; numbers of elements are valid for one token."""
        raise NotSupported

    # --- the scanner ---

    def roots(self, within: Frame | None = None) -> list[Frame]:
        """The frames whose documents no other scanner reaches: the top frame (or `within`), then below it, in page
        order, each frame whose origin differs from its parent's. No round trip."""
        raise NotSupported

    async def scanner(
        self, request: dict[str, Any], frame: Frame | None = None, *, timeout: float = 30
    ) -> dict[str, Any]:
        """One command of the scanner protocol (`oryn.scanner.protocol`), run in `frame` (default: the top frame).

        Returns the response object, `{"ok": true, "data": …}` or `{"ok": false, "code": …, "error": …}`. The commands
        `execute` and `wait_for` with `custom` run in the page's own world, all else in the isolated one. `scan`
        requests get the backend's hints of elements that only listen for clicks. Raises `Timeout`, `DialogOpen`,
        `PageCrashed`, `FrameNotFound` (the frame is gone), `NavigationError` (the document went away before it
        answered, twice)."""
        raise NotSupported

    async def evaluate(self, expression: str, frame: Frame | None = None, *, timeout: float = 30) -> Any:
        """Run JavaScript in the page's own world, await a promise, and return the value as JSON data.

        Statements work as well as expressions; the value is that of the last one. Values that JSON can't hold come back
        as a string that describes them. Raises `ScriptError` with the page's message."""
        raise NotSupported

    # --- frames ---

    def frames(self) -> list[Frame]:
        """All frames in page order, the top one first."""
        raise NotSupported

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame:
        """The frame that the `<iframe>` numbered `element_id` by the scanner of `frame` holds. Raises
        `FrameNotFound`."""
        raise NotSupported

    async def to_viewport(self, x: float, y: float, frame: Frame) -> tuple[float, float]:
        """A point of `frame`'s viewport as a point of the tab's. Scrolls the frame into view when it is outside.

        Raises `ElementNotInteractable` when the frame itself is covered there."""
        raise NotSupported

    # --- moving ---

    async def goto(
        self,
        url: str,
        *,
        headers: dict[str, str] | None = None,
        until: LoadState = "load",
        timeout: float = 30,
    ) -> Navigation:
        """Raises `NavigationError` (with the reason), `Timeout` (the page stays as far as it has come)."""
        raise NotSupported

    async def history(self, delta: int, *, timeout: float = 30) -> Navigation:
        """Back (-1) or forward (+1). Raises `NavigationError` when there is no such entry."""
        raise NotSupported

    async def reload(self, *, hard: bool = False, timeout: float = 30) -> Navigation:
        raise NotSupported

    async def wait_for(self, state: LoadState, *, timeout: float = 30) -> None:
        """Wait until the current document has come so far; `idle` is load and no request in flight for 500 ms."""
        raise NotSupported

    async def wait_for_navigation(self, *, timeout: float = 30) -> Navigation:
        """Wait for a navigation that is under way or starts now. Same-document ones count."""
        raise NotSupported

    # --- what an action starts ---

    def mark(self) -> Mark:
        """Remember this moment. No round trip."""
        raise NotSupported

    async def settle(self, mark: Mark, *, limit: float = 3) -> Happened:
        """Wait until what began since `mark` has ended: a navigation, requests in flight, mutations of the document.

        Never raises for what the page does; after `limit` (requests, mutations) it returns with `busy` set. A
        navigation may take up to the load timeout. Returns at once when a dialog is open or the tab closed."""
        raise NotSupported

    # --- trusted input ---

    async def mouse_move(self, x: float, y: float) -> None:
        raise NotSupported

    async def mouse_click(
        self,
        x: float,
        y: float,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
    ) -> None:
        """Move there, press, release. `modifiers` are key names (`control`, `shift`, `alt`, `meta`)."""
        raise NotSupported

    async def mouse_wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        raise NotSupported

    async def press(self, keys: Sequence[str]) -> None:
        """A key combination, keys named as the language names them: modifiers first, all pressed, then released."""
        raise NotSupported

    async def insert_text(self, text: str, *, delay: float = 0) -> None:
        """Type into what has the focus, character by character, with key events where a key makes the character."""
        raise NotSupported

    async def set_files(self, element_id: int, paths: Sequence[str], frame: Frame | None = None) -> None:
        raise NotSupported

    # --- capture ---

    async def screenshot(
        self,
        *,
        format: ImageFormat = "png",
        full_page: bool = False,
        clip: Rect | None = None,
        timeout: float = 30,
    ) -> bytes:
        """The viewport, the whole page, or `clip` (in page coordinates)."""
        raise NotSupported

    # --- dialogs ---

    @property
    def dialog(self) -> Dialog | None:
        """The dialog that is open now, or None."""
        raise NotSupported

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Dialog:
        """Raises `DialogNotPresent`."""
        raise NotSupported


class Browser:
    """One session's browser."""

    mode: ClassVar[str]
    """The name of the mode in answers: `headless`, `embedded`, `remote`."""

    @property
    def page(self) -> Page:
        """The current tab. Raises `BrowserFailed` when the browser is gone and can't be started again."""
        raise NotSupported

    async def start(self) -> None:
        """Start the browser unless it runs, or raise `BrowserNotFound`, `BrowserFailed`."""
        raise NotSupported

    async def revive(self) -> None:
        """Make `page` usable again after a crash of the tab or the browser, or when its renderer hangs. `goto` calls it
        first; it costs nothing when all is well."""
        raise NotSupported

    async def close(self) -> None:
        """End the browser and remove what it left behind. Safe to call twice."""
        raise NotSupported

    async def version(self) -> str:
        """`Chrome/156.0.8078.79`."""
        raise NotSupported

    # --- tabs ---

    async def tabs(self) -> list[Tab]:
        raise NotSupported

    async def new_tab(self, url: str, *, timeout: float = 30) -> Navigation:
        """Open a tab, make it current and go to `url`."""
        raise NotSupported

    async def switch_tab(self, number: int) -> None:
        """Raises `TabNotFound`."""
        raise NotSupported

    async def close_tab(self, number: int | None = None) -> None:
        """Close a tab (default: the current one); its opener or its neighbour becomes current. Raises `TabNotFound`,
        `LastTab`."""
        raise NotSupported

    # --- dialogs ---

    @property
    def dialog_policy(self) -> DialogPolicy | None:
        """None is the default: `alert` and `beforeunload` are accepted and reported, `confirm` and `prompt` wait."""
        raise NotSupported

    @dialog_policy.setter
    def dialog_policy(self, policy: DialogPolicy | None) -> None:
        raise NotSupported

    # --- cookies ---

    async def cookies(self, url: str | None = None) -> list[Cookie]:
        """All cookies of the session, or those that a request to `url` would carry."""
        raise NotSupported

    async def set_cookies(self, cookies: Sequence[Cookie]) -> None:
        raise NotSupported

    async def delete_cookies(self, cookies: Sequence[Cookie]) -> None:
        raise NotSupported

    async def clear_cookies(self) -> None:
        raise NotSupported
