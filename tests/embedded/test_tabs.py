"""The tabs of a session in WPE WebKit: opened by a command or a page, closed, told apart, and what a crash leaves."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.webkit import WebKitBrowser
from oryn.browsers.webkit.page import WebKitPage
from oryn.engine import Session
from oryn.errors import LastTab, PageCrashed, TabLimit, TabNotFound
from tests.embedded.conftest import OPTIONS, Driver, Pages
from tests.process_groups import member, members
from tests.webkit import NETWORK_PROCESS, PAGE_PROCESS, webkit_browser

pytestmark = pytest.mark.browser

LIMIT = 4


@pytest.fixture
def browser(run: Any, tmp_path: Path) -> Iterator[WebKitBrowser]:
    """A browser of the test's own that has one tab."""
    browser = webkit_browser(runtime_dir=tmp_path, load_timeout=10, max_pages=LIMIT)
    run(browser.start())
    yield browser
    run(browser.close())


async def javascript(page: WebKitPage, expression: str) -> Any:
    params = {"expression": expression, "returnByValue": True, "emulateUserGesture": True}
    return (await page.channel.call("Runtime.evaluate", params, timeout=5))["result"].get("value")


async def opened(browser: WebKitBrowser, count: int) -> None:
    assert await browser.wait_for_tabs(lambda rows: len(rows) == count, timeout=5), browser.open_tabs()


async def kill_pages(browser: WebKitBrowser) -> None:
    """Kill the processes of all pages, and wait until the browser has noticed that."""
    group = browser.process_group
    assert group is not None
    for pid, name in members(group).items():
        if name == PAGE_PROCESS:
            os.kill(pid, signal.SIGKILL)
    for page in map(browser.page_of, [tab.number for tab in browser.open_tabs()]):
        await page.channel.signal.until(lambda page=page: page.channel.failure is not None, 5)


async def test_tabs_have_numbers_urls_and_titles(browser: WebKitBrowser, pages: Pages) -> None:
    pages["/a"], pages["/b"] = "<title>A</title>", "<title>B</title>"
    assert [tab.url for tab in browser.open_tabs()] == ["about:blank"]
    await browser.page.goto(pages.url("/a"), timeout=10)
    await browser.new_tab(pages.url("/b"), timeout=10)
    rows = await browser.tabs()
    assert [(tab.number, tab.url, tab.title, tab.current) for tab in rows] == [
        (1, pages.url("/a"), "A", False),
        (2, pages.url("/b"), "B", True),
    ]
    await javascript(browser.page, "document.title = 'Other'")
    assert [tab.title for tab in await browser.tabs()] == ["A", "Other"]
    await browser.switch_tab(1)
    assert browser.page is browser.page_of(1)
    with pytest.raises(TabNotFound):
        await browser.switch_tab(7)


async def test_the_tab_of_a_link_has_its_title(browser: WebKitBrowser, pages: Pages) -> None:
    pages["/next"] = "<title>Next</title>"
    driver = Driver(Session(browser, "test", OPTIONS), pages)
    await driver.show("<a href=/next target=_blank>Next one</a>")
    for number in range(2, 12):  # no event tells of the tab at once
        answer = await driver.ok('click "Next one"')
        assert f"+ tab {number} " in answer and '/next "Next"' in answer, answer
        await driver.ok(f"tab close {number}")


async def test_a_blank_tab_stays_behind(browser: WebKitBrowser) -> None:
    changes: list[int] = []
    browser.on_tabs_changed(lambda: changes.append(len(browser.open_tabs())))
    assert await browser.blank_tab() == 2
    assert [(tab.url, tab.current) for tab in browser.open_tabs()] == [("about:blank", True), ("about:blank", False)]
    assert 2 in changes
    assert await javascript(browser.page_of(2), "location.href") == "about:blank"
    await browser.close_tab(2)
    assert len(browser.open_tabs()) == 1
    with pytest.raises(LastTab):
        await browser.close_tab()


async def test_the_browsers_own_tab_can_be_closed(browser: WebKitBrowser, pages: Pages) -> None:
    pages["/"] = "<title>Page</title>"
    await browser.new_tab(pages.url(), timeout=10)
    await browser.close_tab(1)
    assert [tab.number for tab in await browser.tabs()] == [2]
    assert await browser.blank_tab() == 3
    await kill_pages(browser)
    await browser.revive()
    await browser.page.goto(pages.url(), timeout=10)
    assert await javascript(browser.page, "document.title") == "Page"


