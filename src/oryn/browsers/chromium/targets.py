"""Follows the tabs of one session, from the moment they are attached until they close.

The browser attaches every new tab by itself and pauses it until it is set up, so that no event of it is missed.
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-setAutoAttach"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from oryn.browsers.cdp.connection import CdpConnection
from oryn.browsers.chromium.bootstrap import BLANK, request_blank_tab, set_auto_attach
from oryn.browsers.chromium.page import CdpPage, CdpPageSettings
from oryn.browsers.chromium.tabs import CdpTabs
from oryn.browsers.common.protocol_session import Answer, answer_or_undo
from oryn.browsers.process.browser_process import START_SECONDS
from oryn.errors import BrowserFailed, OrynError, TabLimit, TabNotFound, Timeout

DRIVER_URL = "data:,"
"""What a browser shows that ChromeDriver has started, in place of a blank page."""
_RESTART_HINT = "Run 'goto' again."


class TabRouter(Protocol):
    """Attaches tabs in a context with tabs of others: `TargetRouter`."""

    def adopt(self, target_id: str, targets: CdpTargets) -> asyncio.Future[Answer]:
        """Attach a tab that a session has opened."""

    def attach(self, target_id: str, targets: CdpTargets) -> asyncio.Future[Answer]:
        """Attach a tab that it has not opened."""

    def is_open(self, target_id: str) -> bool: ...

    def hide(self, target_id: str) -> None:
        """List the tab in no session."""


class CdpTargets:
    """Follows the tabs of one browser context and keeps `tabs` up to date. `TargetRouter` passes on their events.

    context: the parameters that name the browser context in commands to the browser; empty for the default context.
    router: attaches the session's tabs. Needed only if the context holds tabs of others.
    max_tabs: tabs that may be open; 0 means no limit.

    In a context that the session shares with the browser's user (`CdpTabs.shared`) it may be without tabs, and lists
    those of others."""

    def __init__(
        self,
        connection: CdpConnection,
        tabs: CdpTabs,
        settings: CdpPageSettings,
        *,
        context: Mapping[str, str],
        router: TabRouter | None = None,
        max_tabs: int = 0,
    ) -> None:
        self._connection = connection
        self._tabs = tabs
        self._settings = settings
        self._context = context
        self._router = router
        self._max_tabs = max_tabs
        self._ended = False
        self._opening = 0
        """The number of tabs that we, and not a page, are opening."""
        self._creation_lock = asyncio.Lock()
        """Held while we create a tab or a hidden tab."""
        self._borrowed: set[str] = set()
        """Target ids of attached tabs that the session has not opened, or is attaching."""
        self._hidden_tab: asyncio.Future[Answer] | None = None
        """The answer to the last request for a hidden tab."""
        self._emptied: CdpPage | None = None
        """The tab that has shown `DRIVER_URL`, and is about to be blank."""
        self._held_back: list[dict[str, Any]] = []
        """Events of attached tabs that came before that answer."""

    async def wait_for_first(self, first_tab: asyncio.Future[Answer] | None) -> None:
        """Wait until a tab is open: the one whose answer is `first_tab`, or without it an existing or a new one.

        Raises `BrowserFailed`."""
        if first_tab is not None:
            try:
                async with asyncio.timeout(START_SECONDS):
                    await first_tab
            except TimeoutError:
                raise BrowserFailed("the browser did not open its first tab", _RESTART_HINT) from None
            set_auto_attach(self._connection.root, pause=True)
            return
        # Open tabs are attached before the browser answers a command.
        await self._connection.root.call("Browser.getVersion", timeout=START_SECONDS)
        if self._tabs.current is None and not self._tabs.shared:
            await self.open()
        if (page := self._emptied) is not None:
            tree = page.frame_tree
            await page.channel.signal.until(lambda: tree.is_initialized and page.url == BLANK["url"], START_SECONDS)

    async def open_within_limit(self) -> CdpPage:
        """Open a blank tab unless the limit is reached. Raises `TabLimit`, `BrowserFailed`."""
        if self._full:
            raise TabLimit(f"{len(self._tabs.own_pages())} tabs are open already")
        return await self.open()

    async def open(self) -> CdpPage:
        """Open a blank tab. Raises `BrowserFailed`."""
        blank = {**BLANK, **self._context, **({"background": True} if self._tabs.shared else {})}
        async with self._creation_lock:
            self._opening += 1
            try:
                created = await self._connection.root.call("Target.createTarget", blank, timeout=START_SECONDS)
            finally:
                self._opening -= 1
        if self._router is not None:
            await self._router.adopt(created["targetId"], self)
        page = self._tabs.of_target(created["targetId"])
        if page is None:
            raise BrowserFailed("the browser did not attach its new tab", _RESTART_HINT)
        return page

    async def open_hidden(self, context: str) -> str:
        """Open a blank tab that is none of the session's, in the browser context with the id `context`. Returns its
        target id. If the caller is cancelled, the tab is closed as soon as it is there.
        https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-createTarget (`hidden`)

        Chrome's headless shell knows no hidden tabs and reports it like the tab of a page, before it answers. Tabs
        without an opener are therefore held back until the answer tells which of them is the hidden one."""
        root = self._connection.root
        async with self._creation_lock:
            hidden = {**BLANK, "background": True, "hidden": True, "browserContextId": context}
            self._hidden_tab = answer = root.send("Target.createTarget", hidden)
            answer.add_done_callback(self._deliver_held_back)
            created = await answer_or_undo(answer, lambda tab: root.send("Target.closeTarget", tab))
        if self._router is not None:
            self._router.hide(created["targetId"])
        return str(created["targetId"])

    def _deliver_held_back(self, _: asyncio.Future[Answer]) -> None:
        held_back, self._held_back = self._held_back, []
        for event in held_back:
            if self._is_hidden(event["targetInfo"]):
                self._connection.release(event["sessionId"], TabNotFound("the tab is hidden"))
            else:
                self.on_attached(event)

    def _may_be_hidden(self, info: Mapping[str, Any]) -> bool:
        """Whether the answer that tells whether this tab is a hidden one has not come yet."""
        return self._hidden_tab is not None and not self._hidden_tab.done() and not info.get("openerId")

    def _is_hidden(self, info: Mapping[str, Any]) -> bool:
        answer = self._hidden_tab
        if answer is None or not answer.done() or answer.exception():
            return False
        return bool(answer.result()["targetId"] == info["targetId"])

    async def replace(self, page: CdpPage) -> None:
        """Put a new tab in the place of one that is no longer usable."""
        self._tabs.replace(page, await self.open())
        self.close(page)

    def close(self, page: CdpPage) -> None:
        self._connection.root.send("Target.closeTarget", {"targetId": page.target_id})

    # --- tabs that the session has not opened ---

    async def borrow(self, number: int) -> CdpPage:
        """Attach a listed tab that the session has not opened. Raises `TabNotFound`."""
        assert self._router is not None
        target_id = self._tabs.foreign[number].target_id
        self._borrowed.add(target_id)
        try:
            await self._router.attach(target_id, self)
        except OrynError:
            self._borrowed.discard(target_id)
            raise
        page = self._tabs.of_target(target_id)
        if page is None:
            raise TabNotFound(f"tab {number} is closed", "Run 'tabs' to see which are open.")
        return page

    def release(self, page: CdpPage) -> None:
        """Detach from a tab that the session has not opened, and leave it as it is."""
        session = page.channel.session
        self._borrowed.discard(page.target_id)
        self._tabs.give_back(page)
        if self._router is None or not self._router.is_open(page.target_id):
            self._tabs.forget_foreign(page.target_id)
        self._forget(page, TabNotFound("the session has left the tab", "Run 'tabs' to see which are open."))
        self._connection.root.send("Target.detachFromTarget", {"sessionId": session.id})

    async def close_foreign(self, number: int, limit: float) -> None:
        """Close a listed tab that the session has not opened, without attaching it. Waits at most `limit` seconds."""
        target_id = self._tabs.foreign[number].target_id
        await self._connection.root.call("Target.closeTarget", {"targetId": target_id}, timeout=limit)
        if not await self._tabs.changed.until(lambda: number not in self._tabs.foreign, limit):
            raise Timeout(
                f"tab {number} has not closed", "Its page may ask its user whether to leave it: answer there."
            )

    @property
    def _full(self) -> bool:
        return 0 < self._max_tabs <= len(self._tabs.own_pages())

    @property
    def alive(self) -> bool:
        """Whether the browser of the tabs is connected."""
        return self._connection.closed is None

    def on_lost(self) -> None:
        """Fail all tabs, because the browser is gone."""
        reason = self._connection.closed or BrowserFailed("the browser is gone")
        for page in self._tabs:
            page.channel.fail(reason)
        self._tabs.changed.notify()

    async def close_all(self, limit: float) -> None:
        """Close every tab, also tabs that are still opening. Waits at most `limit` seconds, and only while the browser
        is connected."""
        self._ended = True
        for page in list(self._tabs):
            if page.own:
                self.close(page)
            else:
                self.release(page)
        await self._tabs.changed.until(lambda: not len(self._tabs) or not self.alive, limit)
        self.end()

    def end(self) -> None:
        """Stop following the tabs: commands to them fail, and their events are ignored."""
        self._ended = True
        for page in list(self._tabs):
            self._remove(page, BrowserFailed("the session is closed"))

    # --- events, passed on by `TargetRouter` ---

    def on_attached(self, event: dict[str, Any]) -> None:
        info = event["targetInfo"]
        if self._ended:
            self._connection.root.send("Target.closeTarget", {"targetId": info["targetId"]})
            return
        if self._may_be_hidden(info):
            self._held_back.append(event)
            return
        if self._is_hidden(info):
            return  # whoever has opened it attaches it
        if self._tabs.of_target(info["targetId"]) is not None:  # it was attached already
            self._connection.release(event["sessionId"], TabNotFound("the tab is attached already"))
            return
        if self._full and not self._opening and info["targetId"] not in self._borrowed:
            self._refuse(info["targetId"], event["sessionId"])
            return
        session = self._connection.session(event["sessionId"])
        number = self._tabs.forget_foreign(info["targetId"])
        own = info["targetId"] not in self._borrowed
        if is_driver_page := own and info["url"] == DRIVER_URL and not info.get("openerId"):
            session.send("Page.navigate", BLANK)  # first, as it takes as long as the rest
        page = CdpPage(session, info["targetId"], self._tabs, self._settings, own=own)
        opener = self._tabs.of_target(info.get("openerId", "")) if own else None
        self._tabs.add(page, opener, number)
        if is_driver_page:
            self._emptied = page
        if opener is not None:
            opener.opened_tabs.record(opener.channel.moment, page)
            opener.channel.signal.notify()
            if opener.command_running and opener is self._tabs.current:
                self._tabs.bring_to_front(opener)

    def _refuse(self, target_id: str, session_id: str) -> None:
        """Close a tab that a page has opened beyond the limit, because a loop that opens tabs would exhaust memory."""
        session = self._connection.session(session_id)
        session.send("Runtime.runIfWaitingForDebugger")  # while it is paused, its opener takes no input
        self._connection.root.send("Target.closeTarget", {"targetId": target_id})
        self._connection.end_session(session, TabLimit("the tab is one too many"))

    def on_detached(self, session_id: str) -> None:
        page = next((page for page in self._tabs if page.channel.session.id == session_id), None)
        if page is None:
            return
        self._borrowed.discard(page.target_id)
        self._remove(page, TabNotFound("the tab is closed", "Run 'tabs' to see which are open."))
        if self._tabs.current is None and not self._tabs.shared and not self._ended and self._connection.closed is None:
            router, answer = self._router, request_blank_tab(self._connection.root, self._context)
            if router is not None:
                answer.add_done_callback(lambda tab: tab.exception() or router.adopt(tab.result()["targetId"], self))

    def _remove(self, page: CdpPage, reason: OrynError) -> None:
        """Remove a tab that is gone, with the frames of it in processes of their own."""
        self._tabs.remove(page)
        self._forget(page, reason)

    def _forget(self, page: CdpPage, reason: OrynError) -> None:
        page.channel.fail(reason)
        for session in list(page.channel.sessions):
            for feature in self._settings.features:
                feature.detach(page, session)
            self._connection.end_session(session, reason)

    def on_listed(self, info: dict[str, Any]) -> None:
        """A tab of the context that the session shares has opened or changed, whoever has opened it."""
        if self._tabs.of_target(info["targetId"]) is not None:
            self.on_changed(info)
        elif not self._ended:
            self._tabs.list_foreign(info)

    def on_unlisted(self, target_id: str) -> None:
        """A tab of the context has closed, or is none that a person sees."""
        self._tabs.forget_foreign(target_id)

    def on_changed(self, info: dict[str, Any]) -> None:
        if page := self._tabs.of_target(info["targetId"]):
            page.title = info["title"]
            for other in self._tabs:
                other.channel.signal.notify()
