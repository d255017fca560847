"""The registry of the browser's tabs, updated by events: which is active in its window, and which of them commands may
access (docs/spec/extension-protocol.md#commands). Reading it costs no round trip.

Tab numbers, and the access to tabs that are not active, survive a restart of the worker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Self

from oryn.browsers.base import Tab
from oryn.browsers.common.events import Signal
from oryn.browsers.extension.error_mapping import is_restricted
from oryn.core.records import Record
from oryn.errors import LastTab, TabNotFound


class TabAccess:
    """Numbers of tabs, and the tabs that commands may reach while they are not active; by the browser's ids."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._next = 1
        self._opened: set[int] = set()
        """Opened by Oryn, or by a controlled page."""
        self._deactivated: set[int] = set()
        """Deactivated by Oryn: accessible until the user activates and leaves them."""

    def __contains__(self, tab: int) -> bool:
        return tab in self._opened or tab in self._deactivated

    def has_number(self, tab: int) -> bool:
        """Whether a tab has a number."""
        return tab in self._numbers

    def number(self, tab: int) -> int:
        """A tab's number: 1 for the first tab that gets one. It stays with the tab and is never reused."""
        if tab not in self._numbers:
            self._numbers[tab] = self._next
            self._next += 1
        return self._numbers[tab]

    def on_opened(self, tab: int) -> None:
        """Grant access to a tab that Oryn or a controlled page has opened."""
        self._opened.add(tab)

    def on_deactivated(self, tab: int) -> None:
        """Grant access to a tab that Oryn has deactivated."""
        self._deactivated.add(tab)

    def deactivated_by_user(self, tab: int) -> None:
        """The user has left a tab: take back the access of `deactivated`."""
        self._deactivated.discard(tab)

    def revoke(self, tab: int) -> None:
        """Withdraw the access to a tab; its number stays."""
        self._opened.discard(tab)
        self._deactivated.discard(tab)

    def forget(self, tab: int) -> None:
        """A tab has closed."""
        self._numbers.pop(tab, None)
        self._opened.discard(tab)
        self._deactivated.discard(tab)

    def revoke_all(self) -> None:
        """Withdraw the access to all tabs. Numbers stay."""
        self._opened.clear()
        self._deactivated.clear()

    def on_replaced(self, old: int, new: int) -> None:
        """A tab has another id."""
        if old in self._numbers:
            self._numbers[new] = self._numbers[old]
        for group in (self._opened, self._deactivated):
            if old in group:
                group.add(new)
        self.forget(old)

    # --- saving over a restart of the worker ---

    def to_json(self) -> dict[str, Any]:
        """The complete state, as JSON data."""
        numbers = {str(tab): number for tab, number in self._numbers.items()}
        return {
            "numbers": numbers,
            "next": self._next,
            "opened": sorted(self._opened),
            "left": sorted(self._deactivated),
        }

    def restore(self, data: dict[str, Any]) -> None:
        """Restore the state from the result of `to_json`."""
        self._numbers = {int(tab): number for tab, number in data["numbers"].items()}
        self._next = data["next"]
        self._opened, self._deactivated = set(data["opened"]), set(data["left"])


MAX_SUCCESSORS = 32


_OWN_WINDOW = re.compile(r"[a-z]+-extension://[^/]+/(?:popup/note|hub/consent)\.html")
"""Pages that the extension opens in windows of their own."""


class RegisteredTab(Record, frozen=False):
    """A tab as the browser describes it (https://developer.chrome.com/docs/extensions/reference/api/tabs#type-Tab)."""

    window: int
    index: int
    url: str
    title: str
    opener: int | None
    discarded: bool
    """The browser has discarded its page, to save memory."""

    @classmethod
    def of(cls, tab: dict[str, Any], opener: int | None = None) -> Self:
        """The entry for a tab of the browser's."""
        url = tab.get("url") or tab.get("pendingUrl") or "about:blank"
        opener = tab.get("openerTabId") if opener is None else opener
        return cls(tab["windowId"], tab["index"], url, tab.get("title", ""), opener, tab.get("discarded", False))


