"""`ExtensionBrowser`: the user's own browser, controlled by one session."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from oryn.browsers.base import Browser, BrowserInfo, DialogPolicy, Download, Navigation, Page, Tab
from oryn.browsers.base.leases import LeaseHolder
from oryn.browsers.common.events import Deadline
from oryn.browsers.common.leases import SharedTabs
from oryn.browsers.common.reported_console import ReportedConsole
from oryn.browsers.extension.error_mapping import debugger_required, dialogs_not_supported, require_access
from oryn.browsers.extension.tabs import ExtensionTabs
from oryn.browsers.extension.web_request import HttpAuthHandler
from oryn.errors import NoActiveTab, TabNotFound

if TYPE_CHECKING:
    from oryn.browsers.base.console import Console
    from oryn.browsers.base.emulation import Device, PageScripts
    from oryn.browsers.base.network import Network
    from oryn.browsers.base.storage import Clipboard
    from oryn.browsers.cdp.console_messages import CdpConsole
    from oryn.browsers.cdp.emulation import CdpEmulation
    from oryn.browsers.cdp.page_scripts import CdpPageScripts
    from oryn.browsers.extension.bridge import Bridge
    from oryn.browsers.extension.debugged_features import DebuggedFeatures, DebuggedTab
    from oryn.browsers.extension.emulation import DebuggedTabs
    from oryn.browsers.extension.network import ExtensionNetwork
    from oryn.browsers.extension.page import ExtensionPage

BLANK = "about:blank"
ANSWER_SECONDS = 2.0


class ExtensionBrowser(Browser):
    """The browser behind `bridge`, with the `tabs` that its sessions share.

    `pinned` is the number of the tab that the session is for; without one each command goes to the tab that is active
    when it begins. `trusted_input` says whether the user lets the debugger be attached, `files` whether the server may
    read the files of the browser's computer. `holder` is who its tabs belong to: the sessions of one server are one
    holder, since `@tab2` is the address of a tab there and not somebody else."""

    mode: ClassVar[str] = "remote"
    is_external = True
    shares_tabs: ClassVar[bool] = True

    def __init__(
        self,
        bridge: Bridge,
        tabs: ExtensionTabs,
        *,
        pinned: int | None = None,
        trusted_input: Callable[[], bool] = lambda: False,
        files: Callable[[], bool] = lambda: False,
        holder: LeaseHolder | None = None,
    ) -> None:
        self._bridge = bridge
        self._tabs = tabs
        self._pinned = pinned
        self._trusted_input = trusted_input
        self._files = files
        self._current: ExtensionPage | None = None
        self._policy: DialogPolicy | None = None
        self._leases = SharedTabs(tabs.leases, holder or LeaseHolder("default"), self._tab_of, self._number_of)
        self._leases.has_other_sessions = False
        self._http_auth = HttpAuthHandler(bridge, self._controls)
        self.reported_console = ReportedConsole()

    # --- startup and shutdown ---

    async def start(self) -> None:
        await self._tabs.start(self)

    async def before_command(self) -> None:
        """Select the tab for a command that begins: the session's own, or the active one.

        Raises `TabNotFound` if that is closed, or commands may no longer reach it."""
        if self._pinned is not None:
            self._current = self._tabs.page(self._tabs.tab_of_number(self._pinned))
        elif self._tabs.active_tab is not None:
            self._current = self._tabs.active_page()
        else:
            self._current = None
        if self._current is not None:
            self._current.claim(self)
            self._tabs.number_of(self._current.tab)
            await self._current.before_command()

    async def revive(self) -> None:
        """Make the current tab usable again. A crashed tab loads its next page in a new process by itself; a tab that
        hangs is replaced by a new one, because it can't navigate."""
        page = self._page()
        if page.crashed:
            page.channel.failure = None
        elif not await page.responds():
            tab = await self._tabs.replace(page.tab)
            self._current = self._tabs.page(tab)
            self._current.claim(self)
            await self._current.wait_until_displayed(True, ANSWER_SECONDS)

    async def close(self) -> None:
        """The tabs are the user's: they stay."""
        self._leases.end_command()
        if self._pinned is None:
            self._leases.close()
        elif self._current is not None:
            self._tabs.leases.release(self._current.tab, self._leases.holder)
        self._current = None
        self._http_auth.set(None)
        await self._tabs.release(self)

    async def version(self) -> str:
        product: str = self._bridge.engine()["browser"]
        return product

    @property
    def info(self) -> BrowserInfo:
        return BrowserInfo(headful=True, here=False)

    def require_uploads(self) -> None:
        self._debugged()

    @property
    def page(self) -> Page:
        return self._page()

    def _page(self) -> ExtensionPage:
        """Raises `NoActiveTab`."""
        if self._current is None or isinstance(self._current.channel.failure, TabNotFound):
            if self._pinned is not None:
                raise TabNotFound("tab not found", "Run 'tabs' to see which there are.")
            self._current = self._tabs.active_page()
            self._current.claim(self)
        return self._current

    # --- tabs ---

    @property
    def leases(self) -> SharedTabs:
        return self._leases

    def _tab_of(self, number: int | None) -> int | None:
        """The browser's id of the tab with a number, or of the current one."""
        if number is not None:
            return self._tabs.tab_of_number(number)
        return None if self._current is None else self._current.tab

    def _number_of(self, tab: Hashable) -> int | None:
        assert isinstance(tab, int)
        return self._tabs.number_of(tab)

    async def tabs(self) -> list[Tab]:
        await self._tabs.refresh()
        return self._tab_rows()

    def _tab_rows(self) -> list[Tab]:
        return self._tabs.rows(current=None if self._current is None else self._current.tab)

    async def wait_for_tabs(self, holds: Callable[[Sequence[Tab]], bool], *, timeout: float) -> bool:
        return await self._tabs.changed.until(lambda: holds(self._tab_rows()), timeout)

    async def new_tab(self, url: str, *, timeout: float = 30) -> Navigation:
        require_access(url, files=self._files())
        deadline = Deadline(timeout)
        before = None if self._current is None else self._current.tab
        if before is not None:
            self._tabs.keep_access(before)
        tab = await self._tabs.create(BLANK, active=True, opener=None)
        self._switch_to(tab)
        page = self._page()
        await page.wait_until_displayed(True, deadline.left)
        await page.debugger.update_attachment()  # so that the session's overrides apply from the first page on
        return await page.goto(url, timeout=deadline.left)

    async def switch_tab(self, number: int) -> None:
        tab = self._tabs.tab_of_number(number)
        if self._current is not None:
            self._tabs.keep_access(self._current.tab)
        await self._tabs.activate(tab)
        self._switch_to(tab)
        await self._page().before_command()

    async def close_tab(self, number: int | None = None) -> None:
        tab = self._page().tab if number is None else self._tabs.tab_of_number(number)
        await self._tabs.close(self._tabs.closable(tab))
        if self._current is None or self._current.tab == tab:
            if self._tabs.active_tab is None:
                raise NoActiveTab
            self._switch_to(self._tabs.active_tab)

    # --- features that use the debugger ---

    @cached_property
    def features(self) -> DebuggedFeatures:
        """The features of its tabs with a debugger."""
        from oryn.browsers.extension.debugged_features import DebuggedFeatures

        return DebuggedFeatures(self._bridge)

    def _controls(self, tab: int) -> bool:
        """Whether commands of this session have gone to a tab, and may still reach it."""
        page = self._tabs.get_page(tab)
        return page is not None and page.owner is self and self._tabs.is_accessible(tab)

    @cached_property
    def _network(self) -> ExtensionNetwork:
        from oryn.browsers.extension.network import ExtensionNetwork

        return ExtensionNetwork(self.features, self._http_auth, self._require_debugger)

    @cached_property
    def _console(self) -> CdpConsole:
        from oryn.browsers.cdp.console_messages import CdpConsole

        return CdpConsole(self.features.console_recorder)

    def _has_debugger(self) -> bool:
        """Whether the user allows the debugger, and has not closed its bar."""
        return self._trusted_input() and not (self._current is not None and self._current.debugger.is_refused)

    def _require_debugger(self) -> None:
        """Raises `NotSupported` without the debugger."""
        if not self._has_debugger():
            raise debugger_required() if self._current is None else self._current.debugger.missing()

    @property
    def network(self) -> Network:
        return self._network

    @property
    def clipboard(self) -> Clipboard:
        self._require_debugger()
        return self.features.clipboard

    @property
    def console(self) -> Console:
        """The debugger's, or without it what a script in the pages reports."""
        return self._console if self._has_debugger() else self.reported_console

    @property
    def _debugged_tabs(self) -> DebuggedTabs:
        from oryn.browsers.extension.emulation import DebuggedTabs

        return DebuggedTabs(self.features, self._debugged)

    @cached_property
    def _emulation(self) -> CdpEmulation:
        from oryn.browsers.extension.emulation import create_emulation

        return create_emulation(self.features, self._debugged_tabs, self.version)

    def _debugged(self) -> DebuggedTab:
        """The current tab. Raises `NotSupported` if no debugger is attached to it."""
        return self._page().require_debugger()

    @property
    def device(self) -> Device:
        self._debugged()
        return self._emulation

    @cached_property
    def _page_scripts(self) -> CdpPageScripts:
        from oryn.browsers.cdp.page_scripts import CdpPageScripts

        return self.features.register(CdpPageScripts(self._debugged_tabs))

    @property
    def page_scripts(self) -> PageScripts:
        self._debugged()
        return self._page_scripts

    # --- dialogs, which only the debugger reports ---

    def allows_trusted_input(self) -> bool:
        return self._trusted_input()

    def may_read_files(self) -> bool:
        return self._files()

    @property
    def policy(self) -> DialogPolicy | None:
        return self._policy

    @property
    def dialog_policy(self) -> DialogPolicy | None:
        if not self._trusted_input():
            raise dialogs_not_supported()
        return self._policy

    @dialog_policy.setter
    def dialog_policy(self, policy: DialogPolicy | None) -> None:
        if not self._trusted_input():
            raise dialogs_not_supported()
        self._policy = policy

    # --- downloads ---

    def downloads(self) -> list[Download]:
        return list(self._tabs.downloads.registry.all.values())

    async def wait_for_downloads(self, ids: Collection[str], *, timeout: float) -> None:
        await self._tabs.downloads.registry.wait_for(ids, timeout)

    def _switch_to(self, tab: int) -> None:
        """Make another tab the current one, unless the session is pinned to a tab."""
        if self._pinned is None:
            self._current = self._tabs.page(tab)
            self._current.claim(self)
