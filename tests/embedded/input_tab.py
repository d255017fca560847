"""A tab for tests of the input alone: no session, no engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.webkit.clipboard import WebKitClipboard
from oryn.browsers.webkit.connection import WebKitConnection
from oryn.browsers.webkit.engines import ENGINES
from oryn.browsers.webkit.launch import launch_webkit
from oryn.browsers.webkit.page import WebKitPage
from oryn.browsers.webkit.process import WebKitProcess
from tests.embedded.single_page import SinglePage, javascript
from tests.webkit import ENGINE

INPUT_PAGE = Path(__file__).with_name("input_page.html").read_text("utf-8")


class InputTab(WebKitPage):
    """The tab. `tabs.policy` answers its dialogs."""

    @property
    def tabs(self) -> SinglePage:
        assert isinstance(self._tabs, SinglePage)
        return self._tabs

    @property
    def clipboard(self) -> WebKitClipboard:
        return self._features.clipboard

    async def js(self, expression: str) -> Any:
        """The value of an expression in the page's own world."""
        return await javascript(self, expression)

    async def events(self, *kinds: str) -> list[str]:
        """The events since the last call, as words; of `kinds` alone, if there are any."""
        found = await self.js("log.splice(0)")
        return [" ".join(map(str, row)) for row in found if not kinds or row[0].rstrip("!") in kinds]


@pytest.fixture(scope="module")
def tab(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InputTab]:
    """The only tab of a browser."""

    async def start() -> tuple[WebKitProcess, WebKitConnection, InputTab]:
        process = WebKitProcess(launch_webkit(ENGINES[ENGINE], tmp_path_factory.mktemp("wpe")))
        connection = await process.connect()
        opened = await SinglePage().open(connection, InputTab)
        assert isinstance(opened, InputTab)
        return process, connection, opened

    process, connection, opened = run(start())
    yield opened
    connection.close()
    run(process.end())
