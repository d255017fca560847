"""The tabs of one session: their numbers, the current tab, and openers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from oryn.browsers.base import Tab
from oryn.browsers.common.events import Signal
from oryn.errors import LastTab, TabNotFound

if TYPE_CHECKING:
    from typing import Any

    from oryn.browsers.common.page import BasePage

AnyPage = TypeVar("AnyPage", bound="BasePage[Any]")


class OpenTabs(Generic[AnyPage]):
    """Open tabs by number. A number stays with its tab until it closes, and is not used again while others are open."""

    def __init__(self) -> None:
        self._pages: dict[int, AnyPage] = {}
        self._openers: dict[int, AnyPage] = {}
        self._next = 1
        self.current: AnyPage | None = None
        self._front: AnyPage | None = None
        """The tab that was last opened or brought to the front; None if that one has closed."""
        self.changed = Signal()
        """Notified when a tab comes or goes."""
        self.on_change: Callable[[], None] = lambda: None
        """Called when a tab comes, goes, or shows another URL."""

    def __iter__(self) -> Iterator[AnyPage]:
        return iter(self._pages.values())

    def add(self, page: AnyPage, opener: AnyPage | None, number: int | None = None) -> int:
        """Add a tab, as the current one if there is none. It gets a new number unless it has a `number` already."""
        number = self._take_number() if number is None else number
        self._pages[number] = self._front = page
        if opener is not None:
            self._openers[number] = opener
        if self.current is None:
            self.current = page
        page.frame_tree.on_url_change.append(self._notify_listener)
        self._notify_listener()
        self.changed.notify()
        return number

    def _take_number(self) -> int:
        number = self._next
        self._next += 1
        return number

    def replace(self, old: AnyPage, new: AnyPage) -> None:
        """Put `new` in the place of `old`, with its number."""
        for number, page in self._pages.items():
            if page is new:
                del self._pages[number]
                if number == self._next - 1:
                    self._next = number
                break
        if old not in self._pages.values():
            self.add(new, None)  # `old` has closed meanwhile
            return
        self._pages[self.number(old)] = new
        self._pages = dict(sorted(self._pages.items()))
        if self.current is old:
            self.current = new

    def remove(self, page: AnyPage) -> None:
        """Remove a tab that has closed. If it was the current tab, its opener or its neighbour becomes current."""
        number = self.number(page)
        del self._pages[number]
        if self._front is page:
            self._front = None
        opener = self._openers.pop(number, None)
        if self.current is page:
            self.current = opener if opener in self._pages.values() else self._neighbour(number)
        self._notify_listener()
        self.changed.notify()

    def bring_to_front(self, page: AnyPage) -> None:
        """Bring a tab to the front, unless it is there: a tab behind others draws no frames, so what a page does in
        animation frames would not happen."""
        if self._front is not page:
            self._front = page
            self._raise(page)

    def _raise(self, page: AnyPage) -> None:
        """Ask the browser to bring a tab to the front."""
        raise NotImplementedError

    def _notify_listener(self) -> None:
        self.on_change()

    def _neighbour(self, number: int) -> AnyPage | None:
        if not self._pages:
            return None
        return self._pages[min(self._pages, key=lambda other: (abs(other - number), -other))]

    def clear(self) -> None:
        self._pages.clear()
        self._openers.clear()
        self._next = 1
        self.current = self._front = None

    async def until(self, condition: Callable[[Sequence[Tab]], bool], timeout: float) -> bool:
        """Wait until `condition` is true of the tabs that live, at most `timeout` seconds. Returns whether it was.

        The condition is checked within each notification, so that it also sees the moment without tabs before another
        replaces the last one."""
        loop = asyncio.get_running_loop()
        deadline, satisfied = loop.time() + timeout, False
        while not satisfied and loop.time() < deadline:
            pages = list(self)

            def changed(pages: list[AnyPage] = pages) -> bool:
                nonlocal satisfied
                satisfied = satisfied or condition(self._living_rows())
                return satisfied or list(self) != pages

            signals = [self.changed, *(page.channel.signal for page in pages)]
            waits = [asyncio.ensure_future(signal.until(changed, deadline - loop.time())) for signal in signals]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
        return satisfied

    def _living_rows(self) -> list[Tab]:
        """Rows of the tabs that have not failed."""
        return self.rows(page for page in self if page.channel.failure is None)

    # --- queries ---

    def __len__(self) -> int:
        return len(self._pages)

    def number(self, page: AnyPage) -> int:
        return next(number for number, other in self._pages.items() if other is page)

    def get(self, number: int | None) -> AnyPage:
        """The tab with this number, or the current one. Raises `TabNotFound`."""
        found = self.current if number is None else self._pages.get(number)
        if found is None:
            numbers = ", ".join(map(str, self._pages))
            raise TabNotFound("tab not found", f"Open tabs: {numbers}.")
        return found

    def closable(self, number: int | None) -> AnyPage:
        """Raises `TabNotFound`, `LastTab`."""
        page = self.get(number)
        if len(self._pages) == 1:
            raise LastTab("the last tab can't be closed", "Use 'session close' to end the session.")
        return page

    def rows(self, pages: Iterable[AnyPage] | None = None) -> list[Tab]:
        """Rows of `tabs`: all of them, or those of `pages` that are open."""
        chosen = None if pages is None else list(pages)
        return [
            Tab(number, page.url, page.title, page is self.current, page.own)
            for number, page in self._pages.items()
            if chosen is None or page in chosen
        ]
