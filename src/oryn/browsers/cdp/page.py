"""One tab of Chromium: the parts that make it, and the contract of `browsers.base` on top of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import (
    Dialog,
    Download,
    Frame,
    Happened,
    LoadState,
    Mark,
    Navigation,
    Tab,
)
from oryn.browsers.cdp import files, geometry, workers
from oryn.browsers.cdp.acting import ActingPage
from oryn.browsers.cdp.certificates import Certificates
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.frames import Frames, Node
from oryn.browsers.cdp.moving import Moving
from oryn.browsers.cdp.navigation import Navigations
from oryn.browsers.cdp.network import Requests
from oryn.browsers.cdp.traffic.log import KEEP_BODIES
from oryn.browsers.common.error_page import SHOWN, ErrorPage
from oryn.browsers.common.happenings import Log
from oryn.browsers.common.life import DocumentGone
from oryn.browsers.common.settling import Settling
from oryn.errors import PageCrashed

if TYPE_CHECKING:
    from oryn.browsers.cdp.tabs import Tabs
    from oryn.browsers.cdp.targets import PageSettings

# The frames in other processes, and workers.
_SUBFRAMES = {
    "autoAttach": True,
    "waitForDebuggerOnStart": True,
    "flatten": True,
    "filter": [{"type": "iframe"}, {"type": workers.TYPE}, {"exclude": True}],
}


class CdpPage(ActingPage):
    """One tab. Made when the browser attaches it; `closed` and `crashed` tabs stay so."""

    def __init__(self, session: Session, target_id: str, tabs: Tabs, settings: PageSettings) -> None:
        channel = Channel(session)
        super().__init__(channel, Frames(channel, target_id), settings, self)
        self.target_id = target_id
        self.title = ""
        self.tabs = tabs
        self.requests = Requests(self.channel, self.frame_tree)
        self._certificates = Certificates()
        self.navigations = Navigations(self.channel, self.frame_tree)
        self.downloads: Log[Download] = Log()
        self.opening: Log[str] = Log()
        """URLs of the tabs that this page asked for."""
        self.opened: Log[CdpPage] = Log()
        self._features = settings.features
        self.frame_tree.on_commit.append(settings.features.visits.visit)
        self._workers = workers.Workers(self, settings.features)
        self.moving = Moving(self.channel, self.frame_tree, self.navigations, self.requests)
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
        self._certificates.listen(session)
        self.dialogs.listen(session)
        session.on("Page.fileChooserOpened", lambda event: self.chooser_opened(session, event))
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
        for ended in self.channel.family(session):  # the browser tells of the outermost alone
            self.channel.sessions.remove(ended)
            for feature in self._features:
                feature.detach(self, ended)
            self.requests.session_ended(ended)
            self.frame_tree.session_ended(ended)
        session.connection.end_session(session, files.frame_gone())

    # --- where it is ---

    @property
    def url(self) -> str:
        return self.frame_tree.top.url

    @property
    def document(self) -> str:
        return self.frame_tree.top.loader or self.target_id

    async def has_faulty_certificate(self, frame: Frame | None = None) -> bool:
        node = self.frame_tree.node(frame)  # also while a dialog is open, which may be given a value
        if node.unreachable:
            return True
        return await self._certificates.is_faulty(node.url, self.channel.session, top=node.parent is None)

    @property
    def crashed(self) -> bool:
        return isinstance(self.channel.failure, PageCrashed)

    # --- what stands in the place of a page ---

    @property
    def error_page(self) -> str | None:
        top = self.frame_tree.top
        return str(self.shown_instead(top)) if top.is_error_page else None

    def shown_instead(self, node: Node) -> ErrorPage:
        attempt = self.navigations.attempt(node.loader) if node is self.frame_tree.top else None
        if attempt is None:
            return ErrorPage(node.unreachable)
        return ErrorPage(attempt.url, attempt.failed or "", attempt.status)

    # --- the scanner ---

    def roots(self, within: Frame | None = None) -> list[Frame]:
        return self.frame_tree.roots(within)

    async def scanner(
        self, request: dict[str, Any], frame: Frame | None = None, *, timeout: float = 30
    ) -> dict[str, Any]:
        self.channel.check()
        node = self.frame_tree.node(frame)
        if node.is_error_page and request.get("cmd") not in SHOWN:
            return await self._instead(request, node, timeout)
        match request.get("cmd"):
            case "execute":
                return await self.evaluation.execute(request, node, timeout)
            case "wait_for" if request.get("condition") == "custom":
                return await self.evaluation.wait_custom(request, node, timeout)
        try:
            found = await self.scanning.run(request, node, timeout)
        except DocumentGone as error:
            self.frame_tree.node(frame)  # where the whole frame has left, that is the error
            raise await self.moving.reason_of(error) from None
        if node.is_error_page and request["cmd"] not in SHOWN:  # it has come meanwhile
            return await self._instead(request, node, timeout)
        return found

    async def _instead(self, request: dict[str, Any], node: Node, timeout: float) -> dict[str, Any]:
        """What is answered of an error page. Raises `CannotAccessPage`."""
        page = await self.scanning.run({"cmd": "page"}, node, timeout)
        return self.shown_instead(node).answer(request, page["data"])

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
