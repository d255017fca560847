"""`ScannedPage`: a tab whose scanner is run from outside of the page, by the browser's own protocol."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base import Checkpoint, Frame, Tab
from oryn.browsers.common.frame_tree import AnyNode
from oryn.browsers.common.main_world import is_for_main_world
from oryn.browsers.common.network_errors import READ_COMMANDS
from oryn.browsers.common.page import BasePage
from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import NotSupported, OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import LoadState, Navigation
    from oryn.browsers.common.events import Signal
    from oryn.browsers.common.scanner_client import ScannerClient
    from oryn.scanner import Library
    from oryn.scanner.protocol import ScannerRequest, ScannerResponse


class SiblingTabs(Protocol):
    """The tabs of a session, as far as one page needs the others."""

    @property
    def current(self) -> Any: ...
    @property
    def changed(self) -> Signal:
        """Notified when a tab opens or closes."""

    def rows(self, pages: Iterable[Any]) -> list[Tab]:
        """The rows of those of `pages` that are open."""

    def bring_to_front(self, page: Any) -> None:
        """Bring a tab to the front, unless it is there."""


class NavigationHeaders(Protocol):
    def navigation_headers(self, page: Any, url: str, headers: dict[str, str]) -> AbstractAsyncContextManager[None]:
        """Add `headers` to requests of `page` for documents from the origin of `url`, for the time of the block."""


class InterceptingFeatures(Protocol):
    """The features of a session, as far as one page needs them."""

    @property
    def interception(self) -> NavigationHeaders: ...


class ScannedPage(BasePage[AnyNode]):
    """One tab. An engine sets the attributes that have no value here."""

    scanner_client: ScannerClient[AnyNode]
    _tabs: SiblingTabs
    _features: InterceptingFeatures

    async def scanner(
        self, request: ScannerRequest, frame: Frame | None = None, *, timeout: float = 30
    ) -> ScannerResponse:
        self.channel.check()
        node = self.frame_tree.node(frame)
        if node.is_error_page and request["cmd"] not in READ_COMMANDS:
            return await self._answer_for_error_page(request, node, timeout)
        if is_for_main_world(request):
            return await self.evaluation.answer(request, node, timeout)
        try:
            found = await self.scanner_client.run(request, node, timeout)
        except DocumentGone as error:
            self.frame_tree.node(frame)  # raises if the frame itself is gone
            raise await self.explain(error) from None
        if node.is_error_page and request["cmd"] not in READ_COMMANDS:  # the error page has come meanwhile
            return await self._answer_for_error_page(request, node, timeout)
        return found

    async def load_library(self, library: Library, frame: Frame | None = None, *, timeout: float = 30) -> None:
        self.channel.check()
        await self.scanner_client.load_library(library, self.frame_tree.node(frame), timeout)

    async def explain(self, error: DocumentGone) -> OrynError:
        """Return the error of a request whose document has gone."""
        return error

    async def _answer_for_error_page(self, request: ScannerRequest, node: AnyNode, timeout: float) -> ScannerResponse:
        """The answer to a scanner request for an error page. Raises `CannotAccessPage`."""
        page = await self.scanner_client.run({"cmd": "page"}, node, timeout)
        return self.error_page_of(node).answer(request, page["data"])

    async def path_listeners(
        self, element_id: int, frame: Frame | None = None, *, pressed: bool, timeout: float = 30
    ) -> str | None:
        try:
            self.channel.check()
            node = self.frame_tree.node(frame)
        except OrynError:
            return None
        return await self.scanner_client.path_listeners(element_id, node, pressed=pressed, timeout=timeout)

    # --- navigation ---

    async def goto(
        self,
        url: str,
        *,
        headers: dict[str, str] | None = None,
        until: LoadState = "load",
        timeout: float = 30,
    ) -> Navigation:
        if not headers:
            return await super().goto(url, until=until, timeout=timeout)
        if not self.own:
            raise NotSupported(
                "headers are not sent from a tab that the session has not opened", "Open the page with 'tab new <url>'."
            )
        async with self._features.interception.navigation_headers(self, url, headers):
            return await super().goto(url, until=until, timeout=timeout)

    # --- effects of an action ---

    def checkpoint(self) -> Checkpoint:
        self._tabs.bring_to_front(self)
        return super().checkpoint()

    # --- `common.settle.SettleSource` ---

    def opened_tab_rows(self, checkpoint: Checkpoint) -> list[Tab]:
        opened = self.opened_tabs.since(checkpoint)
        return self._tabs.rows(opened) if opened else []

    def scan_top_frame(self, request: ScannerRequest, timeout: float) -> Coroutine[Any, Any, ScannerResponse]:
        return self.scanner_client.run(request, self.frame_tree.top, timeout)

    async def wait_for_current_tab(self, timeout: float) -> None:
        await self._tabs.changed.until(lambda: self._tabs.current is not None, timeout)
