"""Deaths and hangs of the driver, the browser and the page: a clear error, a session that is made again, no orphan."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oryn.browsers.webdriver.driver import DriverProcess, launch_driver
from oryn.browsers.webdriver.engines import ENGINES

from oryn.browsers.webdriver import WebDriverBrowser
from oryn.browsers.webkit.engines import find_browser_program
from oryn.engine import Session
from oryn.errors import OrynError, Timeout
from tests.embedded.conftest import OPTIONS, Driver, Pages
from tests.process_groups import await_end, browser_owner, member, members
from tests.soak import SOAK, repetitions

pytestmark = pytest.mark.browser


async def works_again(browser: WebDriverBrowser, pages: Pages) -> None:
    pages["/"] = "<title>Alive</title>"
    await browser.revive()
    await browser.page.goto(pages.url(), timeout=20)
    assert await browser.page.evaluate("document.title", timeout=10) == "Alive"


@pytest.mark.parametrize("name", ["WPEWebProcess", "WPEWebDriver", "MiniBrowser"])
async def test_a_killed_process(own_browser: WebDriverBrowser, pages: Pages, name: str) -> None:
    await own_browser.page.goto("about:blank")
    group = own_browser.process_group
    assert group is not None
    os.kill(member(group, name), signal.SIGKILL)
    if name in ("WPEWebDriver", "MiniBrowser"):
        assert await own_browser.wait_until_lost(timeout=60)
    with pytest.raises(OrynError) as caught:
        await own_browser.page.evaluate("1", timeout=5)
    assert "the browser has ended" in caught.value.message
    await works_again(own_browser, pages)
    await_end(group)


async def test_a_library_that_is_not_installed_is_named(own_browser: WebDriverBrowser, tmp_path: Path) -> None:
    browser = WebDriverBrowser(runtime_dir=tmp_path)
    # The browser's own words if it lacks a library that it loads for its first page.
    program = tmp_path / "MiniBrowser"
    program.write_text(
        f'#!/bin/sh\necho "Couldn\'t open libX.so.2: libX.so.2: cannot open shared object file: No such file" >&2\n'
        f'exec "{find_browser_program(own_browser.engine.browser)}" "$@"\n'
    )
    program.chmod(0o700)
    browser.engine = own_browser.engine.replace(browser=own_browser.engine.browser.replace(programs=(str(program),)))
    await browser.start()
    assert browser.process_group is not None
    os.kill(member(browser.process_group, "MiniBrowser"), signal.SIGKILL)
    assert await browser.wait_until_lost(timeout=60)
    with pytest.raises(OrynError, match=r"it needs the library libX\.so\.2") as caught:
        await browser.page.evaluate("1", timeout=5)
    assert caught.value.hint is not None and "package" in caught.value.hint
    await browser.close()


async def test_a_killed_network_process(own_browser: WebDriverBrowser, pages: Pages) -> None:
    """The browser ends with it, or goes on without loading anything: the load says so, and the next one works."""
    await own_browser.page.goto("about:blank")
    group = own_browser.process_group
    assert group is not None
    os.kill(member(group, "WPENetworkProce"), signal.SIGKILL)
    with pytest.raises(OrynError) as caught:
        await own_browser.page.goto(pages.url(), timeout=5)
    assert "the browser has ended" in caught.value.message or "did not begin to load" in caught.value.message
    await works_again(own_browser, pages)


async def test_a_script_that_does_not_end(own_browser: WebDriverBrowser, pages: Pages) -> None:
    group = own_browser.process_group
    with pytest.raises(Timeout):
        await own_browser.page.evaluate("for(;;);", timeout=0.5)
    await works_again(own_browser, pages)
    assert own_browser.process_group != group
    assert group is not None
    await_end(group)


async def test_a_load_that_never_ends(embedded: Any, wpe: WebDriverBrowser, pages: Pages) -> None:
    end = threading.Event()
    pages["/never"] = lambda _: (end.wait(30), "late")[1]
    with pytest.raises(Timeout) as caught:
        await wpe.page.goto(pages.url("/never"), timeout=2)
    end.set()
    assert "did not begin to load" in caught.value.message
    await works_again(wpe, pages)


FAULTS = ("WPEWebProcess", "WPEWebDriver", "MiniBrowser", "a loop", "a load that never ends", "a refused connection")


@pytest.mark.soak
@pytest.mark.timeout(1800 if SOAK else 300)
async def test_a_session_goes_on_after_every_fault(own_browser: WebDriverBrowser, pages: Pages) -> None:
    session = Driver(Session(own_browser, "test", OPTIONS), pages)
    never = threading.Event()
    pages["/never"] = lambda _: (never.wait(60), "late")[1]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        closed = probe.getsockname()[1]
    lines = {
        "a loop": "eval --timeout 500ms for(;;);",
        "a load that never ends": f"goto {pages.url('/never')} --timeout 700ms",
        "a refused connection": f"goto http://127.0.0.1:{closed}/",
    }
    groups = set()
    for round in range(repetitions(len(FAULTS), 100)):
        fault = FAULTS[round % len(FAULTS)]
        await session.show(f"<title>Round {round}</title>", "/alive")
        assert own_browser.process_group is not None
        groups.add(own_browser.process_group)
        if fault not in lines:
            os.kill(member(own_browser.process_group, fault), signal.SIGKILL)
        answer = await session(lines.get(fault, "eval 1"))
        assert answer.startswith("error") and "# hint" in answer, f"round {round}, {fault}: {answer}"
        assert f"Round {round}" in await session.show(f"<title>Round {round}</title>", "/alive"), fault
        for ended in groups - {own_browser.process_group}:
            await_end(ended)
    never.set()


@pytest.mark.soak
async def test_no_browser_outlives_its_driver(tmp_path: Path) -> None:
    for round in range(repetitions(2, 100)):
        browser = WebDriverBrowser(runtime_dir=tmp_path / str(round))
        await browser.start()
        group = browser.process_group
        assert group is not None
        os.kill(member(group, ["WPEWebDriver", "MiniBrowser", "WPEWebProcess"][round % 3]), signal.SIGKILL)
        await browser.close()
        await_end(group)


def test_a_browser_ends_with_its_owner(tmp_path: Path) -> None:
    with browser_owner("oryn.browsers.webdriver", "WebDriverBrowser", tmp_path / "runtime") as (owner, group):
        assert "WPEWebProcess" in members(group).values()
        owner.kill()
        owner.wait()
        await_end(group)


@pytest.fixture
def running_driver(run: Any, tmp_path: Path) -> Iterator[DriverProcess]:
    async def start() -> DriverProcess:
        return DriverProcess(launch_driver(ENGINES["wpe"], tmp_path))

    driver = run(start())
    yield driver
    run(driver.end())


async def test_a_driver_that_runs_already(running_driver: DriverProcess, pages: Pages, tmp_path: Path) -> None:
    for _ in range(2):  # the first session ends, and another can begin
        browser = WebDriverBrowser(driver_url=running_driver.url, runtime_dir=tmp_path)
        await browser.start()
        assert browser.info.attached
        await works_again(browser, pages)
        await browser.close()
    assert not running_driver.ended
