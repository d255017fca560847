"""Several sessions' browsers in one process: what each has of its own, and what is left when one is closed."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.base import Cookie
from oryn.browsers.chromium import ChromiumBrowser, contexts
from oryn.errors import BrowserError, BrowserFailed

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pair(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ChromiumBrowser, ChromiumBrowser]]:
    """Two sessions' browsers: the default context of a process and another in it."""
    first = ChromiumBrowser(runtime_dir=tmp_path_factory.mktemp("run"), load_timeout=2)
    second = ChromiumBrowser(runtime_dir=tmp_path_factory.mktemp("unused"), shared_with=first)
    run(first.start())
    run(second.start())
    yield first, second
    run(second.close())
    run(first.close())


def footprint(browser: ChromiumBrowser) -> dict[str, Any]:
    """What a process holds for the sessions in it, on our side."""
    connection, chromium = browser._connection, browser._shared
    assert chromium.run_folder is not None
    return {
        "sessions": set(connection._sessions),
        "pending": len(connection.pending._commands),
        "handlers": {event: len(handlers) for event, handlers in connection.root.handlers.items()},
        "contexts": set(chromium.router._targets),
        "owners": set(chromium.router._owners),
        "files": {file.name for file in chromium.run_folder.folder.iterdir()},
        "tasks": len(asyncio.all_tasks()),
    }


async def targets_of(browser: ChromiumBrowser) -> set[str]:
    answer = await browser._connection.root.call("Target.getTargets")
    return {info["targetId"] for info in answer["targetInfos"]}


async def test_windows_load_no_pages_of_the_browsers_own_interface(
    pair: tuple[ChromiumBrowser, ChromiumBrowser],
) -> None:
    for browser in pair:
        await browser.page.goto("about:blank")
    answer = await pair[0]._connection.root.call("Target.getTargets", {"filter": [{}]})
    assert {info["type"] for info in answer["targetInfos"]} == {"page", "tab"}, answer


# --- isolation ---


async def _cookie(browser: ChromiumBrowser) -> object:
    return [cookie.name for cookie in await browser.cookies()]


async def _set_cookie(browser: ChromiumBrowser) -> None:
    await browser.set_cookies([Cookie("name", "value", "127.0.0.1")])


def _in_page(expression: str) -> Callable[[ChromiumBrowser], Awaitable[object]]:
    async def evaluate(browser: ChromiumBrowser) -> object:
        return await browser.page.evaluate(expression)

    return evaluate


async def _tabs(browser: ChromiumBrowser) -> object:
    return len(await browser.tabs())


async def _policy(browser: ChromiumBrowser) -> object:
    return browser.dialog_policy


async def _set_policy(browser: ChromiumBrowser) -> None:
    browser.dialog_policy = "accept"


_CACHE = "caches.open('x').then(cache => cache.put('/x', new Response('1')))"
_DATABASE = "new Promise(done => indexedDB.open('x').onsuccess = () => done())"
_DATABASES = "indexedDB.databases().then(all => all.length)"

RESOURCES: dict[str, tuple[Any, Any]] = {
    "cookies": (_set_cookie, _cookie),
    "document.cookie": (_in_page("document.cookie = 'a=b'"), _in_page("document.cookie")),
    "localStorage": (_in_page("localStorage.setItem('a', 'b')"), _in_page("localStorage.length")),
    "sessionStorage": (_in_page("sessionStorage.setItem('a', 'b')"), _in_page("sessionStorage.length")),
    "IndexedDB": (_in_page(_DATABASE), _in_page(_DATABASES)),
    "caches": (_in_page(_CACHE), _in_page("caches.keys().then(keys => keys.length)")),
    "history": (_in_page("history.pushState(1, '', '?pushed')"), _in_page("history.length")),
    "url": (_in_page("location.hash = 'there'"), _in_page("location.hash")),
    "window.name": (_in_page("window.name = 'mine'"), _in_page("window.name")),
    "tabs": (lambda browser: browser.new_tab("about:blank"), _tabs),
    "dialog policy": (_set_policy, _policy),
}


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("from_first", [True, False], ids=["default to own", "own to default"])
async def test_nothing_of_one_session_reaches_another(pair, server, resource, from_first):
    writer, reader = pair if from_first else pair[::-1]
    write, read = RESOURCES[resource]
    for browser in pair:
        for tab in (await browser.tabs())[1:]:
            await browser.close_tab(tab.number)
        await browser.page.goto(server.url("/ok"))
    before, own = await read(reader), await read(writer)
    await write(writer)
    assert await read(writer) != own, "the test changes nothing"
    assert await read(reader) == before
    await writer.page.goto(server.url("/ok"))
    await writer.clear_cookies()
    await writer.page.evaluate("localStorage.clear(); sessionStorage.clear()")
    for name in ("indexedDB.deleteDatabase('x')", "caches.delete('x')", "window.name = ''"):
        await writer.page.evaluate(name)
    writer.dialog_policy = None


