"""Whether the WebKit of this machine can be driven; if it is refused, tests of embedded mode are skipped."""

from __future__ import annotations

import asyncio
import tempfile
from functools import cache
from pathlib import Path

import pytest

from oryn.errors import BrowserNotFound, BrowserUnsuitable


@cache
def refusal() -> str | None:
    """Why embedded mode does not run here; None if it does."""
    from oryn.browsers.webkit import WebKitBrowser
    from oryn.browsers.webkit.engines import ENGINES, find_browser_program

    try:
        find_browser_program(ENGINES["wpe"])
    except BrowserNotFound:
        return "needs WPE WebKit; 'make test' installs it on Debian"

    async def attempt(folder: str) -> str | None:
        browser = WebKitBrowser(runtime_dir=Path(folder))
        try:
            await browser.start()
        except BrowserUnsuitable as error:
            return error.message
        finally:
            await browser.close()
        return None

    with tempfile.TemporaryDirectory(prefix="oryn-") as folder:
        return asyncio.run(attempt(folder))


@pytest.fixture
def drivable_webkit() -> None:
    """Skips the test if the WebKit of this machine is missing or refused."""
    if reason := refusal():
        pytest.skip(reason)
