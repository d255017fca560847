"""The tabs of one session in Chromium."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Tab
from oryn.browsers.common.tabs import OpenTabs
from oryn.errors import NoActiveTab, NotSupported, TabNotFound

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.chromium.foreign_tabs import ForeignTab
    from oryn.browsers.chromium.page import CdpPage

_MAX_CLOSED = 32


class CdpTabs(OpenTabs["CdpPage"]):
    """The tabs of one session, by number.

    shared: the session is in the context of the browser's user. `foreign` then lists the tabs that it has not opened,
    except for one that is attached, and no tab is brought to the front: the person decides which one is."""

    def __init__(self, *, shared: bool = False) -> None:
        super().__init__()
        self.shared = shared
        self.foreign: dict[int, ForeignTab] = {}
        self.closed_targets: deque[str] = deque(maxlen=_MAX_CLOSED)
        """Target ids of the session's own tabs that closed last."""
        self._former: dict[str, int] = {}
        """The numbers of tabs whose connection was lost, by target id."""
        self._former_current: str | None = None

    def detach(self) -> None:
        """Forget the tabs, as the connection to the browser was lost. Each gets its number again once it is
        attached."""
        numbers = {page.target_id: number for number, page in self._pages.items()}
        current, following = None if self.current is None else self.current.target_id, self._next
        self.clear()
        self._former, self._former_current, self._next = numbers, current, following

    def add(self, page: CdpPage, opener: CdpPage | None, number: int | None = None) -> int:
        former = self._former.pop(page.target_id, None)
        number = super().add(page, opener, number if former is None else former)
        if former is not None:
            self._pages = dict(sorted(self._pages.items()))
            if page.target_id == self._former_current:
                self.current = page
        return number

    def remove(self, page: CdpPage) -> None:
        if page.own:
            self.closed_targets.append(page.target_id)
        super().remove(page)

    def clear(self) -> None:
        super().clear()
        self.foreign.clear()

    def bring_to_front(self, page: CdpPage) -> None:
        if not self.shared:  # otherwise tabs are drawn wherever they are, because their focus is emulated
            super().bring_to_front(page)

    def _raise(self, page: CdpPage) -> None:
        page.channel.session.send("Page.bringToFront")

    async def refresh_titles(self, root: CdpSession) -> None:
        """Update the titles of all tabs, because no event reports a new title alone."""
        answer = await root.call("Target.getTargets")
        for info in answer["targetInfos"]:
            if page := self.of_target(info["targetId"]):
                page.title = info["title"]
            elif self.foreign_number(info["targetId"]) is not None:
                self.list_foreign(info)

    def of_target(self, target_id: str) -> CdpPage | None:
        return next((page for page in self if page.target_id == target_id), None)

    # --- tabs that the session has not opened ---

    def list_foreign(self, info: Mapping[str, Any]) -> None:
        """Add a tab that the browser lists, or update its URL and title."""
        from oryn.browsers.chromium.foreign_tabs import ForeignTab

        target_id = info["targetId"]
        number = self.foreign_number(target_id) or self._take_number()
        row = ForeignTab(target_id, info.get("url", ""), info.get("title", ""))
        if self.foreign.get(number) != row:
            self.foreign[number] = row
            self._notify_listener()
            self.changed.notify()

    def forget_foreign(self, target_id: str) -> int | None:
        """Remove a tab that has closed, or that is attached now; its number."""
        number = self.foreign_number(target_id)
        if number is not None:
            del self.foreign[number]
            self._notify_listener()
            self.changed.notify()
        return number

    def foreign_number(self, target_id: str) -> int | None:
        return next((number for number, row in self.foreign.items() if row.target_id == target_id), None)

    def give_back(self, page: CdpPage) -> None:
        """List an attached tab that the session has not opened as one that is not attached, with the same number."""
        from oryn.browsers.chromium.foreign_tabs import ForeignTab

        row, number = ForeignTab(page.target_id, page.url, page.title), self.number(page)
        self.remove(page)
        self.foreign[number] = row

    def closable(self, number: int | None) -> CdpPage:
        return self.get(number) if self.shared else super().closable(number)

    def own_pages(self) -> list[CdpPage]:
        return [page for page in self if page.own]

    def get(self, number: int | None) -> CdpPage:
        if self.shared and number is None and self.current is None:
            raise no_tab_yet()
        if number in self.foreign:
            raise TabNotFound(f"tab {number} is not this session's", f"Run 'tab switch {number}' to use it.")
        return super().get(number)

    def _neighbour(self, number: int) -> CdpPage | None:
        """A tab near to this number, never one that the session has not opened."""
        own = {other: page for other, page in self._pages.items() if page.own}
        return own[min(own, key=lambda other: (abs(other - number), -other))] if own else None

    def rows(self, pages: Iterable[CdpPage] | None = None) -> list[Tab]:
        found = super().rows(pages)
        return found if pages is not None or not self.foreign else self._with_foreign(found)

    def _living_rows(self) -> list[Tab]:
        return self._with_foreign(super()._living_rows())

    def _with_foreign(self, rows: list[Tab]) -> list[Tab]:
        others = [Tab(number, each.url, each.title, False, False) for number, each in self.foreign.items()]
        return sorted([*rows, *others], key=lambda row: row.number)


class OwnTabs:
    """Those tabs of a session that it has opened. What it sets applies to no others."""

    def __init__(self, tabs: CdpTabs) -> None:
        self._tabs = tabs

    def __iter__(self) -> Iterator[CdpPage]:
        return iter(self._tabs.own_pages())

    def get(self, number: None = None, /) -> CdpPage:
        """The current tab. Raises `TabNotFound`, and `NotSupported` if the session has not opened it."""
        page = self._tabs.get(number)
        if not page.own:
            raise NotSupported(
                "settings of the session do not apply to a tab that it has not opened",
                "Open the page in a tab of its own: 'tab new <url>'.",
            )
        return page


def no_tab_yet() -> NoActiveTab:
    """The error for a session without a tab, in a browser that its user has opened."""
    return NoActiveTab(
        "this session has no tab yet",
        "Run 'goto <url>' to open one, or 'tabs' and 'tab switch <number>' to use one of the browser's.",
    )
