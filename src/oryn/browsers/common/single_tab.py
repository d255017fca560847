"""One tab of a browser as a browser of its own, for a session pinned to that tab."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from oryn.browsers.base import Browser, BrowserInfo, Cookie, DialogPolicy, Download, Navigation, Page, Tab
from oryn.errors import NotSupported, OrynError

if TYPE_CHECKING:
    from oryn.browsers.base.console import Console
    from oryn.browsers.base.emulation import Device, PageScripts
    from oryn.browsers.base.network import Network
    from oryn.browsers.base.recording import Tracing
    from oryn.browsers.base.storage import Clipboard, Storage
    from oryn.core.urls import DomainPolicy, DomainRefusal


class SingleTabBrowser(Browser):
    """The tab `number` of `browser`, whose cookies, network and device it shares. Sessions of two tabs must not run
    commands at the same time, because each command makes its tab the current one."""

    shares_tabs: ClassVar[bool] = True

    def __init__(self, browser: Browser, number: int) -> None:
        self._browser = browser
        self.number = number
        self.mode = browser.mode  # type: ignore[misc]
        self.is_external, self.has_foreign_tabs = browser.is_external, browser.has_foreign_tabs

    @property
    def page(self) -> Page:
        return self._browser.page_of(self.number)

    async def start(self) -> None:
        await self._browser.start()

    @property
    def lost(self) -> bool:
        return self._browser.lost

    async def before_command(self) -> None:
        self._browser.select_tab(self.number)

    async def revive(self) -> None:
        self._browser.select_tab(self.number)
        await self._browser.revive()

    async def close(self) -> None:
        """Close the tab, unless it is the browser's last one."""
        with suppress(OrynError):  # the tab or the browser has closed already
            await self._browser.close_tab(self.number)

    async def version(self) -> str:
        return await self._browser.version()

    @property
    def info(self) -> BrowserInfo:
        return self._browser.info

    @property
    def ignores_certificate_errors(self) -> bool:
        return self._browser.ignores_certificate_errors

    @property
    def tracing(self) -> Tracing:
        return self._browser.tracing

    # --- tabs: only this one ---

    async def tabs(self) -> list[Tab]:
        return [tab for tab in await self._browser.tabs() if tab.number == self.number]

    async def wait_for_tabs(self, holds: Callable[[Sequence[Tab]], bool], *, timeout: float) -> bool:
        return await self._browser.wait_for_tabs(holds, timeout=timeout)

    async def new_tab(self, url: str, *, timeout: float = 30) -> Navigation:
        raise NotSupported(hint="This session is for one tab.")

    async def switch_tab(self, number: int) -> None:
        raise NotSupported(hint="This session is for one tab.")

    async def close_tab(self, number: int | None = None) -> None:
        raise NotSupported(hint="This session is for one tab.")

    # --- shared with other tabs ---

    def configure_downloads(self, save: Callable[[Path, str], Path], limit: int) -> None:
        self._browser.configure_downloads(save, limit)

    def downloads(self) -> list[Download]:
        return self._browser.downloads()

    async def wait_for_downloads(self, ids: Collection[str], *, timeout: float) -> None:
        await self._browser.wait_for_downloads(ids, timeout=timeout)

    @property
    def clipboard(self) -> Clipboard:
        return self._browser.clipboard

    @property
    def dialog_policy(self) -> DialogPolicy | None:
        return self._browser.dialog_policy

    @dialog_policy.setter
    def dialog_policy(self, policy: DialogPolicy | None) -> None:
        self._browser.dialog_policy = policy

    @property
    def device(self) -> Device:
        return self._browser.device

    @property
    def page_scripts(self) -> PageScripts:
        return self._browser.page_scripts

    @property
    def storage(self) -> Storage:
        return self._browser.storage

    async def cookies(self, url: str | None = None) -> list[Cookie]:
        return await self._browser.cookies(url)

    async def set_cookies(self, cookies: Sequence[Cookie]) -> None:
        await self._browser.set_cookies(cookies)

    async def delete_cookies(self, cookies: Sequence[Cookie]) -> None:
        await self._browser.delete_cookies(cookies)

    async def clear_cookies(self) -> None:
        await self._browser.clear_cookies()

    @property
    def network(self) -> Network:
        return self._browser.network

    def restrict(self, domains: DomainPolicy) -> None:
        self._browser.restrict(domains)

    @property
    def can_restrict_files(self) -> bool:
        return self._browser.can_restrict_files

    async def restrict_files(self, allows: Callable[[str], bool]) -> None:
        await self._browser.restrict_files(allows)

    def take_refusals(self) -> Mapping[DomainRefusal, int]:
        return self._browser.take_refusals()

    @property
    def console(self) -> Console:
        return self._browser.console
