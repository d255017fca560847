"""Deaths of the driver, the browser, a tab and a server: a clear error, a session that works again, no orphan."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.base import Browser
from oryn.browsers.playwright import PlaywrightBrowser, PlaywrightEngineBrowser
from oryn.engine import Session
from oryn.errors import BrowserFailed, OrynError, PageCrashed, Timeout
from oryn.system.processes import wait_for_end
from tests.playwright.conftest import OPTIONS, Driver, Pages
from tests.playwright.servers import (
    FIREFOX,
    BrowserServer,
    DebuggingPort,
    LaunchedFirefoxServer,
    LaunchedServer,
    RunServer,
    children_of,
    running,
)
from tests.process_groups import await_end, browser_owner
from tests.soak import repetitions

pytestmark = pytest.mark.browser
Create = Callable[..., PlaywrightBrowser]


def parent_of(pid: int) -> int:
    """The driver of a browser."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


async def works_again(browser: PlaywrightBrowser, pages: Pages) -> None:
    pages["/"] = "<title>Alive</title>"
    await browser.revive()
    await browser.page.goto(pages.url(), timeout=60)
    assert await browser.page.evaluate("document.title", timeout=60) == "Alive"


async def killed(browser: PlaywrightBrowser, victim: str) -> int:
    """Kill the browser or the driver, and wait until nothing of both is left. Returns the browser's process group."""
    group = browser.process_group
    assert group is not None
    driver = parent_of(group)
    os.kill(group if victim == "browser" else driver, signal.SIGKILL)
    await_end(group)
    if victim == "driver":
        wait_for_end(driver)
    return group


@pytest.mark.parametrize("victim", ["browser", "driver"])
async def test_a_killed_process(create: Create, pages: Pages, victim: str) -> None:
    browser = create()
    await browser.start()
    await browser.page.goto("about:blank")
    group = await killed(browser, victim)
    assert await browser.wait_for_tabs(lambda tabs: not tabs, timeout=60)
    with pytest.raises(BrowserFailed) as caught:
        await browser.page.evaluate("1", timeout=5)
    assert (caught.value.message, caught.value.hint) == (
        "the browser closed the connection", "Run 'goto' to start it again."
    )  # fmt: skip
    assert browser.lost
    await works_again(browser, pages)
    assert browser.process_group != group


async def test_a_crashed_tab(create: Create, pages: Pages) -> None:
    browser = create()
    await browser.start()
    with pytest.raises(OrynError):
        await browser.page.goto("chrome://crash", timeout=10)
    with pytest.raises(PageCrashed):
        await browser.page.evaluate("1", timeout=5)
    await works_again(browser, pages)


async def test_a_script_that_does_not_end(create: Create, pages: Pages) -> None:
    browser = create()
    await browser.start()
    with pytest.raises(Timeout):
        await browser.page.evaluate("for(;;);", timeout=0.5)
    await works_again(browser, pages)


@pytest.mark.soak
async def test_no_browser_outlives_its_session(create: Create) -> None:
    for round in range(repetitions(2, 50)):
        browser = create()
        await browser.start()
        group = await killed(browser, ["driver", "browser"][round % 2])
        await browser.close()
        await_end(group)


def create_client(server: BrowserServer, runtime_dir: Path) -> Browser:
    if isinstance(server, LaunchedFirefoxServer):
        return PlaywrightEngineBrowser("firefox", endpoint=server.address, runtime_dir=runtime_dir, load_timeout=10)
    return PlaywrightBrowser(endpoint=server.address, runtime_dir=runtime_dir, load_timeout=10)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", [RunServer, LaunchedServer, DebuggingPort, LaunchedFirefoxServer])
async def test_a_server_that_goes_away(kind: type[BrowserServer], pages: Pages, tmp_path: Path) -> None:
    """Each round: a session on a server that is killed, a clear error, no server, the session on the next server; then
    neither a driver nor a browser is left."""
    if kind is LaunchedFirefoxServer and FIREFOX is None:
        pytest.skip("needs Firefox")
    pages["/"] = "<title>Alive</title><button onclick=\"this.textContent = 'Done'\">Go</button>"
    server = kind(tmp_path / "server")
    before = children_of(os.getpid())
    for _ in range(repetitions(1, 50)):
        async with running(server):
            browser = create_client(server, tmp_path / "run")
            session = Driver(Session(browser, "guest", OPTIONS), pages)
            await session.ok(f"goto {pages.url()}")
            assert 'button "Done"' in await session.ok('click "Go"')
            await server.kill()
            answer = await session("observe")
            assert ("the browser closed the connection" in answer) or ("the browser has ended" in answer), answer
            assert "goto" in answer.partition("# hint")[2]
            assert "no Playwright server and no browser answers" in await session("goto about:blank")
            await server.start()
            await session.ok(f"goto {pages.url()}")
            assert 'button "Done"' in await session.ok('click "Go"')
            await session.session.close()
        assert children_of(os.getpid()) <= before
        assert not list((tmp_path / "run").glob("*"))


def test_a_browser_ends_with_its_owner(tmp_path: Path) -> None:
    with browser_owner("oryn.browsers.playwright", "PlaywrightBrowser", tmp_path / "runtime") as (owner, group):
        driver = parent_of(group)
        owner.kill()
        owner.wait()
        await_end(group)
        wait_for_end(driver)


async def test_a_browser_that_is_none(create: Create, tmp_path: Path) -> None:
    program = tmp_path / "browser"
    program.write_text("#!/bin/sh\necho 'no libraries here' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(BrowserFailed) as caught:
        await create(executable=str(program)).start()
    assert "the browser did not start" in caught.value.message
    assert "no libraries here" in caught.value.message


def test_playwright_that_is_not_installed(tmp_path: Path) -> None:
    program = """
import sys; sys.modules["playwright"] = None
import asyncio
from pathlib import Path
from oryn.browsers.base import Browser
from oryn.browsers.playwright import PlaywrightBrowser, PlaywrightEngineBrowser
from oryn.engine import Session
from oryn.errors import NotSupported
try:
    asyncio.run(PlaywrightBrowser(runtime_dir=Path(sys.argv[1])).start())
except NotSupported as error:
    print(error.message, error.hint)
"""
    command: list[Any] = [sys.executable, "-c", program, tmp_path]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith("the backend playwright needs playwright")
    assert said.endswith("which is not installed Install it: pip install 'oryn-browser[playwright]'.\n")
