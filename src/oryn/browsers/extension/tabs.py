"""The tabs of the user's browser: their numbers, which one is active, which of them commands may reach (seed 000 §5.5).

Kept by events. What a restart of the worker must not forget (the numbers, who was opened by Oryn) is in
`storage.session`. https://developer.chrome.com/docs/extensions/reference/api/tabs
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Tab
from oryn.browsers.common.signal import Signal
from oryn.browsers.extension.downloads import Downloads
from oryn.browsers.extension.failures import is_restricted
from oryn.browsers.extension.input import PLATFORMS
from oryn.browsers.extension.listening import Events
from oryn.browsers.extension.page import ExtensionPage
from oryn.errors import LastTab, NoActiveTab, TabNotFound
from oryn.extension.bridge import ChromeFailed
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.browsers.extension.acting import Owner
    from oryn.extension.bridge import Bridge

KEPT = "tabs"
"""In `storage.session`."""


class Known(Record, frozen=False):
    """What the browser says of a tab."""

    window: int
    index: int
    url: str
    title: str
    opener: int | None


class Tabs:
    """All sessions of a browser share it. `scope` is the user's setting: `active` or `all`."""

    def __init__(self, bridge: Bridge, scope: Callable[[], str], *, load_timeout: float = 30.0) -> None:
        self._bridge = bridge
        self._scope = scope
        self._load_timeout = load_timeout
        self._events = Events(bridge, self)
        self._known: dict[int, Known] = {}
        self._numbers: dict[int, int] = {}
        self._next = 1
        self._opened: set[int] = set()
        """Tabs that Oryn or a page under control has opened."""
        self._left: set[int] = set()
        """Tabs that Oryn has put behind another: they are under control until their user comes and goes again."""
        self._front: dict[int, int] = {}
        """The active tab of each window."""
        self._window: int | None = None
        """The one that had the focus last."""
        self._pages: dict[int, ExtensionPage] = {}
        self.changed = Signal()
        self.platform = "linux"
        """The computer's, as `sys.platform` has it."""
        self.downloads = Downloads(bridge, self._pages.values)
        self._started = False
        self._creating = 0
        """Tabs that we have asked for."""
        self._changing = 0
        """What we have asked for that may put another tab in front."""

    # --- from start to end ---

    async def start(self) -> None:
        """Know which tabs there are, and follow them from now on. Costs nothing when it has been called before."""
        if self._started:
            return
        self._started = True
        about = await self._bridge.call("runtime.getPlatformInfo")
        self.platform = PLATFORMS.get(about["os"], "linux")
        kept = (await self._bridge.call("storage.session.get", KEPT)).get(KEPT) or {}
        self._numbers = {int(tab): number for tab, number in kept.get("numbers", {}).items()}
        self._opened, self._left = set(kept.get("opened", ())), set(kept.get("left", ()))
        self._next = kept.get("next", 1)
        self._events.listen()
        self.downloads.listen()
        await self.ask()

    async def ask(self) -> None:
        """Bring everything up to date: no event tells of a title that a page has just been given."""
        tabs = await self._bridge.call("tabs.query", {})
        self._known = {tab["id"]: _known(tab) for tab in tabs}
        self._front = {tab["windowId"]: tab["id"] for tab in tabs if tab["active"]}
        for tab in [tab for tab in self._pages if tab not in self._known]:
            self.removed(tab)
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

    # --- which there are ---

    @property
    def active_tab(self) -> int | None:
        """The browser's id of the active tab of the window that had the focus last."""
        return self._front.get(self._window) if self._window is not None else None

    @property
    def active(self) -> int | None:
        """Its number, where commands may reach it."""
        tab = self.active_tab
        return None if tab is None or self._is_strange(tab) else self.number(tab)

    def has(self, number: int) -> bool:
        """Whether commands may reach a tab of this number."""
        return any(self._numbers.get(tab) == number for tab in self.within_reach())

    def number(self, tab: int) -> int:
        """A tab's number, which stays with it until it closes."""
        if tab not in self._numbers:
            self._numbers[tab] = self._next
            self._next += 1
            self._keep()
        return self._numbers[tab]

    def within_reach(self) -> list[int]:
        """The tabs that commands may reach, by their numbers."""
        everything = self._scope() == "all"
        reached = [tab for tab in self._in_order() if self._is_within(tab, everything)]
        return sorted(reached, key=self.number)

    def _is_within(self, tab: int, everything: bool) -> bool:
        ours = tab in self._opened or tab in self._left or tab == self.active_tab
        return (everything or ours) and not self._is_strange(tab)

    def _is_strange(self, tab: int) -> bool:
        """Whether a tab shows what no extension may see, and never showed anything else since it was known."""
        return tab not in self._numbers and is_restricted(self._known[tab].url)

    def _in_order(self) -> list[int]:
        return sorted(self._known, key=lambda tab: (self._known[tab].window, self._known[tab].index))

    def of_number(self, number: int) -> int:
        """Raises `TabNotFound`."""
        for tab in self.within_reach():
            if self.number(tab) == number:
                return tab
        raise self._not_found()

    def _not_found(self) -> TabNotFound:
        known = ", ".join(str(self.number(tab)) for tab in self.within_reach())
        return TabNotFound("tab not found", f"Open tabs: {known}." if known else "No tab is open.")

    def closable(self, tab: int) -> int:
        """Raises `LastTab`."""
        if self.within_reach() == [tab]:
            raise LastTab("the last tab can't be closed", "It is the user's: 'goto about:blank' leaves its page.")
        return tab

    def rows(self, only: Iterable[int] | None = None, *, current: int | None = None) -> list[Tab]:
        """Rows of `tabs`: all that are within reach, or those of `only`."""
        wanted = None if only is None else set(only)
        return [
            Tab(self.number(tab), self._url(tab), self._known[tab].title, tab == current)
            for tab in self.within_reach()
            if wanted is None or tab in wanted
        ]

    def _url(self, tab: int) -> str:
        page = self._pages.get(tab)
        return page.url if page is not None and page.frame_tree.top.document else self._known[tab].url

    # --- their pages ---

    def page(self, tab: int) -> ExtensionPage:
        """What follows a tab, from the first time on that it is wanted."""
        if tab not in self._pages:
            page = self._pages[tab] = ExtensionPage(self._bridge, tab, self, self._load_timeout)
            known = self._known.get(tab)
            page.frame_tree.top.url = known.url if known and known.url else "about:blank"
        return self._pages[tab]

    def followed(self, tab: int) -> ExtensionPage | None:
        return self._pages.get(tab)

    def active_page(self) -> ExtensionPage:
        """Raises `NoActiveTab`."""
        if self.active_tab is None:
            raise NoActiveTab
        return self.page(self.active_tab)

    async def let_go(self, owner: Owner) -> None:
        """The session of `owner` has ended: no debugger stays for it."""
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

    def leave(self, tab: int) -> None:
        """Commands may go on to reach a tab that is active no more."""
        self._left.add(tab)
        self._keep()

    async def create(self, url: str, *, active: bool, opener: int | None) -> int:
        about: dict[str, Any] = {"url": url, "active": active}
        if opener is not None and opener in self._known:
            about |= {"windowId": self._known[opener].window, "openerTabId": opener}
        self._creating += 1
        self._changing += 1
        try:
            made = await self._bridge.call("tabs.create", about)
        finally:
            self._creating -= 1
            self._changing -= 1
        tab: int = made["id"]
        self._known.setdefault(tab, _known(made)).opener = opener
        self._opened.add(tab)
        self.number(tab)
        if active:
            self._activated(made["windowId"], tab)
        return tab

    async def open_from(self, source: int, url: str, *, active: bool) -> None:
        """Open a link of a page in a new tab, for a script may not. It stays behind while a command runs."""
        opener = self.page(source)
        opener.opening.note(opener.channel.moment, url)
        tab = await self.create(url, active=active and not opener.acting, opener=source)
        opener.opened.note(opener.channel.moment, self.page(tab))
        opener.channel.signal.notify()

    async def activate(self, tab: int) -> None:
        """Put a tab in front, and its window. Raises `TabNotFound`."""
        self._changing += 1
        try:
            about = await self._bridge.call("tabs.update", tab, {"active": True})
            if self._window != about["windowId"]:
                await self._bridge.call("windows.update", about["windowId"], {"focused": True})
        except ChromeFailed:
            raise self._not_found() from None
        finally:
            self._changing -= 1
        self._activated(about["windowId"], tab)

    async def close(self, tab: int) -> None:
        await self._bridge.call("tabs.remove", tab)
        await self.follow_up(tab, 5)

    async def follow_up(self, tab: int, timeout: float) -> None:
        """A tab is closing: its opener or its neighbour becomes active, where it was the active one."""
        was_active = self.active_tab == tab
        opener = self._known[tab].opener if tab in self._known else None
        number = self._numbers.get(tab, 0)
        await self.changed.until(lambda: tab not in self._known, timeout)
        if (heir := self._heir(number, opener)) is not None and (was_active or self.active_tab is None):
            await self.activate(heir)
        if self.active_tab is not None:
            await self.page(self.active_tab).attend()

    def _heir(self, number: int, opener: int | None) -> int | None:
        reached = self.within_reach()
        if opener in reached:
            return opener
        return min(reached, key=lambda tab: (abs(self.number(tab) - number), -self.number(tab)), default=None)

    # --- what `Events` tells ---

    def created(self, tab: dict[str, Any]) -> None:
        self._known[tab["id"]] = _known(tab)
        if self._creating:
            self.page(tab["id"])  # its first document is about to come
        if tab["active"]:
            self.activated(tab["id"], tab["windowId"])
        self.changed.notify()

    def updated(self, tab: dict[str, Any]) -> None:
        if tab["id"] in self._known:
            opener = self._known[tab["id"]].opener
            self._known[tab["id"]] = _known(tab)
            self._known[tab["id"]].opener = opener
            self.changed.notify()

    def activated(self, tab: int, window: int) -> None:
        before = self._front.get(window)
        if before is not None and before != tab and not self._changing:
            self._left.discard(before)
        self._activated(window, tab)
        self.changed.notify()

    def focused(self, window: int) -> None:
        if window in self._front:  # not one of the developer tools, nor none at all
            self._window = window
            self.changed.notify()

    def removed(self, tab: int) -> None:
        self._known.pop(tab, None)
        self._front = {window: front for window, front in self._front.items() if front != tab}
        self._opened.discard(tab)
        self._left.discard(tab)
        if self._numbers.pop(tab, None) is not None:
            self._keep()
        page = self._pages.pop(tab, None)
        self.changed.notify()
        if page is not None:
            page.gone()

    def opened(self, source: int, tab: int, url: str) -> None:
        """A page has opened a tab. While a command runs it stays behind, as in the other modes."""
        opener = self._pages.get(source)
        if opener is None:
            return
        self._opened.add(tab)
        self._left.add(source)
        if tab in self._known:
            self._known[tab].opener = source
        self.number(tab)
        page = self.page(tab)
        opener.opening.note(opener.channel.moment, url)
        opener.opened.note(opener.channel.moment, page)
        opener.channel.signal.notify()
        if opener.acting:
            opener.channel.tell("tabs.update", source, {"active": True})

    def replaced(self, old: int, new: int) -> None:
        """The browser has put a tab to sleep, and given it another id."""
        if old in self._numbers:
            self._numbers[new] = self._numbers[old]
        for group in (self._opened, self._left):
            if old in group:
                group.add(new)
        if old in self._known:
            self._known[new] = self._known[old]
        self._front = {window: new if front == old else front for window, front in self._front.items()}
        self.removed(old)

    def _activated(self, window: int, tab: int) -> None:
        self._front[window] = tab
        if self._window is None:
            self._window = window

    def _keep(self) -> None:
        kept = {"numbers": self._numbers, "next": self._next}
        kept |= {"opened": sorted(self._opened), "left": sorted(self._left)}
        self._events.spawn(self._bridge.call("storage.session.set", {KEPT: kept}))


def _known(tab: dict[str, Any]) -> Known:
    url = tab.get("url") or tab.get("pendingUrl") or "about:blank"
    return Known(tab["windowId"], tab["index"], url, tab.get("title", ""), tab.get("openerTabId"))
