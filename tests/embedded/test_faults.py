"""Deaths and hangs of the browser, its processes and the page: the right error at once, a session that goes on within a
second, no orphan."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from pathlib import Path

import pytest

from oryn.browsers.webkit import WebKitBrowser
from oryn.browsers.webkit.engines import find_browser_program
from oryn.engine import Session
from oryn.errors import BrowserFailed, OrynError, PageCrashed, Timeout
from tests.embedded.conftest import OPTIONS, Driver, Pages
from tests.process_groups import await_end, browser_owner, member, members
from tests.soak import SOAK, repetitions
from tests.webkit import NETWORK_PROCESS, PAGE_PROCESS, webkit_browser

pytestmark = pytest.mark.browser

ENOUGH_SECONDS = 1.0 if SOAK else 5.0
"""How long the next command may take; a machine that runs other tests beside is slower."""


async def works_again(browser: WebKitBrowser, pages: Pages) -> None:
    pages["/"] = "<title>Alive</title>"
    await browser.revive()
    await browser.page.goto(pages.url(), timeout=20)
    assert await browser.page.evaluate("document.title", timeout=10) == "Alive"


async def end(browser: WebKitBrowser, name: str) -> None:
    """Kill a process of the browser, and wait until the tab has noticed that."""
    assert browser.process_group is not None
    page = browser.page
    os.kill(member(browser.process_group, name), signal.SIGKILL)
    assert await page.channel.signal.until(lambda: page.channel.failure is not None, 5)


async def test_a_killed_web_process(own_browser: WebKitBrowser, pages: Pages) -> None:
    """The page has crashed; the browser, its cookies and its other processes stay."""
    pages["/"] = "<title>Page</title>"
    await own_browser.page.goto(pages.url("", "localhost"), timeout=10)
    await own_browser.page.evaluate("document.cookie = 'a=b'")
    group = own_browser.process_group
    waiting = asyncio.ensure_future(own_browser.page.evaluate("new Promise(() => {})", timeout=30))
    await asyncio.sleep(0)
    await end(own_browser, PAGE_PROCESS)
    with pytest.raises(PageCrashed):
        await waiting
    with pytest.raises(PageCrashed):
        await own_browser.page.evaluate("1", timeout=5)
    assert not own_browser.lost
    await works_again(own_browser, pages)
    assert own_browser.process_group == group
    await own_browser.page.goto(pages.url("", "localhost"), timeout=10)
    assert await own_browser.page.evaluate("document.cookie") == "a=b"


async def test_a_killed_browser(own_browser: WebKitBrowser, pages: Pages) -> None:
    group = own_browser.process_group
    await end(own_browser, "MiniBrowser")
    assert own_browser.lost
    with pytest.raises(BrowserFailed) as caught:
        await own_browser.page.evaluate("1", timeout=5)
    assert "the browser has ended" in caught.value.message
    await works_again(own_browser, pages)
    assert group is not None
    await_end(group)


async def test_a_killed_network_process(own_browser: WebKitBrowser, pages: Pages) -> None:
    """Pages stay; the browser starts another one for the next load."""
    pages["/"] = "<title>Page</title>"
    await own_browser.page.goto(pages.url(), timeout=10)
    assert own_browser.process_group is not None
    os.kill(member(own_browser.process_group, NETWORK_PROCESS), signal.SIGKILL)
    await own_browser._require_targets().wait_for_crash()
    assert await own_browser.page.evaluate("document.title", timeout=5) == "Page"
    await works_again(own_browser, pages)


async def test_a_library_that_is_not_installed_is_named(own_browser: WebKitBrowser, tmp_path: Path) -> None:
    # The browser's own words if it lacks a library that it loads for its first page.
    program = tmp_path / "MiniBrowser"
    program.write_text(
        f'#!/bin/sh\necho "Couldn\'t open libX.so.2: libX.so.2: cannot open shared object file: No such file" >&2\n'
        f'exec "{find_browser_program(own_browser.engine)}" "$@"\n'
    )
    program.chmod(0o700)
    browser = webkit_browser(runtime_dir=tmp_path)
    browser.engine = own_browser.engine.replace(programs=(str(program),))
    await browser.start()
    await end(browser, "MiniBrowser")
    with pytest.raises(OrynError, match=r"it needs the library libX\.so\.2") as caught:
        await browser.page.evaluate("1", timeout=5)
    assert caught.value.hint is not None and "package" in caught.value.hint
    await browser.close()


async def test_a_script_that_does_not_end(own_browser: WebKitBrowser, pages: Pages) -> None:
    group = own_browser.process_group
    with pytest.raises(Timeout):
        await own_browser.page.evaluate("for(;;);", timeout=0.5)
    await works_again(own_browser, pages)
    assert own_browser.process_group == group


async def test_a_load_that_never_ends(embedded: Driver, wpe: WebKitBrowser, pages: Pages) -> None:
    ended = threading.Event()
    pages["/never"] = lambda _: (ended.wait(30), "late")[1]
    with pytest.raises(Timeout):
        await wpe.page.goto(pages.url("/never"), timeout=2)
    ended.set()
    await works_again(wpe, pages)


FAULTS = (PAGE_PROCESS, NETWORK_PROCESS, "MiniBrowser", "a loop", "a load that never ends", "a dialog")


@pytest.mark.soak
@pytest.mark.timeout(1800 if SOAK else 300)
async def test_a_session_goes_on_after_every_fault(own_browser: WebKitBrowser, pages: Pages) -> None:
    session = Driver(Session(own_browser, "test", OPTIONS), pages)
    never = threading.Event()
    pages["/never"] = lambda _: (never.wait(60), "late")[1]
    lines = {
        "a loop": "eval --timeout 500ms for(;;);",
        "a load that never ends": f"goto {pages.url('/never')} --timeout 700ms",
        "a dialog": 'eval "setTimeout(() => confirm(1)); 1"',
    }
    groups, loop = set(), asyncio.get_running_loop()
    for round in range(repetitions(len(FAULTS), 100)):
        fault = FAULTS[round % len(FAULTS)]
        await session.show(f"<title>Round {round}</title>", "/alive")
        assert own_browser.process_group is not None
        groups.add(own_browser.process_group)
        if fault in lines:
            await session(lines[fault])
        else:
            os.kill(member(own_browser.process_group, fault), signal.SIGKILL)
            answer = await session("eval 1")
            assert fault == NETWORK_PROCESS or answer.startswith("ok") or "# hint" in answer, answer
        begun = loop.time()
        assert f"Round {round}" in await session.show(f"<title>Round {round}</title>", "/alive"), fault
        assert loop.time() - begun < ENOUGH_SECONDS, fault
        for ended in groups - {own_browser.process_group}:
            await_end(ended)
    never.set()


@pytest.mark.soak
async def test_no_process_outlives_its_browser(tmp_path: Path) -> None:
    for round in range(repetitions(2, 100)):
        browser = webkit_browser(runtime_dir=tmp_path / str(round))
        await browser.start()
        group = browser.process_group
        assert group is not None
        os.kill(member(group, ["MiniBrowser", PAGE_PROCESS, NETWORK_PROCESS][round % 3]), signal.SIGKILL)
        await browser.close()
        await_end(group)


def test_a_browser_ends_with_its_owner(tmp_path: Path) -> None:
    with browser_owner("oryn.browsers.webkit", "WebKitBrowser", tmp_path / "runtime") as (owner, group):
        assert "WPEWebProcess" in members(group).values()
        owner.kill()
        owner.wait()
        await_end(group)