class TabRegistry:
    """The tabs of a browser, their order, and which of them commands may reach."""

    def __init__(self, scope: Callable[[], str]) -> None:
        """`scope` is the user's setting. `active`: the active tab, and those that Oryn or a controlled page opened;
        `all`: every tab that does not show a page of the browser's own."""
        self._scope = scope
        self._tabs: dict[int, RegisteredTab] = {}
        self._active_tabs: dict[int, int] = {}
        """The active tab of each window."""
        self._previous_tabs: dict[int, int] = {}
        """The tab of each window that was active before."""
        self._window: int | None = None
        """The window that had the focus last."""
        self._own_activations = 0
        """Calls in progress that activate a tab."""
        self.successors: dict[int, int | None] = {}
        """The tabs to activate in place of those that closed last."""
        self.access = TabAccess()
        self.changed = Signal()

    def save(self) -> None:
        """Called after `access` has changed."""

    def on_left(self) -> None:
        """Called after the user has left a tab, or has taken back the access to one."""

    # --- queries ---

    @property
    def active_tab(self) -> int | None:
        """The browser's id of the active tab of the window that had the focus last."""
        return self._active_tabs.get(self._window) if self._window is not None else None

    @property
    def active(self) -> int | None:
        """The number of the active tab, or None if commands may not reach it."""
        return None if self.active_tab is None else self.number_of(self.active_tab)

    def number_of(self, tab: int) -> int | None:
        """A tab's number; None if it has only shown pages that no extension may access."""
        return None if self._is_hidden(tab) else self.number(tab)

    def number(self, tab: int) -> int:
        """A tab's number, which it gets if it has none."""
        is_new = not self.access.has_number(tab)
        number = self.access.number(tab)
        if is_new:
            self.save()
        return number

    def list_all(self) -> list[dict[str, Any]]:
        """All tabs, for the user to choose from: `id` is the browser's."""
        in_order = sorted(self._tabs.items(), key=lambda each: (each[1].window, each[1].index))
        return [
            {"id": tab, "title": entry.title, "url": entry.url, "active": tab == self.active_tab}
            for tab, entry in in_order
        ]

    def active_tab_near(self, source: int, tab: int) -> int | None:
        """The active tab in the window of `source`, or if that is `tab`, the one that was active before."""
        window = self._tabs[source].window if source in self._tabs else None
        if window is None:
            return None
        front = self._active_tabs.get(window)
        return self._previous_tabs.get(window) if front == tab else front

    def is_open(self, tab: int) -> bool:
        """Whether the browser has a tab of this id."""
        return tab in self._tabs

    def grant_access(self, tab: int) -> None:
        """Let commands reach a tab, active or not: its user has chosen it."""
        self.access.on_opened(tab)
        self.save()

    def revoke_access(self, tab: int) -> None:
        """Take back `grant_access`. Commands may still reach the tab for another reason."""
        self.access.revoke(tab)
        self.save()
        self.on_left()

    def has(self, number: int) -> bool:
        """Whether commands may reach a tab of this number."""
        return any(self.number(tab) == number for tab in self.accessible_tabs())

    def is_accessible(self, tab: int) -> bool:
        """Whether commands may reach a tab now."""
        return self._is_accessible(tab, self._scope() == "all")

    def accessible_tabs(self) -> list[int]:
        """The tabs that commands may reach, by their numbers."""
        in_order = sorted(self._tabs, key=lambda tab: (self._tabs[tab].window, self._tabs[tab].index))
        everything = self._scope() == "all"
        return sorted((tab for tab in in_order if self._is_accessible(tab, everything)), key=self.number)

    def _is_accessible(self, tab: int, everything: bool) -> bool:
        return (everything or tab in self.access or tab == self.active_tab) and not self._is_hidden(tab)

    def _is_hidden(self, tab: int) -> bool:
        entry = self._tabs.get(tab)
        return entry is None or (is_restricted(entry.url) and not self.access.has_number(tab))

    def tab_of_number(self, number: int) -> int:
        """Raises `TabNotFound`."""
        for tab in self.accessible_tabs():
            if self.number(tab) == number:
                return tab
        raise self.not_found()

    def not_found(self) -> TabNotFound:
        """The error for an unknown number, with the numbers of the accessible tabs."""
        numbers = ", ".join(str(self.number(tab)) for tab in self.accessible_tabs())
        return TabNotFound("tab not found", f"Open tabs: {numbers}." if numbers else "No tab is open.")

    def closable(self, tab: int) -> int:
        """Raises `LastTab`."""
        if self.accessible_tabs() == [tab]:
            raise LastTab("the last tab can't be closed", "It is the user's: 'goto about:blank' leaves its page.")
        return tab

    def rows(self, only: Iterable[int] | None = None, *, current: int | None = None) -> list[Tab]:
        """Rows of `tabs`: all that commands may reach, or those of `only`."""
        wanted = None if only is None else set(only)
        return [
            Tab(self.number(tab), self.url_of(tab), self._tabs[tab].title, tab == current)
            for tab in self.accessible_tabs()
            if wanted is None or tab in wanted
        ]

    def url_of(self, tab: int) -> str:
        """The URL of a tab."""
        return self._tabs[tab].url if tab in self._tabs else "about:blank"

    def is_discarded(self, tab: int) -> bool:
        """Whether the browser has discarded a tab's page."""
        return tab in self._tabs and self._tabs[tab].discarded

    def successor(self, tab: int) -> int | None:
        """The tab to activate when a tab closes: its opener, else its neighbour among the accessible ones."""
        entry = self._tabs.get(tab)
        others = [other for other in self.accessible_tabs() if other != tab and other in self.access]
        if entry is not None and entry.opener in others:
            return entry.opener
        number = self.access.number(tab) if self.access.has_number(tab) else 0
        return min(others, key=lambda other: (abs(self.number(other) - number), -self.number(other)), default=None)

    # --- the browser's events ---

    def replace_all(self, tabs: Iterable[dict[str, Any]]) -> None:
        """Replace the contents by all tabs, as the browser has just listed them."""
        tabs = list(tabs)
        before = self._tabs
        self._tabs = {tab["id"]: RegisteredTab.of(tab, _opener(before.get(tab["id"]))) for tab in tabs}
        self._active_tabs = {tab["windowId"]: tab["id"] for tab in tabs if tab["active"]}
        for tab in before.keys() - self._tabs.keys():
            self.on_removed(tab)

    def on_created(self, tab: dict[str, Any]) -> None:
        """A tab was opened."""
        self._tabs[tab["id"]] = RegisteredTab.of(tab, _opener(self._tabs.get(tab["id"])))
        if tab["active"]:
            self.on_activated(tab["id"], tab["windowId"])
        self.changed.notify()

    def on_updated(self, tab: dict[str, Any]) -> None:
        """A tab has changed."""
        if tab["id"] in self._tabs:
            self._tabs[tab["id"]] = RegisteredTab.of(tab, self._tabs[tab["id"]].opener)
            self.changed.notify()

    def on_activated(self, tab: int, window: int) -> None:
        """A tab was activated in its window."""
        before = self._active_tabs.get(window)
        if before is not None and before != tab and not self._own_activations:
            self.access.deactivated_by_user(before)
            self.save()
        if before is not None and before != tab:
            self._previous_tabs[window] = before
        self._active_tabs[window] = tab
        self._window = window if self._window is None else self._window
        self.changed.notify()
        if not self._own_activations:
            self.on_left()

    def on_focused(self, window: int) -> None:
        """A window has got the focus. Commands go on where they went while the user writes or answers something in a
        window of the extension's own."""
        front = self._active_tabs.get(window)  # None for developer tools, or no window at all
        if front is not None and _OWN_WINDOW.match(self.url_of(front)) is None:
            self._window = window
            self.changed.notify()
            self.on_left()

    def on_removed(self, tab: int) -> None:
        """A tab was closed."""
        self.successors[tab] = self.successor(tab)
        while len(self.successors) > MAX_SUCCESSORS:
            del self.successors[next(iter(self.successors))]
        self._tabs.pop(tab, None)
        self._active_tabs = {window: front for window, front in self._active_tabs.items() if front != tab}
        self.access.forget(tab)
        self.save()
        self.changed.notify()

    def on_replaced(self, old: int, new: int) -> None:
        """A tab has another id: the browser has discarded its page."""
        self.access.on_replaced(old, new)
        if old in self._tabs:
            self._tabs[new] = self._tabs[old].replace(discarded=True)
        self._active_tabs = {window: new if front == old else front for window, front in self._active_tabs.items()}
        self.on_removed(old)


def _opener(tab: RegisteredTab | None) -> int | None:
    return None if tab is None else tab.opener
