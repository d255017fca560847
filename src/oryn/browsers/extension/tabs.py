"""The tabs of the user's browser: their pages, and how tabs are opened, activated and closed.

What must survive a restart of the worker is in `storage.session`.
https://developer.chrome.com/docs/extensions/reference/api/tabs"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from oryn.browsers.common.leases import TabLeases
from oryn.browsers.extension.bridge import ChromeFailed
from oryn.browsers.extension.downloads import ExtensionDownloads
from oryn.browsers.extension.event_router import EventRouter
from oryn.browsers.extension.page import ExtensionPage
from oryn.browsers.extension.tab_registry import RegisteredTab, TabRegistry
from oryn.core.listeners import Listeners
from oryn.errors import NoActiveTab

if TYPE_CHECKING:
    from oryn.browsers.extension.bridge import Bridge
    from oryn.browsers.extension.tab_protocols import TabOwner

STORAGE_KEY = "tabs"
"""In `storage.session`."""
PLATFORMS = {"mac": "darwin", "win": "win32"}
CLOSE_SECONDS = 5.0


class ExtensionTabs(TabRegistry):
    """The tabs and their pages. All sessions of a browser share them."""

    def __init__(self, bridge: Bridge, scope: Callable[[], str], *, load_timeout: float = 30.0) -> None:
        """`scope` is as in `TabRegistry`; `load_timeout` (seconds) limits a navigation that a command has started."""
        super().__init__(scope)
        self._bridge = bridge
        self._load_timeout = load_timeout
        self._events = EventRouter(bridge, self, self.get_page, self.on_opened)
        self._pages: dict[int, ExtensionPage] = {}
        self._owners: set[TabOwner] = set()
        self._starting = asyncio.Lock()
        self._started = False
        self._creating = 0
        """Tabs that are being created by `create` or `replace`."""
        self.leases = TabLeases()
        """Whose the tabs are, by the browser's ids."""
        self.downloads = ExtensionDownloads(bridge, self._pages.values)
        self.platform = "linux"
        """The computer's, as `sys.platform` has it."""
        self.busy: Callable[[], Collection[int]] = lambda: ()
        """Returns the numbers of the tabs in which commands run."""
        self.tool_changes: Listeners[[]] = Listeners()
        """Notified when the tools of a page that is followed may have come or gone."""

    # --- startup and shutdown ---

    async def start(self, owner: TabOwner | None = None) -> None:
        """List the tabs and follow them from now on. Costs nothing if it was called before. `owner` is the browser of
        a session that begins."""
        if owner is not None:
            self._owners.add(owner)
        async with self._starting:
            if self._started:
                return
            platform = await self._bridge.call("runtime.getPlatformInfo")
            self.platform = PLATFORMS.get(platform["os"], "linux")
            if stored := (await self._bridge.call("storage.session.get", STORAGE_KEY)).get(STORAGE_KEY):
                self.access.restore(stored)
            self._events.listen()
            self.downloads.listen()
            await self.refresh()
            self._started = True

    async def refresh(self) -> None:
        """Query the browser for its tabs: no event reports a title that has just changed."""
        self.replace_all(await self._bridge.call("tabs.query", {}))
        if self._window not in self._active_tabs:
            await self._refresh_focused_window()
        self.changed.notify()

    async def _refresh_focused_window(self) -> None:
        try:
            self._window = (await self._bridge.call("windows.getLastFocused"))["id"]
        except ChromeFailed:  # there is no window at all
            self._window = None
        if self._window not in self._active_tabs:
            self._window = next(iter(self._active_tabs), None)

    def save(self) -> None:
        self._events.spawn(self._bridge.call("storage.session.set", {STORAGE_KEY: self.access.to_json()}))

    # --- pages ---

    def page(self, tab: int) -> ExtensionPage:
        """The page of a tab, which is followed from the first call on."""
        if tab not in self._pages:
            page = self._pages[tab] = ExtensionPage(self._bridge, tab, self, self._load_timeout)
            page.frame_tree.top.show(super().url_of(tab))
            page.tools.subscribe(self.tool_changes.notify)
        return self._pages[tab]

    def get_page(self, tab: int) -> ExtensionPage | None:
        """The page of a tab that is followed, or None."""
        return self._pages.get(tab)

    def active_page(self) -> ExtensionPage:
        """Raises `NoActiveTab`."""
        if self.active_tab is None:
            raise NoActiveTab
        return self.page(self.active_tab)

    def url_of(self, tab: int) -> str:
        page = self._pages.get(tab)
        return page.url if page is not None and page.frame_tree.top.document else super().url_of(tab)

    async def release(self, owner: TabOwner) -> None:
        """Detach the debuggers of `owner`, whose session has ended. After the last session all access is revoked."""
        self._owners.discard(owner)
        if not self._owners:
            self.access.revoke_all()
            self.save()
        for page in list(self._pages.values()):
            if page.owner is owner:
                page.owner = None
                await page.debugger.detach()

    async def apply_settings(self) -> None:
        """The settings may have changed: detach debuggers that the user no longer allows at once."""
        for page in list(self._pages.values()):
            if page.debugger.is_attached:
                await page.debugger.update_attachment()

    def on_left(self) -> None:
        """Detach the debuggers of tabs that commands may no longer reach, so that nothing that a session has set
        reaches what their user does there. A command that still runs there is let end: call it again then."""
        busy = self.busy()
        for tab, page in self._pages.items():
            if page.debugger.is_attached and not self.is_accessible(tab) and self.access.number(tab) not in busy:
                self._events.spawn(page.debugger.update_attachment())

    # --- opening, activating and closing ---

    @contextmanager
    def _own_activation(self) -> Iterator[None]:
        """Marks activations in the block as Oryn's, not the user's."""
        self._own_activations += 1
        try:
            yield
        finally:
            self._own_activations -= 1

    def keep_access(self, tab: int) -> None:
        """Let commands still reach a tab that is about to be deactivated."""
        self.access.on_deactivated(tab)
        self.save()

    async def create(self, url: str, *, active: bool, opener: int | None) -> int:
        """Open a tab, next to `opener` if it has one; its id. It is followed from its first document on."""
        properties: dict[str, Any] = {"url": url, "active": active}
        if opener is not None and opener in self._tabs:
            properties |= {"windowId": self._tabs[opener].window, "openerTabId": opener}
        with self._own_activation():
            self._creating += 1
            try:
                created = await self._bridge.call("tabs.create", properties)
            finally:
                self._creating -= 1
            tab: int = created["id"]
            self._tabs.setdefault(tab, RegisteredTab.of(created)).opener = opener
            self.access.on_opened(tab)
            self.number(tab)
            if active:
                self.on_activated(tab, created["windowId"])
        return tab

    async def replace(self, tab: int) -> int:
        """Open a blank tab in the place of an unusable one, whose number it takes over; its id."""
        old = self._tabs[tab]
        with self._own_activation():
            self._creating += 1
            try:
                properties = {"url": "about:blank", "windowId": old.window, "index": old.index, "active": True}
                created = await self._bridge.call("tabs.create", properties)
            finally:
                self._creating -= 1
            new: int = created["id"]
            self._tabs.setdefault(new, RegisteredTab.of(created)).opener = old.opener
            self.access.on_replaced(tab, new)
            self.access.on_opened(new)
            self.on_activated(new, created["windowId"])
        self._events.spawn(self._bridge.call("tabs.remove", tab))
        return new

    async def bring_to_front(self, tab: int) -> int | None:
        """Activate a tab in its window; the id of the tab that was active before, or None. Raises `TabNotFound`."""
        window = self._tabs[tab].window if tab in self._tabs else None
        before = self._active_tabs.get(window) if window is not None else None
        if before == tab:
            return None
        with self._own_activation():
            try:
                updated = await self._bridge.call("tabs.update", tab, {"active": True})
            except ChromeFailed:
                raise self.not_found() from None
            self.on_activated(tab, updated["windowId"])
        return before

    async def activate(self, tab: int) -> None:
        """Activate a tab, and focus its window. Raises `TabNotFound`."""
        await self.bring_to_front(tab)
        window = self._tabs[tab].window if tab in self._tabs else self._window
        if window != self._window:
            try:
                await self._bridge.call("windows.update", window, {"focused": True})
            except ChromeFailed:
                raise self.not_found() from None
            self._window = window

    async def close(self, tab: int) -> None:
        """Close a tab, and activate another one if it was the active tab."""
        was_active = self.active_tab == tab
        await self._bridge.call("tabs.remove", tab)
        await self.changed.until(lambda: tab not in self._tabs, CLOSE_SECONDS)
        if was_active:
            await self.activate_successor(tab, 0)

    async def activate_successor(self, tab: int, timeout: float) -> None:
        """Wait up to `timeout` seconds until a session's tab has closed, and activate another one."""
        await self.changed.until(lambda: tab not in self._tabs, timeout)
        successor = self.successors.get(tab)
        if successor is not None and successor in self._tabs:
            await self.activate(successor)
        if self.active_tab is not None:
            await self.page(self.active_tab).before_command()

    # --- the browser's events ---

    def on_created(self, tab: dict[str, Any]) -> None:
        super().on_created(tab)
        if self._creating:
            self.page(tab["id"])  # its first document is about to come

    def on_removed(self, tab: int) -> None:
        super().on_removed(tab)
        self.leases.forget(tab)
        if page := self._pages.pop(tab, None):
            page.on_closed()

    def on_replaced(self, old: int, new: int) -> None:
        self.leases.rename(old, new)
        super().on_replaced(old, new)

    def on_opened(self, source: int, tab: int, url: str) -> None:
        """A page has opened a tab. While a command runs it stays in the background, as in the other modes."""
        opener = self._pages.get(source)
        if opener is None:
            return
        self.access.on_opened(tab)
        self.access.on_deactivated(source)
        if tab in self._tabs:
            self._tabs[tab].opener = source
        self.number(tab)
        opener.requested_tabs.record(opener.channel.moment, url)
        opener.opened_tabs.record(opener.channel.moment, self.page(tab))
        opener.channel.signal.notify()
        if opener.command_running and (front := self.active_tab_near(source, tab)) is not None:
            self._events.spawn(self.activate(front))