async def test_the_cache_is_a_sessions_own(pair, server):
    first, second = pair
    path = server.url("/headers?image")
    for browser in pair:
        await browser.page.goto(server.url("/ok"))
    fetch = f"fetch('{path}', {{cache: 'force-cache'}}).then(answer => answer.ok)"
    assert await first.page.evaluate(fetch)
    before = len(server.headers)
    assert await second.page.evaluate(fetch)
    assert len(server.headers) == before + 1


async def test_clearing_cookies_leaves_those_of_other_sessions(pair):
    first, second = pair
    await _set_cookie(first)
    await _set_cookie(second)
    await second.clear_cookies()
    assert await _cookie(first) == ["name"]
    assert await _cookie(second) == []
    await _set_cookie(second)
    await first.clear_cookies()
    assert await _cookie(first) == []
    assert await _cookie(second) == ["name"]


async def test_a_pop_up_belongs_to_the_session_that_opened_it(pair, server):
    for browser in pair:
        await browser.page.goto(server.url("/ok"))
        counts = [len(await each.tabs()) for each in pair]
        checkpoint = browser.page.checkpoint()
        await browser.page.evaluate("void open('/ok?title=popup')")
        effects = await browser.page.settle(checkpoint)
        assert [tab.url for tab in effects.tabs] == [server.url("/ok?title=popup")]
        grown = [len(await each.tabs()) - count for each, count in zip(pair, counts, strict=True)]
        assert grown == ([1, 0] if browser is pair[0] else [0, 1])


@pytest.mark.slow
async def test_a_download_is_told_to_the_session_whose_page_gave_it(pair, server):
    for browser, other in (pair, pair[::-1]):
        for each in pair:
            await each.page.goto(server.url("/ok"))
        checkpoint, others_checkpoint = browser.page.checkpoint(), other.page.checkpoint()
        await browser.page.evaluate("location.href = '/download'")
        effects = await browser.page.settle(checkpoint)
        assert [download.filename for download in effects.downloads] == ["table.csv"]
        assert (await other.page.settle(others_checkpoint)).downloads == []


async def test_a_dialog_stops_its_own_session_alone(pair, server):
    first, second = pair
    for browser in pair:
        await browser.page.goto(server.url("/ok"))
    checkpoint = second.page.checkpoint()
    await second.page.evaluate("void setTimeout(() => confirm('Sure?'))")
    await second.page.settle(checkpoint)
    assert second.page.dialog is not None
    assert first.page.dialog is None
    assert await first.page.evaluate("1 + 1") == 2
    await second.page.answer_dialog(False)


# --- closing ---


@pytest.mark.slow
async def test_a_closed_session_leaves_nothing_in_the_browser(pair, server):
    first, _ = pair
    before, targets = footprint(first), await targets_of(first)
    browser = ChromiumBrowser(runtime_dir=Path("/nowhere"), shared_with=first)
    await browser.start()
    await browser.page.goto(server.page(f"<iframe src='{server.url('/ok', 'localhost')}'></iframe>"))
    await browser.new_tab(server.url("/ok"))
    assert footprint(first) != before
    await browser.close()
    await browser.close()
    assert await targets_of(first) == targets
    assert footprint(first) == before
    with pytest.raises(BrowserFailed, match="not running"):
        _ = browser.page


WORKER = "new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))).onmessage = () => document.title = 'working'"


@pytest.mark.slow
async def test_a_tab_takes_its_frames_and_workers_along(pair, server):
    first, _ = pair
    await first.page.goto(server.url("/ok"))
    before = footprint(first)
    frame = f"<iframe src='{server.url('/ok', 'localhost')}'></iframe>"
    await first.new_tab(server.page(f"{frame}<script>{WORKER}</script>"))
    await first.page.scanner({"cmd": "wait_for", "condition": "custom", "expression": "document.title == 'working'"})
    assert len(footprint(first)["sessions"]) == len(before["sessions"]) + 3
    await first.close_tab()
    assert footprint(first) == before


@pytest.mark.slow
async def test_a_child_that_ends_by_itself_is_forgotten(pair, server):
    first, _ = pair
    await first.page.goto(server.page("<iframe src='about:blank'></iframe>"))
    before = footprint(first)["sessions"]
    for _ in range(3):
        await first.page.evaluate(f"frames[0].location = '{server.url('/ok', 'localhost')}'")
        await first.page.wait_for("idle")
        await first.page.evaluate("frames[0].location = 'about:blank'")
        await first.page.wait_for("idle")
    assert footprint(first)["sessions"] == before


