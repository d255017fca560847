"""One Firefox with the extension for all tests of the run, and one that its user has paired with the test.

The browser stops an event page after 3 s without events instead of 30 s: every test meets what that breaks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from scripts.extension import copy
from scripts.extension.builder import PYODIDE
from scripts.extension.firefox import FirefoxBrowser, firefox_program
from tests.extension.conftest import RecordingServer
from tests.extension.driver import PairedBrowser
from tests.extension.popup_user import User, paired_with
from tests.headless.conftest import Pages

pytestmark = pytest.mark.firefox

IDLE_MILLISECONDS = 3000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    if firefox_program() is None:
        missing = pytest.mark.skip(reason="needs Firefox; setup/firefox.sh installs it")
    elif shutil.which("node") is None or not PYODIDE.is_dir():
        missing = pytest.mark.skip(reason="needs Node and Pyodide; 'make test' installs them")
    else:
        return
    for item in items:
        if item.path.is_relative_to(here) and "firefox" in getattr(item, "fixturenames", ()):
            item.add_marker(missing)


@pytest.fixture(scope="session")
def firefox(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirefoxBrowser]:
    """One Firefox with the extension, for all tests of the session."""
    folder = tmp_path_factory.mktemp("firefox")
    preferences = {"extensions.background.idle.timeout": IDLE_MILLISECONDS}
    browser = FirefoxBrowser(copy(folder / "extension", "firefox"), folder, preferences)
    run(browser.start())
    yield browser
    run(browser.close())


@pytest.fixture(scope="module")
def paired_browser(firefox: FirefoxBrowser, run: Any) -> Iterator[PairedBrowser]:
    """One pairing for the tests of a module, with a tab of its own in front."""
    server, pages = RecordingServer(), Pages()
    browser = cast("Any", firefox)  # has what is used here

    async def begin() -> PairedBrowser:
        await server.start()
        user = await User.at(browser)
        connection, _ = await paired_with(user, server)
        await user.sees("state.status === 'connected'")
        instance = PairedBrowser(browser, user, server, connection, pages)
        pages["/"] = "<title>begin</title>"
        instance.target = cast("Any", await firefox.open(pages.url("/")))
        return instance

    async def end(instance: PairedBrowser) -> None:
        await instance.user.asks(type="disconnect")
        await instance.user.asks(type="revoke", endpoint=server.url)
        await instance.user.sees("state.status === 'disconnected' && !state.paired.length")
        await browser.close_tab(instance.user.page)
        await server.close()

    instance = run(begin())
    yield instance
    run(end(instance))
    pages.server.shutdown()
    pages.server.server_close()
