"""One tab of Chromium: the parts that make it, and the contract of `browsers.base` on top of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import (
    Dialog,
    Download,
    FileChooser,
    Frame,
    Happened,
    ImageFormat,
    LoadState,
    Mark,
    MouseButton,
    Navigation,
    Page,
    Rect,
    Tab,
)
from oryn.browsers.cdp import capture, files, geometry, workers
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.dialogs import Dialogs
from oryn.browsers.cdp.evaluation import Evaluation
from oryn.browsers.cdp.frames import Frames
from oryn.browsers.cdp.input import Input
from oryn.browsers.cdp.moving import Moving
from oryn.browsers.cdp.navigation import Navigations
from oryn.browsers.cdp.network import Requests
from oryn.browsers.cdp.scanning import Scanning
from oryn.browsers.cdp.traffic.log import KEEP_BODIES
from oryn.browsers.common.happenings import Log
from oryn.browsers.common.settling import Settling
from oryn.errors import PageCrashed

if TYPE_CHECKING:
    from oryn.browsers.base.recording import Paper, Show, Write
    from oryn.browsers.cdp.recording.screencast import Screencast
    from oryn.browsers.cdp.tabs import Tabs
    from oryn.browsers.cdp.targets import PageSettings

# The frames in other processes, and workers.
_SUBFRAMES = {
    "autoAttach": True,
    "waitForDebuggerOnStart": True,
    "flatten": True,
    "filter": [{"type": "iframe"}, {"type": workers.TYPE}, {"exclude": True}],
}


class CdpPage(Page):
    """One tab. Made when the browser attaches it; `closed` and `crashed` tabs stay so."""

    def __init__(self, session: Session, target_id: str, tabs: Tabs, settings: PageSettings) -> None:
        self.target_id = target_id
        self.title = ""
        self.tabs = tabs
        self.channel = Channel(session)
        self.frame_tree = Frames(self.channel, target_id)
        self.requests = Requests(self.channel, self.frame_tree)
        self.navigations = Navigations(self.channel, self.frame_tree)
        self.dialogs = Dialogs(self.channel, settings.policy)
        self.downloads: Log[Download] = Log()
        self.choosers: Log[files.Opened] = Log()
        self.opening: Log[str] = Log()
        """URLs of the tabs that this page asked for."""
        self.opened: Log[CdpPage] = Log()
        self._features = settings.features
        self.frame_tree.on_commit.append(settings.features.visits.visit)
        self._workers = workers.Workers(self, settings.features)
        self.scanning = Scanning(self.channel, self.frame_tree, settings.scripts)
        self.evaluation = Evaluation(self.channel)
        self.moving = Moving(self.channel, self.frame_tree, self.navigations, self.requests)
        self._input = Input(self.channel, lambda: settings.features.clipboard.pasting(self))
        self._screencast: Screencast | None = None
        self._settling = Settling(self, settings.load_timeout)
        self._prepare(session, settings.viewport)

    def _prepare(self, session: Session, viewport: tuple[int, int] | None) -> None:
        """Set up the tab in one go: nothing of it is waited for, and the page starts only after it."""
        self.navigations.listen(session)
        session.on("Inspector.targetCrashed", lambda _: self.channel.crashed())
        session.on("Page.windowOpen", lambda event: self.opening.note(self.channel.moment, event["url"]))
        # Before the parts of the session, one of which may have another size for it.
        if viewport is not None:
            width, height = viewport
            metrics = {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": False}
            session.send("Emulation.setDeviceMetricsOverride", metrics)
        self._listen(session)
        session.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
        session.send("Runtime.runIfWaitingForDebugger")

    def _listen(self, session: Session) -> None:
        """What the top session and those of frames in other processes have in common."""
        self.frame_tree.listen(session)
        self.requests.listen(session)
        self.dialogs.listen(session)
        session.on("Page.fileChooserOpened", lambda event: self._chooser_opened(session, event))
        session.on("Target.attachedToTarget", self._attached)
        session.on("Target.detachedFromTarget", self._detached)
        session.send("Page.enable")
        session.send("Page.getFrameTree").add_done_callback(lambda answer: self._adopt(session, answer))
        session.send("Page.setLifecycleEventsEnabled", {"enabled": True})
        session.send("Page.setInterceptFileChooserDialog", {"enabled": True})
        session.send("Network.enable", KEEP_BODIES)
        session.send("Runtime.enable")
        self.scanning.install(session)
        for feature in self._features:
            feature.attach(self, session)
        session.send("Target.setAutoAttach", _SUBFRAMES)

    def _chooser_opened(self, session: Session, event: dict[str, Any]) -> None:
        self.choosers.note(self.channel.moment, files.Opened(session, event["mode"], event.get("backendNodeId")))
        self.channel.signal.notify()

    def _adopt(self, session: Session, answer: asyncio.Future[dict[str, Any]]) -> None:
        if not answer.cancelled() and answer.exception() is None:
            self.frame_tree.adopt(session, answer.result()["frameTree"])

    def _attached(self, event: dict[str, Any]) -> None:
        if event["targetInfo"]["type"] == workers.TYPE:
            self._workers.attached(event)
            return
        session = self.channel.session.connection.session(event["sessionId"])
        self.channel.sessions.append(session)
        self.frame_tree.moved(event["targetInfo"]["targetId"], session)
        self._listen(session)
        session.send("Runtime.runIfWaitingForDebugger")

    def _detached(self, event: dict[str, Any]) -> None:
        self._workers.detached(event)
        session = next((one for one in self.channel.sessions if one.id == event["sessionId"]), None)
        if session is None or session is self.channel.session:
            return
        self.channel.sessions.remove(session)
        for feature in self._features:
            feature.detach(self, session)
        self.requests.session_ended(session)
        self.frame_tree.session_ended(session)
        session.connection.end_session(session, files.frame_gone())

    # --- where it is ---

    @property
    def url(self) -> str:
        return self.frame_tree.top.url

    @property
    def document(self) -> str:
        return self.frame_tree.top.loader or self.target_id

    @property
    def crashed(self) -> bool:
        return isinstance(self.channel.failure, PageCrashed)

    # --- the scanner ---

    def roots(self, within: Frame | None = None) -> list[Frame]:
        return self.frame_tree.roots(within)

    async def scanner(
        self, request: dict[str, Any], frame: Frame | None = None, *, timeout: float = 30
    ) -> dict[str, Any]:
        self.channel.check()
        node = self.frame_tree.node(frame)
        match request.get("cmd"):
            case "execute":
                return await self.evaluation.execute(request, node, timeout)
            case "wait_for" if request.get("condition") == "custom":
                return await self.evaluation.wait_custom(request, node, timeout)
        return await self.scanning.run(request, node, timeout)

    async def evaluate(self, expression: str, frame: Frame | None = None, *, timeout: float = 30) -> Any:
        self.channel.check()
        return await self.evaluation.evaluate(expression, self.frame_tree.node(frame), timeout)

    # --- frames ---

    def frames(self) -> list[Frame]:
        return self.frame_tree.all()

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame:
        self.channel.check()
        return await files.frame_of(self.channel, self.scanning, self.frame_tree, element_id, frame)

    async def to_viewport(self, x: float, y: float, frame: Frame) -> tuple[float, float]:
        self.channel.check()
        # Comes into view here, where alone it is drawn.
        await geometry.to_viewport(self.channel, self.frame_tree, x, y, frame)
        # The browser hands input to a frame of another process once it has drawn it: two frames from now it has.
        await self.scanner({"cmd": "settle", "timeout": 200}, frame, timeout=5)
        return await geometry.to_viewport(self.channel, self.frame_tree, x, y, frame)

    # --- moving ---

    async def goto(
        self,
        url: str,
        *,
        headers: dict[str, str] | None = None,
        until: LoadState = "load",
        timeout: float = 30,
    ) -> Navigation:
        if not headers:
            return await self.moving.goto(url, until, timeout)
        async with self._features.interception.during(self, url, headers):
            return await self.moving.goto(url, until, timeout)

    async def history(self, delta: int, *, timeout: float = 30) -> Navigation:
        return await self.moving.history(delta, timeout)

    async def reload(self, *, hard: bool = False, timeout: float = 30) -> Navigation:
        return await self.moving.reload(hard, timeout)

    async def wait_for(self, state: LoadState, *, timeout: float = 30) -> None:
        await self.moving.wait_for(state, timeout)

    async def wait_for_navigation(self, *, timeout: float = 30) -> Navigation:
        return await self.moving.wait_for_navigation(timeout)

    # --- what an action starts ---

    def mark(self) -> Mark:
        return self.channel.mark()

    async def settle(self, mark: Mark, *, limit: float = 3) -> Happened:
        return await self._settling.settle(mark, limit)

    async def until_shown(self, blank: bool, timeout: float) -> None:
        """Wait until a new tab has come to the document that it was opened for, or to `blank` if that is all it
        gets."""
        await self.navigations.until_shown(blank, timeout)

    # --- what `Settling` looks at ---

    @property
    def life(self) -> Channel:
        return self.channel

    def opened_since(self, mark: Mark) -> list[CdpPage]:
        return self.opened.since(mark)

    def opened_tabs(self, mark: Mark) -> list[Tab]:
        return self.tabs.rows(self.opened.since(mark))

    def dialogs_since(self, mark: Mark) -> list[Dialog]:
        return [opened.dialog for opened in self.dialogs.log.since(mark)]

    def wants_file(self, mark: Mark) -> bool:
        return any(not chooser.answered for chooser in self.choosers.since(mark))

    async def run_settle(self, milliseconds: float) -> dict[str, Any]:
        request = {"cmd": "settle", "timeout": milliseconds}
        return await self.scanning.run(request, self.frame_tree.top, milliseconds / 1000 + 1)

    async def closing(self) -> bool:
        return await self.scanning.closing()

    async def at_rest(self) -> None:
        await self.scanning.refresh_soon(self.frame_tree.top)

    async def another_current(self, timeout: float) -> None:
        await self.tabs.changed.until(lambda: self.tabs.current is not None, timeout)

    async def ask_titles(self) -> None:
        await self.tabs.ask_titles(self.channel.session.connection.root)

    # --- trusted input ---

    async def mouse_move(self, x: float, y: float) -> None:
        await self._input.move(x, y)

    async def mouse_click(
        self,
        x: float,
        y: float,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
    ) -> None:
        await self._input.click(x, y, button, count, modifiers)

    async def mouse_wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self._input.wheel(x, y, dx, dy)

    async def drag(self, x: float, y: float, aim: Callable[[], Awaitable[tuple[float, float]]]) -> None:
        from oryn.browsers.common.dragging import drag

        self.channel.check()
        await drag(self._input, (x, y), aim)

    async def press(self, keys: Sequence[str]) -> None:
        await self._input.press(keys)

    async def key_down(self, key: str) -> bool:
        return await self._input.key_down(key)

    async def key_up(self, keys: Sequence[str]) -> None:
        await self._input.key_up(keys)

    @property
    def held_keys(self) -> tuple[str, ...]:
        return self._input.held.names

    async def insert_text(self, text: str, *, delay: float = 0) -> None:
        await self._input.insert(text, delay)

    async def set_files(self, element_id: int, paths: Sequence[str], frame: Frame | None = None) -> None:
        self.channel.check()
        await files.set_files(self.channel, self.scanning, self.frame_tree.node(frame), element_id, paths)

    async def drop_files(self, x: float, y: float, paths: Sequence[str]) -> None:
        self.channel.check()
        await self._input.drop_files(x, y, paths)

    async def takes_drops(self, element_id: int, frame: Frame | None = None) -> bool:
        self.channel.check()
        return await files.takes_drops(self.channel, self.scanning, self.frame_tree.node(frame), element_id)

    async def file_chooser(self, mark: Mark, *, timeout: float) -> FileChooser | None:
        def over() -> bool:
            return bool(self.choosers.since(mark) or self.channel.failure or self.channel.blocked)

        await self.channel.signal.until(over, timeout)
        opened = self.choosers.since(mark)
        return await files.describe_chooser(self.channel, opened[-1]) if opened else None

    async def choose_files(self, chooser: FileChooser, paths: Sequence[str]) -> None:
        self.channel.check()
        everything = self.choosers.since(Mark(0))
        await files.choose(self.channel, next(one for one in everything if one.id == chooser.id), paths)

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
        self.channel.check()
        return await capture.screenshot(self.channel, format, full_page, clip, quality, timeout)

    async def frame_place(self, frame: Frame, *, timeout: float = 30) -> tuple[Rect, Rect]:
        self.channel.check()
        return await geometry.frame_place(self.channel, self.frame_tree, frame, timeout)

    async def pdf(self, paper: Paper, write: Write, *, timeout: float = 30) -> None:
        from oryn.browsers.cdp.recording.printing import print_page

        self.channel.check()
        await print_page(self.channel, paper, write, timeout)

    async def start_screencast(self, show: Show, *, frames_per_second: float = 25) -> None:
        from oryn.browsers.cdp.recording.screencast import Screencast

        self.channel.check()
        if self._screencast is None or self._screencast.has_ended:
            self._screencast = Screencast(self.channel.session)
        await self._screencast.start(show, frames_per_second)

    async def stop_screencast(self, show: Show) -> None:
        if self._screencast is not None:
            self._screencast.stop(show)

    # --- dialogs ---

    @property
    def dialog(self) -> Dialog | None:
        return self.dialogs.open

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Dialog:
        return await self.dialogs.answer(accept, text)
