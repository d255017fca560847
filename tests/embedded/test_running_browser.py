"""A browser that runs already, as on a device: Oryn connects to it, and leaves it running."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.webkit import WebKitBrowser
from oryn.browsers.webkit.engines import ENGINES, find_browser_program
from oryn.core.urls import DomainPolicy
from oryn.engine import Session
from oryn.errors import BrowserFailed, ConfigurationError
from tests.headless.conftest import OPTIONS, Driver, Pages

pytestmark = pytest.mark.webkit


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        found = f"127.0.0.1:{free.getsockname()[1]}"
    program = find_browser_program(ENGINES["wpe"])
    folders = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("DATA", "CACHE", "CONFIG")}
    process = subprocess.Popen(
        [program, "--automation", "--headless"],
        env={**os.environ, **folders, "WEBKIT_INSPECTOR_SERVER": found},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield found
    assert process.poll() is None, "it runs on"
    process.kill()
    process.wait()


async def started(address: str, folder: Path) -> WebKitBrowser:
    """A session's browser, once the other one listens."""
    async with asyncio.timeout(20):
        while True:
            browser = WebKitBrowser(runtime_dir=folder, endpoint=address)
            try:
                await browser.start()
                return browser
            except BrowserFailed as error:
                assert address in error.message
                await asyncio.sleep(0.02)  # no event tells that it listens


async def test_a_session_in_a_browser_that_runs(
    drivable_webkit: None, address: str, pages: Pages, tmp_path: Path
) -> None:
    pages["/"] = "<title>Shop</title><button onclick=\"document.title = 'pressed'\">Buy</button>"
    browser = await started(address, tmp_path)
    assert browser.info.endpoint == address and browser.info.attached
    assert browser.process_group is None
    oryn: Any = Driver(Session(browser, "test", OPTIONS), pages)
    await oryn.ok(f"goto {pages.url('/')}")
    assert '"pressed"' in await oryn.ok('click "Buy"')
    with pytest.raises(ConfigurationError, match="runs already"):
        browser.restrict(DomainPolicy.of(["example.org"], None))
    await browser.close()


async def test_nobody_answers(tmp_path: Path) -> None:
    browser = WebKitBrowser(runtime_dir=tmp_path, endpoint="127.0.0.1:9")
    with pytest.raises(BrowserFailed, match=r"no browser answers at 127\.0\.0\.1:9"):
        await browser.start()