async def test_a_page_that_will_not_go_does_not_hold_its_session(pair, server):
    first, _ = pair
    targets = await targets_of(first)
    browser = ChromiumBrowser(runtime_dir=Path("/nowhere"), shared_with=first)
    await browser.start()
    await browser.page.goto(server.page("<script>onbeforeunload = event => event.preventDefault()</script>"))
    await browser.page.mouse.click(50, 50)
    async with asyncio.timeout(20):
        await browser.close()
    assert await targets_of(first) == targets


@pytest.mark.slow
async def test_the_default_context_may_be_left_first(runtime_dir, server):
    first = ChromiumBrowser(runtime_dir=runtime_dir)
    await first.start()
    second = ChromiumBrowser(runtime_dir=runtime_dir, shared_with=first)
    await second.start()
    await first.page.goto(server.url("/cookie"))
    await second.page.goto(server.url("/ok"))
    await first.close()
    assert len(await targets_of(second)) == 1
    assert (await second._connection.root.call("Storage.getCookies"))["cookies"] == []
    assert (await second.page.goto(server.url("/ok"))).status == 200
    third = ChromiumBrowser(runtime_dir=runtime_dir, shared_with=first)
    await third.start()
    await second.close()
    assert (await third.page.goto(server.url("/ok"))).status == 200
    await third.close()
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_all_that_are_in_a_browser_leave_it_at_once(runtime_dir, monkeypatch, order):
    """The last one ends it, whatever the others still wanted of it."""
    monkeypatch.setattr(contexts, "END_SECONDS", 3600.0)
    first = ChromiumBrowser(runtime_dir=runtime_dir)
    both = [first, ChromiumBrowser(runtime_dir=runtime_dir, shared_with=first)]
    for browser in both:
        await browser.start()
    await asyncio.gather(*(both[place].close() for place in order))
    assert list(runtime_dir.iterdir()) == []


async def test_a_start_that_is_given_up_leaves_no_context(pair):
    first, _ = pair
    before = footprint(first)
    contexts = await first._connection.root.call("Target.getBrowserContexts")
    for steps in range(1, 6):
        browser = ChromiumBrowser(runtime_dir=Path("/nowhere"), shared_with=first)
        starting = asyncio.create_task(browser.start())
        for _ in range(steps):
            await asyncio.sleep(0)
        starting.cancel()
        await asyncio.wait([starting])
        await browser.close()
    async with asyncio.timeout(30):  # the browser finishes what was asked of it, and only then forgets it
        while await first._connection.root.call("Target.getBrowserContexts") != contexts:
            pass
    assert footprint(first) == before


# --- crashes ---


@pytest.mark.slow
async def test_after_a_crash_every_session_works_again(runtime_dir, server):
    first = ChromiumBrowser(runtime_dir=runtime_dir)
    await first.start()
    others = [ChromiumBrowser(runtime_dir=runtime_dir, shared_with=first) for _ in range(2)]
    browsers = [*others, first]  # so that not the default context starts the browser again
    for browser in others:
        await browser.start()
    assert first._shared.process is not None
    os.kill(first._shared.process.pid, signal.SIGKILL)
    for browser in browsers:
        with pytest.raises(BrowserError):
            await browser.page.evaluate("new Promise(() => {})")
    await asyncio.gather(*(browser.revive() for browser in browsers))
    for number, browser in enumerate(browsers):
        assert (await browser.page.goto(server.url("/ok"))).status == 200
        await browser.page.evaluate(f"localStorage.setItem('me', '{number}')")
    for number, browser in enumerate(browsers):
        assert await browser.page.evaluate("localStorage.getItem('me')") == str(number)
        assert len(await browser.tabs()) == 1
    for browser in browsers:
        await browser.close()
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.slow
async def test_a_session_may_be_closed_after_a_crash_that_another_has_mended(runtime_dir, server):
    first = ChromiumBrowser(runtime_dir=runtime_dir)
    await first.start()
    second = ChromiumBrowser(runtime_dir=runtime_dir, shared_with=first)
    await second.start()
    assert first._shared.process is not None
    os.kill(first._shared.process.pid, signal.SIGKILL)
    with pytest.raises(BrowserError):
        await second.page.evaluate("new Promise(() => {})")
    await second.revive()
    async with asyncio.timeout(20):
        await first.close()
    assert (await second.page.goto(server.url("/ok"))).status == 200
    await second.close()
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.slow
async def test_a_tab_that_crashes_is_its_own_sessions_trouble(pair, server):
    first, second = pair
    for browser in pair:
        await browser.page.goto(server.url("/ok"))
    second.page.channel.session.send("Page.crash")  # type: ignore[attr-defined]
    with pytest.raises(BrowserError):
        await second.page.evaluate("new Promise(() => {})")
    assert await first.page.evaluate("1 + 1") == 2
    await second.revive()
    assert (await second.page.goto(server.url("/ok"))).status == 200
