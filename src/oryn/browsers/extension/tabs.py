"""The tabs of the user's browser: what follows each, and how they are opened, put in front and closed.

What a restart of the worker must not forget is in `storage.session`.
https://developer.chrome.com/docs/extensions/reference/api/tabs
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from oryn.browsers.extension.downloads import Downloads
from oryn.browsers.extension.known import Known, KnownTabs
from oryn.browsers.extension.listening import Events
from oryn.browsers.extension.page import ExtensionPage
from oryn.errors import NoActiveTab
from oryn.extension.bridge import ChromeFailed

if TYPE_CHECKING:
    from oryn.browsers.extension.acting import Owner
    from oryn.extension.bridge import Bridge

KEPT = "tabs"
"""In `storage.session`."""
PLATFORMS = {"mac": "darwin", "win": "win32"}
CLOSE_SECONDS = 5.0


class Tabs(KnownTabs):
    """All sessions of a browser share it."""

    def __init__(self, bridge: Bridge, scope: Callable[[], str], *, load_timeout: float = 30.0) -> None:
        super().__init__(scope)
        self._bridge = bridge
        self._load_timeout = load_timeout
        self._events = Events(bridge, self)
        self._pages: dict[int, ExtensionPage] = {}
        self._owners: set[Owner] = set()
        self._starting = asyncio.Lock()
        self._started = False
        self._creating = 0
        """Tabs that we have asked for."""
        self.downloads = Downloads(bridge, self._pages.values)
        self.platform = "linux"
        """The computer's, as `sys.platform` has it."""

    # --- from start to end ---

    async def start(self, owner: Owner | None = None) -> None:
        """Know which tabs there are, and follow them from now on. Costs nothing when it has been called before. The
        session of `owner` has begun."""
        if owner is not None:
            self._owners.add(owner)
        async with self._starting:
            if self._started:
                return
            about = await self._bridge.call("runtime.getPlatformInfo")
            self.platform = PLATFORMS.get(about["os"], "linux")
            if kept := (await self._bridge.call("storage.session.get", KEPT)).get(KEPT):
                self.reach.restore(kept)
            self._events.listen()
            self.downloads.listen()
            await self.ask()
            self._started = True

    async def ask(self) -> None:
        """Bring everything up to date: no event tells of a title that a page has just been given."""
        self.told(await self._bridge.call("tabs.query", {}))
        if self._window not in self._front:
            await self._ask_window()
        self.changed.notify()

    async def _ask_window(self) -> None:
        try:
            self._window = (await self._bridge.call("windows.getLastFocused"))["id"]
        except ChromeFailed:  # there is no window at all
            self._window = None
        if self._window not in self._front:
            self._window = next(iter(self._front), None)

    def keep(self) -> None:
        self._events.spawn(self._bridge.call("storage.session.set", {KEPT: self.reach.kept()}))

    # --- what follows them ---

    def page(self, tab: int) -> ExtensionPage:
        """What follows a tab, from the first time on that it is wanted."""
        if tab not in self._pages:
            page = self._pages[tab] = ExtensionPage(self._bridge, tab, self, self._load_timeout)
            page.frame_tree.top.url = super().url_of(tab)
        return self._pages[tab]

    def followed(self, tab: int) -> ExtensionPage | None:
        return self._pages.get(tab)

    def active_page(self) -> ExtensionPage:
        """Raises `NoActiveTab`."""
        if self.active_tab is None:
            raise NoActiveTab
        return self.page(self.active_tab)

    def url_of(self, tab: int) -> str:
        page = self._pages.get(tab)
        return page.url if page is not None and page.frame_tree.top.document else super().url_of(tab)

    async def let_go(self, owner: Owner) -> None:
        """The session of `owner` has ended: no debugger stays for it. After the last one every tab is the user's."""
        self._owners.discard(owner)
        if not self._owners:
            self.reach.release()
            self.keep()
        for page in list(self._pages.values()):
            if page.owner is owner:
                page.owner = None
                await page.debugger.detach()

    async def obey(self) -> None:
        """The settings may be others: debuggers that the user allows no more let go at once."""
        for page in list(self._pages.values()):
            if page.debugger.is_attached:
                await page.debugger.attend()

    # --- changing them ---

    @contextmanager
    def _doing(self) -> Iterator[None]:
        """What comes to the front meanwhile is our doing, and not the user's."""
        self._ours += 1
        try:
            yield
        finally:
            self._ours -= 1

    def leave(self, tab: int) -> None:
        """Commands may go on to reach a tab that is about to be active no more."""
        self.reach.left(tab)
        self.keep()

    async def create(self, url: str, *, active: bool, opener: int | None) -> int:
        """A new tab's id. It is followed from its first document on."""
        about: dict[str, Any] = {"url": url, "active": active}
        if opener is not None and opener in self._known:
            about |= {"windowId": self._known[opener].window, "openerTabId": opener}
        with self._doing():
            self._creating += 1
            try:
                made = await self._bridge.call("tabs.create", about)
            finally:
                self._creating -= 1
            tab: int = made["id"]
            self._known.setdefault(tab, Known.of(made)).opener = opener
            self.reach.opened(tab)
            self.number(tab)
            if active:
                self.activated(tab, made["windowId"])
        return tab

    async def replace(self, tab: int) -> int:
        """A new tab with nothing in it in the place of one that can't be used any more, number and all; its id."""
        known = self._known[tab]
        with self._doing():
            self._creating += 1
            try:
                about = {"url": "about:blank", "windowId": known.window, "index": known.index, "active": True}
                made = await self._bridge.call("tabs.create", about)
            finally:
                self._creating -= 1
            new: int = made["id"]
            self._known.setdefault(new, Known.of(made)).opener = known.opener
            self.reach.replaced(tab, new)
            self.reach.opened(new)
            self.activated(new, made["windowId"])
        self._events.spawn(self._bridge.call("tabs.remove", tab))
        return new

    async def open_from(self, source: int, url: str, *, active: bool) -> None:
        """Open a link of a page in a new tab, for a script may not. It stays behind while a command runs."""
        opener = self.page(source)
        opener.opening.note(opener.channel.moment, url)
        tab = await self.create(url, active=active and not opener.acting, opener=source)
        opener.opened.note(opener.channel.moment, self.page(tab))
        opener.channel.signal.notify()

    async def bring_to_front(self, tab: int) -> int | None:
        """Put a tab in front of its window; which one was there instead, or None. Raises `TabNotFound`."""
        window = self._known[tab].window if tab in self._known else None
        before = self._front.get(window) if window is not None else None
        if before == tab:
            return None
        with self._doing():
            try:
                about = await self._bridge.call("tabs.update", tab, {"active": True})
            except ChromeFailed:
                raise self.not_found() from None
            self.activated(tab, about["windowId"])
        return before

    async def activate(self, tab: int) -> None:
        """Put a tab in front, and its window. Raises `TabNotFound`."""
        await self.bring_to_front(tab)
        window = self._known[tab].window if tab in self._known else self._window
        if window != self._window:
            try:
                await self._bridge.call("windows.update", window, {"focused": True})
            except ChromeFailed:
                raise self.not_found() from None
            self._window = window

    async def close(self, tab: int) -> None:
        was_active = self.active_tab == tab
        await self._bridge.call("tabs.remove", tab)
        await self.changed.until(lambda: tab not in self._known, CLOSE_SECONDS)
        if was_active:
            await self.hand_on(tab, 0)

    async def hand_on(self, tab: int, timeout: float) -> None:
        """A session's tab has closed, or is about to: another becomes active."""
        await self.changed.until(lambda: tab not in self._known, timeout)
        heir = self.heirs.get(tab)
        if heir is not None and heir in self._known:
            await self.activate(heir)
        if self.active_tab is not None:
            await self.page(self.active_tab).attend()

    # --- what the browser tells ---

    def created(self, tab: dict[str, Any]) -> None:
        super().created(tab)
        if self._creating:
            self.page(tab["id"])  # its first document is about to come

    def removed(self, tab: int) -> None:
        super().removed(tab)
        if page := self._pages.pop(tab, None):
            page.gone()

    def opened(self, source: int, tab: int, url: str) -> None:
        """A page has opened a tab. While a command runs it stays behind, as in the other modes."""
        opener = self._pages.get(source)
        if opener is None:
            return
        self.reach.opened(tab)
        self.reach.left(source)
        if tab in self._known:
            self._known[tab].opener = source
        self.number(tab)
        opener.opening.note(opener.channel.moment, url)
        opener.opened.note(opener.channel.moment, self.page(tab))
        opener.channel.signal.notify()
        if opener.acting and (front := self.front_beside(source, tab)) is not None:
            self._events.spawn(self.activate(front))
