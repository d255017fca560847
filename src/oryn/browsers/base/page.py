"""What one tab must offer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.values import (
    Dialog,
    FileChooser,
    Frame,
    Happened,
    ImageFormat,
    LoadState,
    Mark,
    MouseButton,
    Navigation,
    Rect,
)
from oryn.errors import NotSupported

if TYPE_CHECKING:
    from oryn.browsers.base.recording import Paper, Show, Write


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

    @property
    def crashed(self) -> bool:
        """Whether its renderer has died; `Browser.revive` puts another tab in its place. No round trip."""
        return False

    @property
    def error_page(self) -> str | None:
        """What did not load and why, where the browser shows a page of its own in its place: an error, or a warning
        such as of a server's certificate. That has no elements and takes neither input nor scripts: whatever would do
        something to it raises `CannotAccessPage`. No round trip."""
        return None

    async def has_faulty_certificate(self, frame: Frame | None = None) -> bool:
        """Whether the document in `frame` (default: the top one) came over a connection whose certificate is not valid,
        an error that somebody ignores; also of the browser's own error page. False where the browser tells nobody."""
        return False

    # --- the scanner ---

    def roots(self, within: Frame | None = None) -> list[Frame]:
        """The frames whose documents no other scanner reaches: the top frame (or `within`), then below it, in page
        order, each frame whose origin differs from its parent's, save those that show an error page. No round trip."""
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

    @property
    def trusted_input(self) -> bool:
        """Whether what was done last went through the browser's own input. Where that is impossible the scanner
        dispatches the events, and pages can tell. No round trip."""
        return True

    def take_news(self) -> list[str]:
        """What the next answer about this page is to note besides, once. No round trip."""
        return []

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

    async def drag(self, x: float, y: float, aim: Callable[[], Awaitable[tuple[float, float]]]) -> None:
        """Press the left button, begin to move, ask `aim` where to go (the page may show where something can be dropped
        only now), move there and let go. Whatever happens, also in `aim`, the button is up afterwards: what fails
        drops nothing."""
        raise NotSupported

    async def press(self, keys: Sequence[str]) -> None:
        """A key combination, keys named as the language names them: modifiers first, all pressed, then released."""
        raise NotSupported

    async def key_down(self, key: str) -> bool:
        """Press a key and keep it held for whatever input follows in this tab, also in its next documents. Whether it
        was up before."""
        raise NotSupported

    async def key_up(self, keys: Sequence[str]) -> None:
        """Let held keys go, in this order. Those that are not held are let be."""
        raise NotSupported

    @property
    def held_keys(self) -> tuple[str, ...]:
        """The keys that `key_down` holds, in the order in which they were pressed. No round trip."""
        raise NotSupported

    async def insert_text(self, text: str, *, delay: float = 0) -> None:
        """Type into what has the focus, character by character, with key events where a key makes the character."""
        raise NotSupported

    async def set_files(self, element_id: int, paths: Sequence[str], frame: Frame | None = None) -> None:
        raise NotSupported

    async def drop_files(self, x: float, y: float, paths: Sequence[str]) -> None:
        """Drop files of this computer at a point, as if dragged there from outside the browser."""
        raise NotSupported

    async def takes_drops(self, element_id: int, frame: Frame | None = None) -> bool:
        """Whether the element, or one around it below the document's body, listens for something to be dropped."""
        raise NotSupported

    async def file_chooser(self, mark: Mark, *, timeout: float) -> FileChooser | None:
        """The file chooser that the page has opened last since a mark, or opens within `timeout` seconds; choosers are
        never shown. None where none opens, or a dialog does instead."""
        raise NotSupported

    async def choose_files(self, chooser: FileChooser, paths: Sequence[str]) -> None:
        """Raises `ElementStale` when its field has left the page."""
        raise NotSupported

    # --- capture ---

    async def screenshot(
        self,
        *,
        format: ImageFormat = "png",
        full_page: bool = False,
        clip: Rect | None = None,
        quality: int | None = None,
        timeout: float = 30,
    ) -> bytes:
        """The viewport, the whole page, or `clip` (in page coordinates). `quality` (1 to 100) is that of JPEG and WebP
        files; None leaves it to the browser."""
        raise NotSupported

    async def frame_place(self, frame: Frame, *, timeout: float = 30) -> tuple[Rect, Rect]:
        """Where `frame`'s viewport lies in the tab's, and the part of it that the frames around it do not cut off.
        Nothing is scrolled. Raises `FrameNotFound`."""
        raise NotSupported

    async def pdf(self, paper: Paper, write: Write, *, timeout: float = 30) -> None:
        """Print the page, backgrounds included, and write the PDF file in pieces."""
        raise NotSupported

    async def start_screencast(self, show: Show, *, frames_per_second: float = 25) -> None:
        """Call `show` with a picture of the viewport, now and whenever it looks different, about so often at most.
        Several may be shown the same pictures, as often as the one who wants most of them."""
        raise NotSupported

    async def stop_screencast(self, show: Show) -> None:
        """No more pictures for `show`, if it gets any. Never raises."""
        raise NotSupported

    def late_hint(self) -> str | None:
        """What to do about a command that has run out of time, where the page itself keeps silent. No round trip."""
        return None

    # --- dialogs ---

    @property
    def dialog(self) -> Dialog | None:
        """The dialog that is open now, or None."""
        raise NotSupported

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Dialog:
        """Raises `DialogNotPresent`."""
        raise NotSupported
