"""A tab with its scanner, for tests of the scanner alone: no session, no tabs."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.browsers.webkit.bootstrap import Bootstrap
from oryn.browsers.webkit.evaluation import WebKitEvaluation
from oryn.browsers.webkit.page import WebKitPage
from oryn.browsers.webkit.scanner_client import WebKitScannerClient
from tests.embedded.single_page import page
from tests.headless.conftest import Pages

__all__ = ["page"]


class Scanned:
    """A tab with its scanner."""

    def __init__(self, page: WebKitPage, pages: Pages) -> None:
        self.page, self.pages = page, pages
        self.bootstrap = Bootstrap()
        session = page.channel.session
        self.client = WebKitScannerClient(page.channel, page.frame_tree, self.bootstrap)
        self.evaluation = WebKitEvaluation(page.channel, self.client)
        self.client.install(session)
        self.bootstrap.attach(page, session)

    async def show(self, html: str) -> None:
        self.pages["/"] = html
        await self.page.goto(self.pages.url("/"))

    async def ask(self, cmd: str, node: Any = None, **values: Any) -> Any:
        request: Any = {"cmd": cmd, **values}
        response = await self.client.run(request, node or self.page.frame_tree.top, 10)
        assert response["ok"], response
        return response["data"]

    async def texts(self, node: Any = None) -> list[str]:
        return [each.get("text") or each.get("label") for each in (await self.ask("scan", node))["elements"]]

    async def eval(self, script: str, node: Any = None) -> Any:
        return await self.evaluation.evaluate(script, node or self.page.frame_tree.top, 10)


@pytest.fixture
def scanned(run: Any, page: WebKitPage, pages: Pages) -> Scanned:
    pages.bodies.clear()

    async def make() -> Scanned:
        return Scanned(page, pages)

    return run(make())  # type: ignore[no-any-return]
