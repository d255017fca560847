"""`ExtensionBrowser`: the user's own browser, as one session drives it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from oryn.browsers.base import Browser, DialogPolicy, Download, Navigation, Page, Place, Tab
from oryn.browsers.common.deadline import Deadline
from oryn.browsers.extension.dialogs import not_attached, not_told
from oryn.browsers.extension.failures import require_access
from oryn.browsers.extension.logins import Logins
from oryn.browsers.extension.tabs import Tabs
from oryn.errors import NoActiveTab, TabNotFound

if TYPE_CHECKING:
    from oryn.browsers.base.clipboard import Clipboard
    from oryn.browsers.base.console import Console
    from oryn.browsers.base.device import Device
    from oryn.browsers.base.network import Network
    from oryn.browsers.base.page_scripts import PageScripts
    from oryn.browsers.cdp.emulation import Emulation
    from oryn.browsers.cdp.messages import CdpConsole
    from oryn.browsers.cdp.page_scripts import CdpPageScripts
    from oryn.browsers.extension.emulation import DebuggedTabs
    from oryn.browsers.extension.features import Debugged, Features
    from oryn.browsers.extension.network import ExtensionNetwork
    from oryn.browsers.extension.page import ExtensionPage
    from oryn.extension.bridge import Bridge

BLANK = "about:blank"
ANSWER_SECONDS = 2.0


class ExtensionBrowser(Browser):
    """The browser behind `bridge`, with the `tabs` that its sessions share.

    `pinned` is the number of the tab that the session is for; without one it is for whichever tab is active when a
    command begins. `trusted_input` says whether the user lets the debugger be attached, `files` whether the server may
    read the files of the browser's computer."""

    mode: ClassVar[str] = "remote"

    def __init__(
        self,
        bridge: Bridge,
        tabs: Tabs,
        *,
        pinned: int | None = None,
        trusted_input: Callable[[], bool] = lambda: False,
        files: Callable[[], bool] = lambda: False,
    ) -> None:
        self._bridge = bridge
        self._tabs = tabs
        self._pinned = pinned
        self._trusted_input = trusted_input
        self._files = files
        self._current: ExtensionPage | None = None
        self._policy: DialogPolicy | None = None
        self._logins = Logins(bridge, self._drives)

    # --- from start to end ---

    async def start(self) -> None:
        await self._tabs.start(self)

    async def attend(self) -> None:
        """A command begins: it is for the tab that is active now, or for the session's own.

        Raises `TabNotFound` where that is closed, or may be reached no more."""
        if self._pinned is not None:
            self._current = self._tabs.page(self._tabs.of_number(self._pinned))
        elif self._tabs.active_tab is not None:
            self._current = self._tabs.active_page()
        else:
            self._current = None
        if self._current is not None:
            self._current.claim(self)
            self._tabs.number_of(self._current.tab)
            await self._current.attend()

    async def revive(self) -> None:
        """A tab that has crashed loads its next page in a new process by itself. Another takes the place of one that
        hangs, for nothing leads out of it."""
        page = self._page()
        if page.crashed:
            page.channel.failure = None
        elif not await page.responds():
            tab = await self._tabs.replace(page.tab)
            self._current = self._tabs.page(tab)
            self._current.claim(self)
            await self._current.until_shown(True, ANSWER_SECONDS)

    async def close(self) -> None:
        """The tabs are the user's: they stay."""
        self._current = None
        self._logins.set(None)
        await self._tabs.let_go(self)

    async def version(self) -> str:
        product: str = self._bridge.engine()["browser"]
        return product

    @property
    def place(self) -> Place:
        return Place(headful=True, here=False)

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

    async def tabs(self) -> list[Tab]:
        await self._tabs.ask()
        return self._rows()

    def _rows(self) -> list[Tab]:
        return self._tabs.rows(current=None if self._current is None else self._current.tab)

    async def tabs_until(self, holds: Callable[[Sequence[Tab]], bool], *, timeout: float) -> bool:
        return await self._tabs.changed.until(lambda: holds(self._rows()), timeout)

    async def new_tab(self, url: str, *, timeout: float = 30) -> Navigation:
        require_access(url, files=self._files())
        deadline = Deadline(timeout)
        before = None if self._current is None else self._current.tab
        if before is not None:
            self._tabs.leave(before)
        tab = await self._tabs.create(BLANK, active=True, opener=None)
        self._become(tab)
        page = self._page()
        await page.until_shown(True, deadline.left)
        await page.debugger.attend()  # what holds for the session's tabs holds from the first page on
        return await page.goto(url, timeout=deadline.left)

    async def switch_tab(self, number: int) -> None:
        tab = self._tabs.of_number(number)
        if self._current is not None:
            self._tabs.leave(self._current.tab)
        await self._tabs.activate(tab)
        self._become(tab)
        await self._page().attend()

    async def close_tab(self, number: int | None = None) -> None:
        tab = self._page().tab if number is None else self._tabs.of_number(number)
        await self._tabs.close(self._tabs.closable(tab))
        if self._current is None or self._current.tab == tab:
            if self._tabs.active_tab is None:
                raise NoActiveTab
            self._become(self._tabs.active_tab)

    # --- parts, which speak through the debugger ---

    @cached_property
    def features(self) -> Features:
        from oryn.browsers.extension.features import Features

        return Features(self._bridge)

    def _drives(self, tab: int) -> bool:
        """Whether commands of this session have gone to a tab, and still may."""
        page = self._tabs.followed(tab)
        return page is not None and page.owner is self and self._tabs.reaches(tab)

    @cached_property
    def _network(self) -> ExtensionNetwork:
        from oryn.browsers.extension.network import ExtensionNetwork

        features = self.features
        return ExtensionNetwork(features.log, features.conditions, self._logins, self._require_debugger)

    @cached_property
    def _console(self) -> CdpConsole:
        from oryn.browsers.cdp.messages import CdpConsole

        return CdpConsole(self.features.captured)

    def _require_debugger(self) -> None:
        """Raises `NotSupported` where the user allows none, or has closed its bar."""
        if not self._trusted_input() or (self._current is not None and self._current.debugger.is_refused):
            raise not_attached()

    @property
    def network(self) -> Network:
        return self._network

    @property
    def clipboard(self) -> Clipboard:
        self._require_debugger()
        return self.features.clipboard

    @property
    def console(self) -> Console:
        self._require_debugger()
        return self._console

    @property
    def _debugged_tabs(self) -> DebuggedTabs:
        from oryn.browsers.extension.emulation import DebuggedTabs

        return DebuggedTabs(self.features, self._debugged)

    @cached_property
    def _emulation(self) -> Emulation:
        from oryn.browsers.extension.emulation import emulation

        return emulation(self.features, self._debugged_tabs, self.version)

    def _debugged(self) -> Debugged:
        """The current tab. Raises `NotSupported` where no debugger is attached to it."""
        if (debugged := self._page().debugger.debugged) is None:
            raise not_attached()
        return debugged

    @property
    def device(self) -> Device:
        self._debugged()
        return self._emulation

    @cached_property
    def _page_scripts(self) -> CdpPageScripts:
        from oryn.browsers.cdp.page_scripts import CdpPageScripts

        return self.features.made(CdpPageScripts(self._debugged_tabs))

    @property
    def page_scripts(self) -> PageScripts:
        self._debugged()
        return self._page_scripts

    # --- dialogs, which the debugger alone tells of ---

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
            raise not_told()
        return self._policy

    @dialog_policy.setter
    def dialog_policy(self, policy: DialogPolicy | None) -> None:
        if not self._trusted_input():
            raise not_told()
        self._policy = policy

    # --- downloads ---

    def downloads(self) -> list[Download]:
        return list(self._tabs.downloads.shelf.all.values())

    async def wait_for_downloads(self, ids: Collection[str], *, timeout: float) -> None:
        await self._tabs.downloads.shelf.wait_for(ids, timeout)

    def _become(self, tab: int) -> None:
        """The session goes on in another tab, unless it is one tab's."""
        if self._pinned is None:
            self._current = self._tabs.page(tab)
            self._current.claim(self)
