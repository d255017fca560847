"""The interface of a tab."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from oryn.browsers.base.input import Keyboard, Mouse
from oryn.browsers.base.types import (
    Checkpoint,
    Dialog,
    FileChooser,
    Frame,
    FrameArea,
    ImageFormat,
    LoadState,
    Navigation,
    PageEffects,
    Rect,
)
from oryn.errors import NotSupported

if TYPE_CHECKING:
    from oryn.browsers.base.page_tools import PageTools
    from oryn.browsers.base.recording import ByteWriter, PdfOptions, ScreencastCallback
    from oryn.scanner import Library
    from oryn.scanner.protocol import ScannerRequest, ScannerResponse


class Page:
    """One tab. See `browsers.base` for units and errors common to all methods."""

    has_trusted_urls: ClassVar[bool] = False
    """Whether `url` and the URLs of `frames` are the browser's own report, and a scanner request with `origin` gets to
    documents of that origin alone. False if scripts in the page's own world report and receive them: then a page may
    forge them, and read what is sent to it."""

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
        """Whether its renderer has died; `Browser.revive` replaces the tab. No round trip."""
        return False

    @property
    def error_page(self) -> str | None:
        """What did not load and why, if the browser shows an error page, or a warning such as about a certificate;
        else None. Such a page has no elements and takes neither input nor scripts: methods that need them raise
        `CannotAccessPage`. No round trip."""
        return None

    async def has_faulty_certificate(self, frame: Frame | None = None) -> bool | None:
        """Whether the document in `frame` (default: the top one) was loaded over a connection with an invalid
        certificate whose error was ignored; also for an error page. None if the browser does not report it."""
        return None

    # --- the scanner ---

    def roots(self, within: Frame | None = None) -> list[Frame]:
        """The frames that need a scanner of their own: the top frame (or `within`), then below it, in page order, each
        frame whose origin differs from its parent's, except those that show an error page. No round trip."""
        raise NotSupported

    async def scanner(
        self, request: ScannerRequest, frame: Frame | None = None, *, timeout: float = 30
    ) -> ScannerResponse:
        """One command of the scanner protocol (`oryn.scanner.protocol`), run in `frame` (default: the top frame).

        Returns the response object, `{"ok": true, "data": …}` or `{"ok": false, "code": …, "error": …}`. The commands
        `execute` and `wait_for` with `custom` run in the page's own world, all else in the isolated one. `scan`
        requests get the backend's hints about elements that only listen for clicks. Raises `Timeout`, `DialogOpen`,
        `PageCrashed`, `FrameNotFound` (the frame is gone), `NavigationError` (the document went away twice before it
        answered)."""
        raise NotSupported

    async def load_library(self, library: Library, frame: Frame | None = None, *, timeout: float = 30) -> None:
        """Load a library into the scanner's world of the document in `frame` (default: the top one), where
        the scanner may use what it defines and the page's scripts can't reach it.

        Raises `NotSupported` in a backend whose scanner has no world of its own, `FrameNotFound`."""
        raise NotSupported

    async def evaluate(self, expression: str, frame: Frame | None = None, *, timeout: float = 30) -> Any:
        """Run JavaScript in the page's own world, await a promise, and return the value as JSON data.

        Takes statements and expressions; the value is that of the last one. A value that JSON can't represent becomes a
        string that describes it. Raises `ScriptError` with the page's message."""
        raise NotSupported

    @property
    def tools(self) -> PageTools:
        """The tools that the page offers. There are none in a backend that can't see them."""
        from oryn.browsers.base.page_tools import PageTools

        return PageTools()

    # --- frames ---

    def frames(self) -> list[Frame]:
        """All frames in page order, the top one first."""
        raise NotSupported

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame:
        """The frame in the `<iframe>` that the scanner of `frame` has numbered `element_id`. Raises `FrameNotFound`."""
        raise NotSupported

    async def to_viewport(self, x: float, y: float, frame: Frame) -> tuple[float, float]:
        """A point of `frame`'s viewport as a point of the tab's. Scrolls the frame into view if it is outside.

        Raises `ElementNotInteractable` if the frame itself is covered there."""
        raise NotSupported

    # --- navigation ---

    async def goto(
        self,
        url: str,
        *,
        headers: dict[str, str] | None = None,
        until: LoadState = "load",
        timeout: float = 30,
    ) -> Navigation:
        """Navigate to `url`, and wait until its document has reached the state `until`. Raises `NavigationError` (with
        the reason), `Timeout` (the page stays as far as it has loaded)."""
        raise NotSupported

    async def history(self, delta: int, *, timeout: float = 30) -> Navigation:
        """Go back (-1) or forward (+1). Raises `NavigationError` if there is no such entry."""
        raise NotSupported

    async def reload(self, *, hard: bool = False, timeout: float = 30) -> Navigation:
        """Reload the page; `hard` bypasses the HTTP cache. Raises what `goto` raises."""
        raise NotSupported

    async def wait_for(self, state: LoadState, *, timeout: float = 30) -> None:
        """Wait until the current document has reached a state; `idle` is `load`, and no request in flight for 500
        ms."""
        raise NotSupported

    async def wait_for_navigation(self, *, timeout: float = 30) -> Navigation:
        """Wait for a navigation that is in progress or starts now, also within the document."""
        raise NotSupported

    # --- the effects of an action ---

    def checkpoint(self) -> Checkpoint:
        """A checkpoint of this moment. No round trip."""
        raise NotSupported

    async def path_listeners(
        self, element_id: int, frame: Frame | None = None, *, pressed: bool, timeout: float = 30
    ) -> str | None:
        """What listens to the events of an action on the element that the scanner of `frame` has numbered `element_id`:
        a text that is the same for the same listeners, empty if nothing but a style can react. None if that can't be
        told, as of elements on which an action has effects without a listener.

        pressed: the mouse presses there; else a value is entered. Never raises for what the page does."""
        return None

    async def settle(self, checkpoint: Checkpoint, *, limit: float = 3, unheard: bool = False) -> PageEffects:
        """Wait until the effects since `checkpoint` have ended: a navigation, requests in flight, mutations of the
        document. `unheard`: no script hears of the action, so that a page which has not changed is quiet.

        Never raises for what the page does. After `limit` seconds for requests and mutations it returns with `busy`
        set; a navigation may take up to the load timeout. Returns at once if a dialog is open or the tab has closed."""
        raise NotSupported

    def has_effects(self, checkpoint: Checkpoint) -> bool:
        """Whether something has begun since the checkpoint, besides mutations, that `settle` waits for or reports. No
        round trip."""
        raise NotSupported

    def awaits_message(self, checkpoint: Checkpoint) -> bool:
        """Whether the page has sent a message over a web socket since the checkpoint, and got none back over it yet. No
        round trip. Always false in a backend that can't see them."""
        return False

    def is_requesting(self) -> bool:
        """Whether requests that may change the page are in flight. No round trip."""
        return False

    # --- trusted input ---

    @property
    def trusted_input(self) -> bool:
        """Whether the last input was the browser's own. If that is impossible, the scanner dispatches synthetic events,
        which pages can recognise. No round trip; always true unless `Browser.is_external`."""
        return True

    def take_notices(self) -> list[str]:
        """Remove and return notices for the next answer about this page. No round trip; empty unless
        `Browser.is_external`."""
        return []

    @property
    def mouse(self) -> Mouse:
        """The tab's mouse."""
        raise NotSupported

    @property
    def keyboard(self) -> Keyboard:
        """The tab's keyboard."""
        raise NotSupported

    async def set_files(self, element_id: int, paths: Sequence[str], frame: Frame | None = None) -> None:
        """Choose files of this computer in the `<input type=file>` that the scanner of `frame` has numbered
        `element_id`."""
        raise NotSupported

    async def drop_files(self, x: float, y: float, paths: Sequence[str]) -> None:
        """Drop files of this computer at a point, like a drag from outside the browser."""
        raise NotSupported

    async def accepts_drop(self, element_id: int, frame: Frame | None = None) -> bool:
        """Whether the element, or an ancestor of it below the document's body, listens for drops."""
        raise NotSupported

    async def file_chooser(self, checkpoint: Checkpoint, *, timeout: float) -> FileChooser | None:
        """The last file chooser that the page has opened since a checkpoint, or opens within `timeout` seconds;
        choosers are never displayed. None if none opens, or a dialog opens instead."""
        raise NotSupported

    async def choose_files(self, chooser: FileChooser, paths: Sequence[str]) -> None:
        """Choose files. Raises `ElementStale` if the chooser's field has left the page."""
        raise NotSupported

    # --- capture ---

    async def screenshot(
        self,
        *,
        format: ImageFormat = "png",
        full_page: bool = False,
        clip: Rect | None = None,
        quality: int | None = None,
        scale: float = 1,
        timeout: float = 30,
    ) -> bytes:
        """The viewport, the whole page, or `clip` (in page coordinates). `quality` (1 to 100) is that of JPEG and WebP
        files; None leaves it to the browser. The picture is `scale` times as wide as the browser's own."""
        raise NotSupported

    @property
    def draws_larger(self) -> bool:
        """Whether a `scale` above 1 shows more than larger pixels. No round trip."""
        return False

    async def frame_area(self, frame: Frame, *, timeout: float = 30) -> tuple[FrameArea, Rect]:
        """`frame`'s viewport in the tab's, and the box of it that the frames around it do not clip. Scrolls nothing.
        Raises `FrameNotFound`."""
        raise NotSupported

    async def pdf(self, paper: PdfOptions, write: ByteWriter, *, timeout: float = 30) -> None:
        """Print the page with backgrounds as a PDF file, which `write` gets in pieces."""
        raise NotSupported

    @property
    def sends_pictures(self) -> bool:
        """Whether `start_screencast` is supported. No round trip."""
        return type(self).start_screencast is not Page.start_screencast

    async def start_screencast(self, show: ScreencastCallback, *, frames_per_second: float = 25) -> None:
        """Call `show` with a picture of the viewport now and after each change, about `frames_per_second` times a
        second at most. Several callbacks share the pictures, at the highest of their rates."""
        raise NotSupported

    async def stop_screencast(self, show: ScreencastCallback) -> None:
        """Stop calling `show`. Never raises."""
        raise NotSupported

    def timeout_hint(self) -> str | None:
        """A hint for a command that has timed out because the page does not answer, or None. No round trip."""
        return None

    # --- dialogs ---

    @property
    def dialog(self) -> Dialog | None:
        """The dialog that is open now, or None."""
        raise NotSupported

    def take_dialogs(self) -> list[Dialog]:
        """Remove and return the dialogs that have opened since the last call, in their present state. No round trip;
        always empty in a backend that leaves dialogs to the user."""
        return []

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Dialog:
        """Answer the open dialog, and return it. Raises `DialogNotPresent`."""
        raise NotSupported
