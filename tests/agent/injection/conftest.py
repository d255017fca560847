"""The browser and the pages of the suite: those of the headless tests, one Chromium for all of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from tests.headless.conftest import Driver, Pages, oryn, pages
from tests.mcp.conftest import connect, host, sessions

__all__ = ["connect", "fenced", "host", "oryn", "pages", "sessions"]


@pytest.fixture(scope="module")
def chromium(browser: ChromiumBrowser) -> ChromiumBrowser:
    """The browser by the name that it has in the tests of the MCP server."""
    return browser


@pytest.fixture
def fenced(browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path) -> Iterator[Driver]:
    """A session with a fence around what may come from a page."""
    pages.bodies.clear()
    session = Session(
        ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser), options=Options(timeout=60, boundaries=True)
    )
    yield Driver(session, pages)
    run(session.close())
