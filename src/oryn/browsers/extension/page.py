"""One tab of the user's browser: the parts that make it, and the contract of `browsers.base` on top of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import (
    Download,
    Frame,
    Happened,
    ImageFormat,
    LoadState,
    Mark,
    Navigation,
    Rect,
    Tab,
)
from oryn.browsers.common.error_page import ErrorPage
from oryn.browsers.common.happenings import Log
from oryn.browsers.common.settling import Settling
from oryn.browsers.extension import bare, geometry
from oryn.browsers.extension.acting import Owner
from oryn.browsers.extension.capture import Capture
from oryn.browsers.extension.channel import Channel
from oryn.browsers.extension.failures import require_access
from oryn.browsers.extension.followed import FollowedPage
from oryn.browsers.extension.frames import Node
from oryn.browsers.extension.moving import Moving
from oryn.browsers.extension.scanning import Scanning
from oryn.errors import CannotAccessPage, NotSupported, OrynError, TabNotFound, Timeout

if TYPE_CHECKING:
    from oryn.browsers.extension.tabs import Tabs
    from oryn.extension.bridge import Bridge


WAKE_SECONDS = 10.0
PING_SECONDS = 2.0


class ExtensionPage(FollowedPage):
    """One tab, by the browser's id of it. All sessions share it; `claim` says whose numbers its scanner has."""

    def __init__(self, bridge: Bridge, tab: int, tabs: Tabs, load_timeout: float) -> None:
        super().__init__(bridge, tab, tabs)
        self.scanning = Scanning(self.channel, self.frame_tree, self.debugger)
        self.moving = Moving(self.channel, self.frame_tree, self.navigations, self.requests, self.scanning)
        self.capture = Capture(self.channel, self.frame_tree, self.scanning, tabs)
        self.downloads: Log[Download] = Log()
        self.opening: Log[str] = Log()
        self.opened: Log[ExtensionPage] = Log()
        self.acting = False
        """What the page does now, a command has begun."""
        self._settling = Settling(self, load_timeout)
        self._claims = 0

    @property
    def tab(self) -> int:
        return self.channel.tab

    def gone(self) -> None:
        self.channel.fail(TabNotFound("the tab is closed", "Run 'tabs' to see which are open."))

    # --- a command begins ---

    def claim(self, owner: Owner) -> None:
        """`owner` gives the elements their numbers from now on; those that another session was told are void."""
        if owner is not self.owner:
            self.owner = owner
            self._claims += 1
            if self.debugger.debugged is not None:
                self.debugger.debugged.obey(owner.features)

    async def attend(self) -> None:
        """Bring up to date what no event has told. A page that the browser has put to sleep is woken."""
        if self.tabs.is_asleep(self.tab):
            await self.moving.reload(False, WAKE_SECONDS)
        await self.debugger.attend()
        if not self.frame_tree.top.document:
            await self._adopt()
        await self.frame_tree.refresh()

    async def responds(self) -> bool:
        """Whether the page's scripts run, or there are none of ours."""
        self.debugger.dialogs.dismiss()
        try:
            await self.channel.send(self.frame_tree.top, {"oryn": "ping"}, timeout=PING_SECONDS)
        except Timeout:
            return False
        except OrynError:
            return True
        return True

    async def _adopt(self) -> None:
        """The document was there before us: how far is it?"""
        await self.frame_tree.refresh()
        try:
            facts = await self.channel.send(self.frame_tree.top, {"oryn": "frame"}, timeout=2)
            self.navigations.adopt(facts["state"])
        except (OrynError, TypeError):  # nobody there; whatever is wrong, the command itself will meet it
            self.navigations.adopt("complete")

    # --- where it is ---

    @property
    def url(self) -> str:
        return self.frame_tree.top.url

    @property
    def document(self) -> str:
        return f"{self.frame_tree.top.loader}/{self._claims}"

    # --- what stands in the place of a page ---

    @property
    def error_page(self) -> str | None:
        return str(self.shown_instead()) if self.frame_tree.top.is_error_page else None

    def shown_instead(self) -> ErrorPage:
        attempt = self.navigations.attempt(self.frame_tree.top.loader)
        return ErrorPage() if attempt is None else ErrorPage(attempt.url, attempt.failed or "", attempt.status)

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
        return await self._scan(request, node, timeout)

    async def _scan(self, request: dict[str, Any], node: Node, timeout: float) -> dict[str, Any]:
        try:
            if node.is_error_page:
                raise CannotAccessPage  # no script of ours is there
            require_access(self.frame_tree.top.url, files=self.reads_files)
            return await self.scanning.run(request, node, timeout)
        except CannotAccessPage:
            if node.parent is not None:
                raise
            tab = await self.channel.call("tabs.get", self.tab, timeout=timeout)
            if node.is_error_page:
                return bare.answer_instead(self.shown_instead(), request, bare.page(node.url, tab))
            if node.url != bare.BLANK or (known := bare.answer(request, bare.page(node.url, tab))) is None:
                raise
            return known

    # --- frames ---

    def frames(self) -> list[Frame]:
        return self.frame_tree.all()

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame:
        self.channel.check()
        return await self.frame_tree.frame_of(element_id, frame)

    async def to_viewport(self, x: float, y: float, frame: Frame) -> tuple[float, float]:
        self.channel.check()
        # Comes into view here, where alone it is drawn.
        await geometry.to_viewport(self.frame_tree, x, y, frame)
        # The browser hands input to a frame of another process once it has drawn it: two frames from now it has.
        await self.scanner({"cmd": "settle", "timeout": 200}, frame, timeout=5)
        return await geometry.to_viewport(self.frame_tree, x, y, frame)

    # --- moving ---

    async def goto(
        self,
        url: str,
        *,
        headers: dict[str, str] | None = None,
        until: LoadState = "load",
        timeout: float = 30,
    ) -> Navigation:
        if headers:
            raise NotSupported
        require_access(url, files=self.reads_files)
        await self.debugger.told()
        return await self._moved(self.moving.goto(url, until, timeout))

    async def history(self, delta: int, *, timeout: float = 30) -> Navigation:
        await self.debugger.told()
        return await self._moved(self.moving.history(delta, timeout))

    async def reload(self, *, hard: bool = False, timeout: float = 30) -> Navigation:
        return await self._moved(self.moving.reload(hard, timeout))

    async def wait_for(self, state: LoadState, *, timeout: float = 30) -> None:
        await self.moving.wait_for(state, timeout)

    async def wait_for_navigation(self, *, timeout: float = 30) -> Navigation:
        return await self._moved(self.moving.wait_for_navigation(timeout))

    async def _moved(self, moving: Awaitable[Navigation]) -> Navigation:
        navigation = await moving
        await self.frame_tree.refresh()
        return navigation

    # --- what an action starts ---

    def mark(self) -> Mark:
        self.acting = True
        return self.channel.mark()

    async def settle(self, mark: Mark, *, limit: float = 3) -> Happened:
        try:
            return await self._settling.settle(mark, limit)
        finally:
            self.acting = False

    async def until_shown(self, blank: bool, timeout: float) -> None:
        await self.navigations.until_shown(blank, timeout)

    # --- what `Settling` looks at ---

    @property
    def life(self) -> Channel:
        return self.channel

    def opened_since(self, mark: Mark) -> list[ExtensionPage]:
        return self.opened.since(mark)

    def opened_tabs(self, mark: Mark) -> list[Tab]:
        return self.tabs.rows([page.tab for page in self.opened.since(mark)])

    async def run_settle(self, milliseconds: float) -> dict[str, Any]:
        request = {"cmd": "settle", "timeout": milliseconds}
        return await self._scan(request, self.frame_tree.top, milliseconds / 1000 + 1)

    async def closing(self) -> bool:
        return await self.scanning.closing()

    async def at_rest(self) -> None:
        await asyncio.gather(self.frame_tree.refresh(), self.scanning.refresh_soon(self.frame_tree.top))

    async def another_current(self, timeout: float) -> None:
        await self.tabs.hand_on(self.tab, timeout)

    async def ask_titles(self) -> None:
        await self.tabs.ask()

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
        if not self.frame_tree.top.is_error_page:
            self.require_access()
        return await self.capture.screenshot(format, full_page, clip, quality, timeout)

    async def frame_place(self, frame: Frame, *, timeout: float = 30) -> tuple[Rect, Rect]:
        self.channel.check()
        return await geometry.frame_place(self.frame_tree, frame, timeout)
