"""The popup, the bar and the toolbar of the real extension, while a server drives the browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from oryn import Oryn
from oryn.errors import OrynError
from scripts.extension.browser import ExtendedBrowser, Target
from tests.extension.banner import Tab
from tests.extension.popup_user import User, forget
from tests.extension.test_pictures import free_port, press, write
from tests.headless.conftest import Pages

PAGE = """<!doctype html><title>Fern</title><h1>Ferns</h1><button>Buy</button><div id=more>More</div>
<script>more.addEventListener('click', () => { more.textContent = 'All' })</script>"""
TITLE = "chrome.action.getTitle({})"
BUTTONS = "".join(
    f"<button style='flex:1' onclick='this.textContent = &quot;P{number}&quot;'>B{number}</button>"
    for number in range(12)
)
STATUS = "document.querySelector('#status').textContent"


@asynccontextmanager
async def connected(browser: ExtendedBrowser) -> AsyncIterator[tuple[Oryn, Target]]:
    """A server that the user has paired by pressing *Connect* in the popup, and the popup."""
    popup = await browser.popup()
    await popup.until(f"{STATUS} === 'Not connected'")
    port = free_port()
    await write(popup, "#endpoint", f"ws://localhost:{port}")
    await press(popup, "#connect")
    code: str = await popup.until("document.querySelector('#code').textContent")
    async with Oryn("remote", port=port, pair=code.replace(" ", "")) as oryn:
        yield oryn, popup


@pytest.fixture
def shared(extension_browser: ExtendedBrowser, run: Any) -> Iterator[ExtendedBrowser]:
    """The browser of all tests with nobody paired, and afterwards with an empty page alone."""
    yield extension_browser

    async def tidy() -> None:
        await forget(await User.at(extension_browser))
        await extension_browser.page_in_front()

    run(tidy())


@pytest.mark.slow
async def test_the_bar_comes_with_the_first_command_and_its_button_ends_everything(
    shared: ExtendedBrowser, pages: Pages
) -> None:
    pages["/fern"] = PAGE
    page = await shared.open(pages.url("/fern"))
    async with connected(shared) as (oryn, popup):
        tab = await Tab.of(shared, page)
        assert await tab.bar() is None, "nothing was asked yet"
        assert await tab.worker.until(f"{TITLE}.then((title) => title.startsWith('Oryn: connected to localhost:'))")
        assert "Buy" in await oryn.send("observe")
        await tab.button()
        pages["/other"] = PAGE.replace("Fern", "Moss")
        await oryn.send(f"goto {pages.url('/other')}")
        await page.until("document.title === 'Moss'")
        await tab.button()
        waiting = asyncio.create_task(oryn.send('wait visible "Never" --timeout 50s'))
        await popup.until("document.querySelectorAll('#activity .running').length")
        await tab.press_stop()
        assert "stopped by the user" in await waiting
        popup = await shared.open_behind("popup")  # a popup closes when the page is pressed
        await popup.until(f"{STATUS} === 'Not connected'")
        assert await popup.evaluate("document.querySelector('#detail').textContent") == "Stopped."
        assert await tab.worker.until(f"{TITLE}.then((title) => title === 'Oryn: not connected')")
        await page.until("!document.querySelector('[data-oryn-banner]')")


async def allow_real_keys(popup: Target) -> None:
    await popup.evaluate("document.querySelector('[name=trusted_input]').click()")
    await popup.until("chrome.storage.sync.get('trusted_input').then(({trusted_input}) => trusted_input)")


@pytest.mark.slow
@pytest.mark.parametrize("real_keys", [False, True])
async def test_answers_are_the_same_with_the_bar_and_no_picture_shows_it(
    shared: ExtendedBrowser, pages: Pages, real_keys: bool
) -> None:
    pages["/fern"] = PAGE
    page = await shared.open(pages.url("/fern"))
    async with connected(shared) as (oryn, popup):
        if real_keys:  # which also lets it ask what only listens
            await allow_real_keys(popup)
            while "More" not in await oryn.send("observe"):
                pass  # the listeners may be asked for after an answer
        lines = ("observe", "html", "text", "snapshot", 'text css("html")', "observe")
        first = [await oryn.send(line) for line in lines]
        tab = await Tab.of(shared, page)
        await tab.button()
        assert [await oryn.send(line) for line in lines] == first
        assert "oryn" not in first[1]
        assert ("More" in first[0]) is real_keys
        answer = await oryn.send("screenshot")
        assert not answer.startswith("error"), answer
        await tab.button()


@pytest.mark.slow
@pytest.mark.parametrize("real_keys", [False, True])
async def test_a_frame_of_another_origin_below_the_button(
    shared: ExtendedBrowser, pages: Pages, real_keys: bool
) -> None:
    pages["/inner"] = f"<body style='margin:0;display:flex;height:30px'>{BUTTONS}</body>"
    inner = pages.url("/inner", host="localhost")
    pages["/outer"] = (
        f"<body style='margin:0'><iframe src='{inner}' style='width:100%;height:30px;border:0'></iframe></body>"
    )
    page = await shared.open(pages.url("/outer"))
    async with connected(shared) as (oryn, popup):
        if real_keys:
            await allow_real_keys(popup)
        await oryn.send("observe")
        tab = await Tab.of(shared, page)
        await tab.button()
        for number in range(12):
            answer = await oryn.send(f'click "B{number}"')
            assert answer.startswith("ok") and f"P{number}" in answer, answer


@pytest.mark.slow
async def test_a_tab_that_is_out_of_reach_has_no_bar(shared: ExtendedBrowser, pages: Pages) -> None:
    pages["/fern"] = PAGE
    page = await shared.open(pages.url("/fern"))
    async with connected(shared) as (oryn, _):
        tab = await Tab.of(shared, page)
        await oryn.send("observe")
        await tab.button()
        other = await shared.open("popup")
        await page.until("!document.querySelector('[data-oryn-banner]')")
        await other.until("!document.querySelector('#tabs').checkVisibility()")
        await shared.close_tab(other)
        await tab.button()
        await page.evaluate("document.title = 'Moss'")
        whole = await shared.open_behind("popup")
        await whole.until("document.querySelector('#controlled').textContent.includes('Moss')")


@pytest.mark.slow
async def test_the_popup_outlives_the_worker(fresh_browser: ExtendedBrowser) -> None:
    page = await fresh_browser.open("popup")
    await page.until(f"{STATUS} === 'Not connected'")
    await page.evaluate("document.querySelector('[name=tab_scope][value=all]').click()")
    await page.until("document.querySelector('#engine').textContent.includes('ready')")
    await fresh_browser.kill_worker()
    await page.until("document.querySelector('#engine').textContent.includes('starting')")
    await page.until("document.querySelector('#engine').textContent.includes('ready')")
    assert await page.evaluate("document.querySelector('#settings').elements.tab_scope.value") == "all"
    await write(page, "#endpoint", "ws://192.168.1.1:8080")
    await press(page, "#connect")
    await page.until("document.querySelector('#notice').checkVisibility()")
    notice = await page.evaluate("document.querySelector('#notice').textContent")
    assert notice == "192.168.1.1 is not this computer, and ws:// is not encrypted. Use wss://192.168.1.1."


async def test_the_whole_page_of_settings_is_one_press_away(fresh_browser: ExtendedBrowser) -> None:
    await fresh_browser.open("data:text/html,<title>Fern</title>")
    popup = await fresh_browser.popup()
    await popup.until("document.querySelector('#open-in-tab').checkVisibility()")
    try:
        await press(popup, "#open-in-tab")
    except OrynError:
        pass  # the popup has closed already
    worker = await fresh_browser.worker()
    options = json.dumps(f"chrome-extension://{fresh_browser.id}/popup/popup.html")
    await worker.until(f"chrome.tabs.query({{}}).then((tabs) => tabs.some(({{ url }}) => url === {options}))")
