"""What the browser has told about its tabs: which is in front, which of them commands may reach (seed 000 §5.5, §5.7).

Kept by events, and asked nobody: looking costs no round trip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

from oryn.browsers.base import Tab
from oryn.browsers.common.signal import Signal
from oryn.browsers.extension.failures import is_restricted
from oryn.browsers.extension.reach import Reach
from oryn.errors import LastTab, TabNotFound
from oryn.records import Record

MOST_HEIRS = 32


class Known(Record, frozen=False):
    """What the browser says of a tab (https://developer.chrome.com/docs/extensions/reference/api/tabs#type-Tab)."""

    window: int
    index: int
    url: str
    title: str
    opener: int | None
    asleep: bool
    """The browser has put its page to sleep (discarded), to save memory."""

    @classmethod
    def of(cls, tab: dict[str, Any], opener: int | None = None) -> Self:
        url = tab.get("url") or tab.get("pendingUrl") or "about:blank"
        opener = tab.get("openerTabId") if opener is None else opener
        return cls(tab["windowId"], tab["index"], url, tab.get("title", ""), opener, tab.get("discarded", False))


class KnownTabs:
    """`scope` is the user's setting. `active`: the tab in front, and those that Oryn or a page under control opened;
    `all`: every tab that is not the browser's own."""

    def __init__(self, scope: Callable[[], str]) -> None:
        self._scope = scope
        self._known: dict[int, Known] = {}
        self._front: dict[int, int] = {}
        """The tab in front, of each window."""
        self._behind: dict[int, int] = {}
        """The tab that was in front before it."""
        self._window: int | None = None
        """The one that had the focus last."""
        self._ours = 0
        """What we have asked for that may put another tab in front."""
        self.heirs: dict[int, int | None] = {}
        """Who takes the place of the tabs that closed last."""
        self.reach = Reach()
        self.changed = Signal()

    def keep(self) -> None:
        """`reach` is another."""

    # --- looking ---

    @property
    def active_tab(self) -> int | None:
        """The browser's id of the active tab of the window that had the focus last."""
        return self._front.get(self._window) if self._window is not None else None

    @property
    def active(self) -> int | None:
        """Its number, where commands may reach it."""
        return None if self.active_tab is None else self.number_of(self.active_tab)

    def number_of(self, tab: int) -> int | None:
        """A tab's number; None for one that shows what no extension may see, and never showed anything else."""
        return None if self._is_strange(tab) else self.number(tab)

    def number(self, tab: int) -> int:
        is_new = not self.reach.has_number(tab)
        number = self.reach.number(tab)
        if is_new:
            self.keep()
        return number

    def everything(self) -> list[dict[str, Any]]:
        """All tabs, for their user to choose from: `id` is the browser's."""
        in_order = sorted(self._known.items(), key=lambda each: (each[1].window, each[1].index))
        return [
            {"id": tab, "title": known.title, "url": known.url, "active": tab == self.active_tab}
            for tab, known in in_order
        ]

    def front_beside(self, source: int, tab: int) -> int | None:
        """The tab that is in front in the window of `source`, as if `tab` had never come there."""
        window = self._known[source].window if source in self._known else None
        if window is None:
            return None
        front = self._front.get(window)
        return self._behind.get(window) if front == tab else front

    def is_open(self, tab: int) -> bool:
        """Whether the browser has a tab of this id."""
        return tab in self._known

    def take(self, tab: int) -> None:
        """Commands may reach this tab from now on, wherever it is: its user has said so."""
        self.reach.opened(tab)
        self.keep()

    def free(self, tab: int) -> None:
        """Commands are to reach it no more, unless for another reason."""
        self.reach.free(tab)
        self.keep()

    def has(self, number: int) -> bool:
        """Whether commands may reach a tab of this number."""
        return any(self.number(tab) == number for tab in self.within_reach())

    def reaches(self, tab: int) -> bool:
        """Whether commands may reach it now."""
        return self._is_within(tab, self._scope() == "all")

    def within_reach(self) -> list[int]:
        """The tabs that commands may reach, by their numbers."""
        in_order = sorted(self._known, key=lambda tab: (self._known[tab].window, self._known[tab].index))
        everything = self._scope() == "all"
        return sorted((tab for tab in in_order if self._is_within(tab, everything)), key=self.number)

    def _is_within(self, tab: int, everything: bool) -> bool:
        return (everything or tab in self.reach or tab == self.active_tab) and not self._is_strange(tab)

    def _is_strange(self, tab: int) -> bool:
        known = self._known.get(tab)
        return known is None or (is_restricted(known.url) and not self.reach.has_number(tab))

    def of_number(self, number: int) -> int:
        """Raises `TabNotFound`."""
        for tab in self.within_reach():
            if self.number(tab) == number:
                return tab
        raise self.not_found()

    def not_found(self) -> TabNotFound:
        numbers = ", ".join(str(self.number(tab)) for tab in self.within_reach())
        return TabNotFound("tab not found", f"Open tabs: {numbers}." if numbers else "No tab is open.")

    def closable(self, tab: int) -> int:
        """Raises `LastTab`."""
        if self.within_reach() == [tab]:
            raise LastTab("the last tab can't be closed", "It is the user's: 'goto about:blank' leaves its page.")
        return tab

    def rows(self, only: Iterable[int] | None = None, *, current: int | None = None) -> list[Tab]:
        """Rows of `tabs`: all that are within reach, or those of `only`."""
        wanted = None if only is None else set(only)
        return [
            Tab(self.number(tab), self.url_of(tab), self._known[tab].title, tab == current)
            for tab in self.within_reach()
            if wanted is None or tab in wanted
        ]

    def url_of(self, tab: int) -> str:
        return self._known[tab].url if tab in self._known else "about:blank"

    def is_asleep(self, tab: int) -> bool:
        return tab in self._known and self._known[tab].asleep

    def heir(self, tab: int) -> int | None:
        """Who takes the place of a tab when it closes: who opened it, else its neighbour among those under control."""
        known = self._known.get(tab)
        others = [other for other in self.within_reach() if other != tab and other in self.reach]
        if known is not None and known.opener in others:
            return known.opener
        number = self.reach.number(tab) if self.reach.has_number(tab) else 0
        return min(others, key=lambda other: (abs(self.number(other) - number), -self.number(other)), default=None)

    # --- what the browser tells ---

    def told(self, tabs: Iterable[dict[str, Any]]) -> None:
        """All tabs, as they are now."""
        tabs = list(tabs)
        before = self._known
        self._known = {tab["id"]: Known.of(tab, _opener(before.get(tab["id"]))) for tab in tabs}
        self._front = {tab["windowId"]: tab["id"] for tab in tabs if tab["active"]}
        for tab in before.keys() - self._known.keys():
            self.removed(tab)

    def created(self, tab: dict[str, Any]) -> None:
        self._known[tab["id"]] = Known.of(tab, _opener(self._known.get(tab["id"])))
        if tab["active"]:
            self.activated(tab["id"], tab["windowId"])
        self.changed.notify()

    def updated(self, tab: dict[str, Any]) -> None:
        if tab["id"] in self._known:
            self._known[tab["id"]] = Known.of(tab, self._known[tab["id"]].opener)
            self.changed.notify()

    def activated(self, tab: int, window: int) -> None:
        before = self._front.get(window)
        if before is not None and before != tab and not self._ours:
            self.reach.left_by_user(before)
            self.keep()
        if before is not None and before != tab:
            self._behind[window] = before
        self._front[window] = tab
        self._window = window if self._window is None else self._window
        self.changed.notify()

    def focused(self, window: int) -> None:
        if window in self._front:  # not one of the developer tools, nor none at all
            self._window = window
            self.changed.notify()

    def removed(self, tab: int) -> None:
        self.heirs[tab] = self.heir(tab)
        while len(self.heirs) > MOST_HEIRS:
            del self.heirs[next(iter(self.heirs))]
        self._known.pop(tab, None)
        self._front = {window: front for window, front in self._front.items() if front != tab}
        self.reach.forget(tab)
        self.keep()
        self.changed.notify()

    def replaced(self, old: int, new: int) -> None:
        """A tab has another id: the browser has put it to sleep."""
        self.reach.replaced(old, new)
        if old in self._known:
            self._known[new] = self._known[old].replace(asleep=True)
        self._front = {window: new if front == old else front for window, front in self._front.items()}
        self.removed(old)


def _opener(known: Known | None) -> int | None:
    return None if known is None else known.opener
