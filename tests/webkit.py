"""Whether the WebKit of this machine can be driven; if it is refused, tests of embedded mode are skipped."""

from __future__ import annotations

import asyncio
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from oryn.errors import BrowserNotFound, BrowserUnsuitable

if TYPE_CHECKING:
    from oryn.browsers.webkit import WebKitBrowser
    from oryn.browsers.webkit.engines import EngineName

ENGINE = cast("EngineName", os.environ.get("ORYN_WEBKIT_ENGINE", "wpe"))
"""The engine that the tests of embedded mode drive."""
PAGE_PROCESS, NETWORK_PROCESS = (
    ("WebKitWebProces", "WebKitNetworkPr") if ENGINE == "webkitgtk" else ("WPEWebProcess", "WPENetworkProce")
)
"""The first 15 characters of the names of its processes."""


def webkit_browser(**settings: Any) -> WebKitBrowser:
    """A browser of that engine, which is not started yet."""
    from oryn.browsers.webkit import WebKitBrowser

    return WebKitBrowser(ENGINE, **settings)


@cache
def refusal() -> str | None:
    """Why embedded mode does not run here; None if it does."""
    from oryn.browsers.webkit.engines import ENGINES, find_browser_program

    try:
        find_browser_program(ENGINES[ENGINE])
    except BrowserNotFound:
        return f"needs {ENGINES[ENGINE].packages}; 'make test' installs WPE WebKit on Debian"

    async def attempt(folder: str) -> str | None:
        browser = webkit_browser(runtime_dir=Path(folder))
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
