"""The hidden tab that reads storage: never one of the session's tabs, also in the headless shell, which shows it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.browsers.chromium.bootstrap import PAGES
from oryn.browsers.chromium.contexts import context_id_of

pytestmark = pytest.mark.browser

ALL = [{}]
"""A filter that lets hidden tabs through."""


async def target_ids(browser: ChromiumBrowser) -> set[str]:
    """Everything that the browser has open, of any session."""
    root = browser.page.channel.session.connection.root
    return {info["targetId"] for info in (await root.call("Target.getTargets", {"filter": ALL}))["targetInfos"]}


@pytest.mark.slow
async def test_reading_storage_opens_no_tab_of_the_session(isolated: Any) -> None:
    await isolated.show("<p>hello")
    await isolated.ok("storage set a 1")
    browser: ChromiumBrowser = isolated.session.browser
    changes: list[int] = []
    browser.on_tabs_changed(lambda: changes.append(len(browser.open_tabs())))
    before = await target_ids(browser)
    assert await browser.storage.local([isolated.pages.url("")]) == {isolated.pages.url(""): {"a": "1"}}
    assert changes == []
    assert len(browser.open_tabs()) == 1
    assert await target_ids(browser) == before


async def test_a_hidden_tab_that_nobody_waits_for_is_closed(isolated: Any) -> None:
    await isolated.show("<p>hello")
    browser: ChromiumBrowser = isolated.session.browser
    root, context = browser.page.channel.session.connection.root, await context_id_of(browser.page, 5)
    before = await target_ids(browser)
    closed: asyncio.Queue[str] = asyncio.Queue()
    root.on("Target.targetDestroyed", lambda event: closed.put_nowait(event["targetId"]))
    await root.call("Target.setDiscoverTargets", {"discover": True, "filter": ALL})
    opening = asyncio.create_task(browser._require_targets().open_hidden(context))
    await asyncio.sleep(0)  # until it has asked for the tab
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    async with asyncio.timeout(10):
        assert await closed.get() not in before
    await root.call("Target.setDiscoverTargets", {"discover": True, "filter": PAGES})
    assert await target_ids(browser) == before


@pytest.mark.slow
async def test_tabs_that_open_meanwhile_are_the_sessions(isolated: Any) -> None:
    """Also those of a page that have no opener."""
    await isolated.show("<p>hello")
    browser: ChromiumBrowser = isolated.session.browser
    page, origin = browser.page, isolated.pages.url("")
    for _ in range(3):
        await asyncio.gather(
            browser.storage.local([origin]),
            browser.blank_tab(),
            page.evaluate("window.open('about:blank', '_blank', 'noopener') && 0"),
        )
    async with asyncio.timeout(10):
        assert await browser.wait_for_tabs(lambda tabs: len(tabs) == 7, timeout=10)