async def test_a_page_opens_a_tab(browser: WebKitBrowser, pages: Pages) -> None:
    pages["/"], pages["/popup"] = "<title>Opener</title>", "<title>Opened</title>"
    await browser.page.goto(pages.url(), timeout=10)
    opener, checkpoint = browser.page, browser.page.checkpoint()
    await javascript(opener, "open('/popup', '', 'popup'); 1")
    await browser.tabs()
    assert [row.number for row in opener.opened_tab_rows(checkpoint)] == [2]
    assert browser.page is opener
    assert await javascript(browser.page_of(2), "opener !== null") is True
    await browser.switch_tab(2)
    await javascript(browser.page, "close()")
    await opened(browser, 1)
    assert browser.page is opener


async def test_tabs_of_one_address_are_told_apart(browser: WebKitBrowser, pages: Pages) -> None:
    pages["/"] = "<title>Opener</title>"
    pages["/popup"] = "<title>Opened</title>"
    await browser.page.goto(pages.url(), timeout=10)
    await javascript(browser.page, "for (let i = 0; i < 3; i++) open('/popup', '', 'popup'); 1")
    assert await browser.wait_for_tabs(
        lambda rows: [row.url for row in rows[1:]] == [pages.url("/popup")] * 3, timeout=5
    )
    for number in (2, 3, 4):
        page = browser.page_of(number)
        await javascript(page, f"globalThis.tab = {number}")
        script = {"browsingContextHandle": page.channel.handle, "function": "function() { return tab; }"}
        answer = await page.channel.automate("evaluateJavaScriptFunction", {**script, "arguments": []})
        assert answer["result"] == str(number)


async def test_no_more_tabs_than_the_limit(browser: WebKitBrowser, pages: Pages) -> None:
    pages["/"] = "<title>Page</title>"
    await browser.page.goto(pages.url(), timeout=10)
    await javascript(browser.page, "for (let i = 0; i < 9; i++) open('/', '', 'popup'); 1")
    await opened(browser, LIMIT)
    await browser.tabs()
    assert len(browser.open_tabs()) == LIMIT
    with pytest.raises(TabLimit):
        await browser.blank_tab()


async def test_a_hidden_tab_is_in_no_list(browser: WebKitBrowser) -> None:
    targets = browser._require_targets()
    target = await targets.open_hidden()
    session = await target.wait_for_session(5)
    assert (await session.call("Runtime.evaluate", {"expression": "1 + 1"}))["result"]["value"] == 2
    assert len(await browser.tabs()) == 1
    targets.close_hidden(target)
    assert target.ended is not None
    assert len(await browser.tabs()) == 1


async def test_the_last_tab_closes_itself(browser: WebKitBrowser, pages: Pages) -> None:
    pages["/"] = "<title>Page</title>"
    page = browser.page
    await javascript(page, "close(); 1")
    await page.channel.signal.until(lambda: page.channel.failure is not None, 5)
    await browser.revive()
    await browser.page.goto(pages.url(), timeout=10)
    assert [tab.title for tab in await browser.tabs()] == ["Page"]


async def test_after_a_crash_tabs_keep_their_numbers(browser: WebKitBrowser, pages: Pages) -> None:
    pages["/"] = "<title>Page</title>"
    await browser.new_tab(pages.url(), timeout=10)
    await kill_pages(browser)
    with pytest.raises(PageCrashed):
        await javascript(browser.page, "1")
    for number in (2, 1):
        await browser.switch_tab(number)
        assert browser.page.crashed
        await browser.revive()
        await browser.page.goto(pages.url(), timeout=10)
    assert [(tab.number, tab.title) for tab in await browser.tabs()] == [(1, "Page"), (2, "Page")]


async def test_tabs_survive_the_network_process(browser: WebKitBrowser, pages: Pages) -> None:
    pages["/"] = "<title>Page</title>"
    await browser.new_tab(pages.url(), timeout=10)
    group = browser.process_group
    assert group is not None
    former = browser.page.channel.handle
    os.kill(member(group, NETWORK_PROCESS), signal.SIGKILL)
    page = browser.page
    await page.channel.signal.until(lambda: page.channel.handle != former, 5)
    async with asyncio.timeout(5):
        while page.channel.handle == former:
            await browser.tabs()
    assert await javascript(page, "document.title") == "Page"
    await browser.revive()
    await browser.page.goto(pages.url(), timeout=10)
    assert browser.page is page
