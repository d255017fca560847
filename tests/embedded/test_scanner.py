"""The scanner in the documents of a tab: its own realm, which no page reaches, and what it finds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oryn.browsers.webkit.bootstrap import Bootstrap
from oryn.browsers.webkit.evaluation import WebKitEvaluation
from oryn.browsers.webkit.page import WebKitPage
from oryn.browsers.webkit.scanner_client import WebKitScannerClient
from tests.embedded.single_page import javascript, page
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


async def test_a_page_is_scanned(scanned: Scanned) -> None:
    await scanned.show("<button>Go</button><label>Name <input></label>")
    assert await scanned.texts() == ["Go", "Name"]
    assert (await scanned.ask("settle"))["quiet"]


async def test_the_page_finds_nothing(scanned: Scanned) -> None:
    await scanned.show(
        "<!doctype html><script>const names = Reflect.ownKeys(window).map(String);"
        "const ours = names.filter((name) => name.startsWith('Symbol(') || /oryn|scan|^[0-9a-f]{16}$/i.test(name));"
        "window.seen = JSON.stringify([length, document.childNodes.length, document.compatMode, ours])</script>"
    )
    assert json.loads(await javascript(scanned.page, "seen")) == [0, 2, "CSS1Compat", []]
    assert await javascript(scanned.page, "document.querySelectorAll('iframe').length") == 0
