"""The targets of one session: which tabs there are, from the moment they come until they go.

The browser attaches every new tab by itself and holds it until it is set up, so that nothing of it is missed.
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-setAutoAttach
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from oryn.browsers.base import DialogPolicy
from oryn.browsers.cdp.connection import Answer, Connection
from oryn.browsers.cdp.features import Features
from oryn.browsers.cdp.greeting import BLANK, ask_for_tab, attach_tabs
from oryn.browsers.cdp.page import CdpPage
from oryn.browsers.cdp.process import START_SECONDS
from oryn.browsers.cdp.scanning import Scripts
from oryn.browsers.cdp.tabs import Tabs
from oryn.errors import BrowserFailed, OrynError, TabLimit, TabNotFound
from oryn.records import Record, field

_GO_AGAIN = "Run 'goto' again."


class PageSettings(Record):
    """What every page of a browser is made with."""

    scripts: Scripts
    policy: Callable[[], DialogPolicy | None]
    viewport: tuple[int, int] | None
    """CSS pixels; None leaves it to the window."""
    load_timeout: float
    features: Features
    context: Mapping[str, str] = field(factory=dict)
    """What names the session's browser context in a command to the browser itself; empty for the default one."""
    adopt: Callable[[str, Targets], Awaitable[object]] | None = None
    """Makes a tab known as the session's where its context does not say so, by the tab's id."""
    most: int = 0
    """Tabs that there may be; 0 is no limit."""


class Targets:
    """Follows the tabs of one browser context and keeps `tabs` up to date; `Contexts` tells it of them."""

    def __init__(self, connection: Connection, tabs: Tabs, settings: PageSettings) -> None:
        self._connection = connection
        self._tabs = tabs
        self._settings = settings
        self._ended = False
        self._opening = 0
        """Tabs that we have asked for, not a page."""

    async def first(self, made: asyncio.Future[Answer] | None) -> None:
        """Wait until there is a tab: the one that is being `made`, or one that is open already, else a new one."""
        if made is not None:
            try:
                async with asyncio.timeout(START_SECONDS):
                    await made
            except TimeoutError:
                raise BrowserFailed("the browser did not open its first tab", _GO_AGAIN) from None
            attach_tabs(self._connection.root, hold=True)
            return
        # Those that are open have been attached by the time of an answer.
        await self._connection.root.call("Browser.getVersion", timeout=START_SECONDS)
        if self._tabs.current is None:
            await self.open()

    async def open_another(self) -> CdpPage:
        """The same as `open`, unless there are as many as there may be. Raises `TabLimit`, `BrowserFailed`."""
        if self._full:
            raise TabLimit(f"{len(self._tabs)} tabs are open already")
        return await self.open()

    async def open(self) -> CdpPage:
        """A new tab that shows nothing. Raises `BrowserFailed`."""
        blank = {**BLANK, **self._settings.context}
        self._opening += 1
        try:
            made = await self._connection.root.call("Target.createTarget", blank, timeout=START_SECONDS)
        finally:
            self._opening -= 1
        if self._settings.adopt is not None:
            await self._settings.adopt(made["targetId"], self)
        page = self._tabs.of_target(made["targetId"])
        if page is None:
            raise BrowserFailed("the browser did not attach its new tab", _GO_AGAIN)
        return page

    async def replace(self, page: CdpPage) -> None:
        """A new tab in the place of one that can't be used any more."""
        self._tabs.replace(page, await self.open())
        self.close(page)

    def close(self, page: CdpPage) -> None:
        self._connection.root.send("Target.closeTarget", {"targetId": page.target_id})

    @property
    def _full(self) -> bool:
        return 0 < self._settings.most <= len(self._tabs)

    @property
    def alive(self) -> bool:
        """Whether the browser that they are in runs."""
        return self._connection.closed is None

    def lost(self) -> None:
        """The browser is gone, and all tabs with it."""
        reason = self._connection.closed or BrowserFailed("the browser is gone")
        for page in self._tabs:
            page.channel.fail(reason)
        self._tabs.changed.notify()

    async def close_all(self, limit: float) -> None:
        """Close every tab, also those that still come; wait at most `limit` seconds, and no longer than the browser is
        there."""
        self._ended = True
        for page in list(self._tabs):
            self.close(page)
        await self._tabs.changed.until(lambda: not len(self._tabs) or not self.alive, limit)
        self.end()

    def end(self) -> None:
        """Follow the tabs no more: commands to them end, and nothing listens to them."""
        self._ended = True
        for page in list(self._tabs):
            self._gone(page, BrowserFailed("the session is closed"))

    # --- what `Contexts` tells ---

    def attached(self, event: dict[str, Any]) -> None:
        info = event["targetInfo"]
        if self._ended:
            self._connection.root.send("Target.closeTarget", {"targetId": info["targetId"]})
            return
        if self._full and not self._opening:
            self._refuse(info["targetId"], event["sessionId"])
            return
        session = self._connection.session(event["sessionId"])
        page = CdpPage(session, info["targetId"], self._tabs, self._settings)
        opener = self._tabs.of_target(info.get("openerId", ""))
        self._tabs.add(page, opener)
        if opener is not None:
            opener.opened.note(opener.channel.moment, page)
            opener.channel.signal.notify()

    def _refuse(self, target_id: str, session_id: str) -> None:
        """Close a tab that a page has opened beyond the limit: pages that do so in a loop would take the machine."""
        session = self._connection.session(session_id)
        session.send("Runtime.runIfWaitingForDebugger")  # as long as it is held, its opener takes no input
        self._connection.root.send("Target.closeTarget", {"targetId": target_id})
        self._connection.end_session(session, TabLimit("the tab is one too many"))

    def detached(self, session_id: str) -> None:
        page = next((page for page in self._tabs if page.channel.session.id == session_id), None)
        if page is None:
            return
        self._gone(page, TabNotFound("the tab is closed", "Run 'tabs' to see which are open."))
        if self._tabs.current is None and not self._ended and self._connection.closed is None:
            self._ask_for_tab()

    def _ask_for_tab(self) -> None:
        adopt, made = self._settings.adopt, ask_for_tab(self._connection.root, self._settings.context)
        if adopt is not None:
            made.add_done_callback(lambda tab: tab.exception() or adopt(tab.result()["targetId"], self))

    def _gone(self, page: CdpPage, reason: OrynError) -> None:
        """A tab is no more, and the frames in processes of their own that were in it neither."""
        self._tabs.remove(page)
        page.channel.fail(reason)
        for session in list(page.channel.sessions):
            for feature in self._settings.features:
                feature.detach(page, session)
            self._connection.end_session(session, reason)

    def changed(self, info: dict[str, Any]) -> None:
        if page := self._tabs.of_target(info["targetId"]):
            page.title = info["title"]
            for other in self._tabs:
                other.channel.signal.notify()
