"""A WPE WebKit of the module's own with one tab, for tests of the page alone: no session, no tabs, no features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.base import DialogPolicy, Tab
from oryn.browsers.common.events import Signal
from oryn.browsers.webkit.connection import WebKitConnection
from oryn.browsers.webkit.engines import ENGINES
from oryn.browsers.webkit.launch import launch_webkit
from oryn.browsers.webkit.page import WebKitPage, WebKitPageSettings
from oryn.browsers.webkit.process import WebKitProcess
from oryn.browsers.webkit.session_features import WebKitFeatures
from tests.webkit import ENGINE


class SinglePage:
    """The tabs of a session that has one. `policy` answers its dialogs."""

    def __init__(self) -> None:
        self.current: WebKitPage | None = None
        self.changed = Signal()
        self.policy: DialogPolicy | None = None

    def rows(self, pages: Iterable[WebKitPage]) -> list[Tab]:
        return []

    def bring_to_front(self, page: WebKitPage) -> None:
        """It is there."""

    async def refresh(self) -> None:
        """Nothing else opens one."""

    async def refresh_titles(self) -> None:
        """No test asks for them."""

    async def open(self, connection: WebKitConnection, kind: type[WebKitPage] = WebKitPage) -> WebKitPage:
        handle = (await connection.automation.call("Automation.createBrowsingContext"))["handle"]
        settings = WebKitPageSettings(policy=lambda: self.policy, load_timeout=10, features=WebKitFeatures([]))
        target = connection.attach(next(row for row in connection.targets.values() if row.type == "WebPage"))
        await target.wait_for_session(5)
        self.current = kind(target, handle, self, settings)
        return self.current


@pytest.fixture(scope="module")
def page(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebKitPage]:
    """The only tab of a browser."""

    async def start() -> tuple[WebKitProcess, WebKitConnection, WebKitPage]:
        process = WebKitProcess(launch_webkit(ENGINES[ENGINE], tmp_path_factory.mktemp("wpe")))
        connection = await process.connect()
        return process, connection, await SinglePage().open(connection)

    process, connection, opened = run(start())
    yield opened
    connection.close()
    run(process.end())


async def javascript(page: WebKitPage, expression: str) -> Any:
    """The value of an expression in the page's own world."""
    answer = await page.channel.call("Runtime.evaluate", {"expression": expression, "returnByValue": True})
    assert not answer["wasThrown"], answer
    return answer["result"].get("value")


def hosts_file() -> Path:
    """A file that every Linux has."""
    return Path("/etc/hosts")
