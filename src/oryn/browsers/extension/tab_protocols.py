"""What a page of the user's browser needs from the code above it: the session that owns it, and the tabs beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from oryn.browsers.base import DialogPolicy, Tab
    from oryn.browsers.common.leases import TabLeases
    from oryn.browsers.common.reported_console import ReportedConsole
    from oryn.browsers.extension.debugged_features import DebuggedFeatures


class TabOwner(Protocol):
    """The browser of the session whose commands last went to a tab (`ExtensionBrowser`)."""

    def allows_trusted_input(self) -> bool:
        """Whether the user lets the debugger be attached."""

    def may_read_files(self) -> bool:
        """Whether the server may read the files of the browser's computer."""

    @property
    def policy(self) -> DialogPolicy | None:
        """How dialogs are answered; None leaves them open."""

    @property
    def features(self) -> DebuggedFeatures:
        """The features of its tabs while a debugger is attached to them."""

    @property
    def reported_console(self) -> ReportedConsole:
        """What its tabs write to their consoles, for sessions without a debugger."""


class TabOpener(Protocol):
    """The tabs of the browser (`ExtensionTabs`). Tabs are named by the browser's ids."""

    @property
    def platform(self) -> str:
        """The computer's, as `sys.platform` has it."""

    @property
    def leases(self) -> TabLeases:
        """Whose the tabs are."""

    def is_accessible(self, tab: int) -> bool:
        """Whether commands may reach a tab now."""

    def is_discarded(self, tab: int) -> bool:
        """Whether the browser has discarded the tab's page, to save memory."""

    def rows(self, only: Iterable[int] | None = None) -> list[Tab]:
        """The tabs that commands may reach, or those of `only`."""

    async def refresh(self) -> None:
        """Query the browser for its tabs: no event reports a new title."""

    async def create(self, url: str, *, active: bool, opener: int | None) -> int:
        """Open a tab; its id."""

    def on_opened(self, source: int, tab: int, url: str) -> None:
        """The page in `source` has opened `tab`."""

    async def bring_to_front(self, tab: int) -> int | None:
        """Activate a tab in its window; the id of the tab that was active before, or None. Raises `TabNotFound`."""

    async def activate_successor(self, tab: int, timeout: float) -> None:
        """Wait up to `timeout` seconds until a tab has closed, and activate another one."""
