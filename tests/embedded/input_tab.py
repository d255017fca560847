"""A tab with its input, for tests of the input alone: no session, no engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oryn.browsers.webkit.bootstrap import Bootstrap
from oryn.browsers.webkit.scanner_client import WebKitScannerClient

from oryn.browsers.base import Frame
from oryn.browsers.webkit.clipboard import WebKitClipboard
from oryn.browsers.webkit.connection import WebKitConnection
from oryn.browsers.webkit.engines import ENGINES
from oryn.browsers.webkit.input_page import WebKitInputPage
from oryn.browsers.webkit.launch import WebKitProcess, launch_webkit
from oryn.browsers.webkit.page import WebKitPage, WebKitPageSettings
from oryn.browsers.webkit.session_features import WebKitFeatures
from tests.embedded.single_page import SinglePage

INPUT_PAGE = Path(__file__).with_name("input_page.html").read_text("utf-8")


class InputTab(WebKitInputPage, WebKitPage):
    """The tab."""

    tabs: SinglePage
    clipboard: WebKitClipboard

    def begin(self, tabs: SinglePage) -> None:
        session = self.channel.session
        bootstrap = Bootstrap()
        self.tabs = tabs
        self.clipboard = WebKitClipboard()
        self.scanner_client = WebKitScannerClient(self.channel, self.frame_tree, bootstrap)
        self.prepare_input(lambda: tabs.policy, self.clipboard)
        self.channel.automation.on("Automation.fileChooserDismissed", self.on_file_chooser_dismissed)
        self.scanner_client.install(session)
        bootstrap.attach(self, session)

    async def scanner(self, request: Any, frame: Frame | None = None, *, timeout: float = 30) -> Any:
        self.channel.check()
        return await self.scanner_client.run(request, self.frame_tree.node(frame), timeout)

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame:
        node = self.frame_tree.node(frame)
        index = await self.scanner_client.frame_index(element_id, node)
        assert index is not None
        return self.frame_tree.frame_at(node, index)

    async def js(self, expression: str) -> Any:
        """The value of an expression in the page's own world."""
        answer = await self.channel.call("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        assert not answer["wasThrown"], answer
        return answer["result"].get("value")

    async def events(self, *kinds: str) -> list[str]:
        """The events since the last call, as words; of `kinds` alone, if there are any."""
        found = await self.js("log.splice(0)")
        return [" ".join(map(str, row)) for row in found if not kinds or row[0].rstrip("!") in kinds]


@pytest.fixture(scope="module")
def tab(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InputTab]:
    """The only tab of a browser."""

    async def start() -> tuple[WebKitProcess, WebKitConnection, InputTab]:
        process = WebKitProcess(launch_webkit(ENGINES["wpe"], tmp_path_factory.mktemp("wpe")))
        connection = await process.connect()
        tabs = SinglePage()
        handle = (await connection.automation.call("Automation.createBrowsingContext"))["handle"]
        settings = WebKitPageSettings(policy=lambda: tabs.policy, load_timeout=10, features=WebKitFeatures([]))
        opened = InputTab(await connection.attach(connection.tabs[0]), handle, tabs, settings)
        opened.begin(tabs)
        return process, connection, opened

    process, connection, opened = run(start())
    yield opened
    connection.close()
    run(process.end())
