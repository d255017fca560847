"""`ScannedPage`: a tab whose scanner is run from outside of the page, by the browser's own protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.browsers.base import Frame
from oryn.browsers.common.frame_tree import AnyNode
from oryn.browsers.common.main_world import is_for_main_world
from oryn.browsers.common.network_errors import READ_COMMANDS
from oryn.browsers.common.page import BasePage
from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.common.scanner_client import ScannerClient
    from oryn.scanner.protocol import ScannerRequest, ScannerResponse


class ScannedPage(BasePage[AnyNode]):
    """One tab. An engine sets the attributes that have no value here."""

    scanner_client: ScannerClient[AnyNode]

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
