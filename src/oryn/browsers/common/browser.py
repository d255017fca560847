"""`BaseBrowser`: what a session's browser does alike over every protocol that reports tabs by events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic

from oryn.browsers.base import Browser, DialogPolicy, Download, Navigation, Tab
from oryn.browsers.common.tabs import AnyPage, OpenTabs
from oryn.errors import BrowserFailed

if TYPE_CHECKING:
    from oryn.browsers.common.downloads import DownloadRegistry


CLOSE_SECONDS = 5.0
"""How long a tab may take to close."""


class BaseBrowser(Browser, Generic[AnyPage]):
    """One session's browser. A subclass sets `_tabs`, and opens and closes tabs."""

    _tabs: OpenTabs[AnyPage]

    def __init__(self) -> None:
        self._policy: DialogPolicy | None = None

    async def _open_tab(self) -> AnyPage:
        """Open a blank tab behind the current one. Raises `TabLimit`, `BrowserFailed`."""
        raise NotImplementedError

    def _close_tab(self, page: AnyPage) -> None:
        """Ask the browser to close a tab."""
        raise NotImplementedError

    # --- tabs ---

    @property
    def page(self) -> AnyPage:
        if self._tabs.current is None:
            raise not_running()
        return self._tabs.current

    def open_tabs(self) -> list[Tab]:
        return self._tabs.rows()

    def on_tabs_changed(self, listener: Callable[[], None]) -> None:
        self._tabs.on_change = listener

    async def wait_for_tabs(self, condition: Callable[[Sequence[Tab]], bool], *, timeout: float) -> bool:
        return await self._tabs.until(condition, timeout)

    async def new_tab(self, url: str, *, timeout: float = 30) -> Navigation:
        page = await self._open_tab()
        self._make_current(page)
        return await page.goto(url, timeout=timeout)

    async def switch_tab(self, number: int) -> None:
        page = self._tabs.get(number)
        self._make_current(page)
        self._tabs.bring_to_front(page)

    async def close_tab(self, number: int | None = None) -> None:
        page = self._tabs.closable(number)
        self._close_tab(page)
        await page.channel.signal.until(lambda: page.channel.failure is not None, CLOSE_SECONDS)

    async def blank_tab(self) -> int:
        return self._tabs.number(await self._open_tab())

    def page_of(self, number: int) -> AnyPage:
        return self._tabs.get(number)

    def select_tab(self, number: int) -> None:
        self._make_current(self._tabs.get(number))

    def _make_current(self, page: AnyPage) -> None:
        self._tabs.current = page

    # --- downloads ---

    @cached_property
    def _download_registry(self) -> DownloadRegistry:
        from oryn.browsers.common.downloads import DownloadRegistry

        return DownloadRegistry()

    def configure_downloads(self, save: Callable[[Path, str], Path], limit: int) -> None:
        self._download_registry.save, self._download_registry.limit = save, limit

    def downloads(self) -> list[Download]:
        return list(self._download_registry.all.values())

    async def wait_for_downloads(self, ids: Collection[str], *, timeout: float) -> None:
        await self._download_registry.wait_for(ids, timeout)

    # --- dialogs ---

    @property
    def dialog_policy(self) -> DialogPolicy | None:
        return self._policy

    @dialog_policy.setter
    def dialog_policy(self, policy: DialogPolicy | None) -> None:
        self._policy = policy


def not_running() -> BrowserFailed:
    """The error for a browser that has not been started, or has ended."""
    return BrowserFailed("the browser is not running", "Run 'goto <url>' to start it.")
