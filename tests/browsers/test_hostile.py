"""Pages that crash, loop, vanish or are huge: an error in time, and the next `goto` works."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.errors import BrowserFailed, OrynError, PageCrashed, Timeout

pytestmark = pytest.mark.browser

LOOP = "<title>loop</title><button>Go</button><script>setTimeout(() => { for (;;); }, 50)</script>"


async def works_again(browser: ChromiumBrowser, server) -> None:
    async with asyncio.timeout(15):
        await browser.revive()
        assert (await browser.page.goto(server.url("/ok"))).status == 200
        assert (await browser.page.scanner({"cmd": "scan"}))["ok"]
        assert await browser.page.evaluate("document.title") == "ok"


@asynccontextmanager
async def own_browser(runtime_dir) -> AsyncIterator[ChromiumBrowser]:
    browser = ChromiumBrowser(runtime_dir=runtime_dir)
    await browser.start()
    try:
        yield browser
    finally:
        await browser.close()


async def crash(page) -> None:
    page.channel.session.send("Page.crash")
    assert await page.channel.signal.until(lambda: page.channel.failure is not None, 10)


async def test_a_tab_that_crashes(browser, page, server):
    [tab] = await browser.tabs()
    waiting = asyncio.create_task(page.evaluate("new Promise(() => {})"))
    await asyncio.sleep(0)
    await crash(page)
    with pytest.raises(PageCrashed):
        await waiting
    for command in (page.scanner({"cmd": "scan"}), page.mouse.click(1, 1), page.goto(server.url("/ok"))):
        with pytest.raises(PageCrashed):
            await command
    await works_again(browser, server)
    assert [row.number for row in await browser.tabs()] == [tab.number]


async def test_a_crash_while_hints_are_collected(browser, page, server):
    await page.goto(server.url("/ok"))
    page.channel.session.send("Page.crash")
    async with asyncio.timeout(20):
        with pytest.raises(PageCrashed):
            await page.scanner({"cmd": "scan"})
    await works_again(browser, server)


async def test_a_crash_while_settling(browser, page, server):
    await page.goto(server.page("<script>fetch('/silent')</script>"))
    checkpoint = page.checkpoint()
    await page.evaluate("void fetch('/silent')")
    settling = asyncio.create_task(page.settle(checkpoint, limit=60))
    await asyncio.sleep(0)
    await crash(page)
    async with asyncio.timeout(30):
        await settling
    await works_again(browser, server)


async def test_a_script_that_loops_is_ended(page, server):
    await page.goto(server.page("<button>Go</button>"))
    for script in ("for (;;);", "new Promise(() => { for (;;); })"):
        with pytest.raises(Timeout, match="the script did not end in time"):
            await page.evaluate(script, timeout=0.5)
        assert (await page.scanner({"cmd": "scan"}, timeout=5))["ok"]


@pytest.mark.slow
@pytest.mark.parametrize("script", ["for (;;);", "new Promise(() => { for (;;); })", "(async () => { for (;;); })()"])
async def test_the_browser_says_first_that_a_script_was_ended(page, server, script):
    await page.goto(server.page("<button>Go</button>"))
    evaluating = asyncio.create_task(page.evaluate(script, timeout=0.5))
    await asyncio.sleep(0)
    time.sleep(1.5)  # noqa: ASYNC251 - as on a machine that is busy: its answer comes before our own clock is looked at
    with pytest.raises(Timeout, match="the script did not end in time"):
        await evaluating
    assert (await page.scanner({"cmd": "scan"}, timeout=5))["ok"]


@pytest.mark.slow
async def test_a_page_that_loops(browser, page, server):
    await page.goto(server.page(LOOP))
    await page.channel.signal.until(lambda: False, 0.2)  # let the loop begin
    with pytest.raises(Timeout):
        await page.scanner({"cmd": "scan"}, timeout=0.5)
    await works_again(browser, server)


@pytest.mark.slow
async def test_leaving_a_page_that_loops_before_anyone_has_noticed(browser, page, server):
    await page.goto(server.page(LOOP))
    await page.channel.signal.until(lambda: False, 0.2)
    await works_again(browser, server)


@pytest.mark.slow
async def test_a_page_whose_layout_does_not_end(browser, page, server):
    line = "<body><script>document.body.innerHTML = '<a href=#>x</a>'.repeat(100000)</script>"
    with suppress(Timeout):  # it may count as loaded before its layout begins
        await page.goto(server.page(line), timeout=1)
    with pytest.raises(Timeout):
        await page.scanner({"cmd": "scan"}, timeout=1)
    await works_again(browser, server)


@pytest.mark.slow
async def test_a_page_that_loops_while_loading(browser, page, server):
    with pytest.raises(Timeout):
        await page.goto(server.page("<script>for (;;);</script>"), timeout=1)
    await works_again(browser, server)


@pytest.mark.slow
async def test_input_into_a_page_that_loops(browser, page, server, monkeypatch):
    monkeypatch.setattr("oryn.browsers.cdp.input.INPUT_SECONDS", 0.5)
    await page.goto(server.page(LOOP))
    await page.channel.signal.until(lambda: False, 0.2)
    with pytest.raises(Timeout):
        await page.mouse.click(10, 10)
    await works_again(browser, server)


@pytest.mark.slow
async def test_a_page_that_is_replaced_all_the_time(browser, page, server):
    await page.goto(server.page("<script>setTimeout(() => location.reload(), 30)</script>"))
    for _ in range(10):
        try:
            assert (await page.scanner({"cmd": "scan"}, timeout=2))["ok"]
        except OrynError as error:
            assert error.code in ("NAVIGATION_ERROR", "TIMEOUT")
    await works_again(browser, server)


@pytest.mark.slow
async def test_a_hundred_thousand_elements(page, server):
    await page.goto(
        server.page(
            "<body><script>document.body.innerHTML = '<i>x</i>'.repeat(99990) + '<button>Last</button>'</script>"
        )
    )
    data = (await page.scanner({"cmd": "scan", "max_elements": 5}, timeout=30))["data"]
    assert [element["text"] for element in data["elements"]] == ["Last"]


async def test_half_surrogates_from_and_to_a_page(page, server):
    await page.goto(
        server.page("<button id=b></button><script>b.textContent = 'half \\ud83d'; document.title = '\\udc00'</script>")
    )
    response = await page.scanner({"cmd": "scan"})
    assert response["ok"]
    response = await page.scanner({"cmd": "find", "target": {"text": "half \ud83d"}})
    assert response["ok"]
    assert await page.evaluate("'\ud83d'.length") == 1


async def test_a_page_that_removes_itself(page, server):
    await page.goto(
        server.page("<button>b</button><script>setTimeout(() => document.documentElement.remove(), 20)</script>")
    )
    await page.scanner({"cmd": "wait_for", "condition": "gone", "selector": "button", "timeout": 2000})
    assert (await page.scanner({"cmd": "scan"}))["data"]["elements"] == []


@pytest.mark.slow
async def test_a_browser_that_dies(runtime_dir, server):
    async with own_browser(runtime_dir) as browser:
        page = browser.page
        waiting = asyncio.create_task(page.evaluate("new Promise(() => {})"))
        await asyncio.sleep(0)
        os.kill(browser._shared.process.pid, signal.SIGKILL)
        with pytest.raises(BrowserFailed):
            await waiting
        with pytest.raises(BrowserFailed):
            await browser.page.scanner({"cmd": "scan"})
        with pytest.raises(BrowserFailed):
            await browser.tabs()
        await works_again(browser, server)


async def test_a_browser_that_hangs_is_ended_all_the_same(runtime_dir):
    async with own_browser(runtime_dir) as browser:
        os.kill(browser._shared.process.pid, signal.SIGSTOP)
        async with asyncio.timeout(15):
            await browser.close()
    assert list(runtime_dir.iterdir()) == []


ENDLESS = "<title>stuck</title><script>addEventListener('{}', () => {{ for (;;); }})</script><button>Go</button>"


@pytest.mark.slow
@pytest.mark.parametrize("host", ["same", "other"])
@pytest.mark.parametrize("event", ["beforeunload", "pagehide", "unload", "visibilitychange"])
async def test_leaving_a_page_whose_handler_does_not_end(browser, page, server, event, host):
    await page.goto(server.page(ENDLESS.format(event)))
    await page.mouse.click(10, 10)  # only a page that was used is asked before it is left
    url = server.url("/ok") if host == "same" else server.url("/ok").replace("127.0.0.1", "localhost")
    began = time.monotonic()
    assert (await page.goto(url, timeout=20)).status == 200
    assert time.monotonic() - began < 8
    assert await page.evaluate("document.title") == "ok"
    await page.goto(server.page(ENDLESS.format(event)))
    await page.mouse.click(10, 10)
    began = time.monotonic()
    await page.reload(timeout=20)
    await page.history(-1, timeout=20)
    assert time.monotonic() - began < 16
    assert await page.evaluate("document.title") == "ok"
