"""Tools of plugins for the agent that drives the browser: `tools` and `tool call` over the extension, under consent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any, cast

import pytest

from tests.extension.conftest import RecordingServer
from tests.extension.driver import PairedBrowser
from tests.extension.popup_user import User, paired_with
from tests.headless.conftest import Pages
from tests.hub.conftest import HubBrowser
from tests.hub.page import Page

pytestmark = pytest.mark.awake


@pytest.fixture
def oryn(browser: HubBrowser, page: Page, pages: Pages, run: Any) -> Iterator[PairedBrowser]:
    """A pairing, with a page in front, and a plugin that has registered and answers."""
    server, paired_browser = RecordingServer(), cast("Any", browser)

    async def begin() -> PairedBrowser:
        await server.start()
        user = await User.at(paired_browser)
        connection, _ = await paired_with(user, server)
        await user.sees("state.status === 'connected'")
        instance = PairedBrowser(paired_browser, user, server, connection, pages)
        instance.target = await browser.open(pages.url("/"))
        return instance

    async def end(instance: PairedBrowser) -> None:
        await instance.user.asks(type="disconnect")
        await instance.user.asks(type="revoke", endpoint=server.url)
        await instance.user.sees("state.status === 'disconnected' && !state.paired.length")
        for target in (instance.user.page, instance.target):
            await browser.close_tab(target)
        await server.close()

    instance = run(begin())
    yield instance
    run(end(instance))


def call(page: Page, tool: str = "echo", **arguments: Any) -> str:
    return f'tool call "{page.plugin.id}::{tool}" {json.dumps(json.dumps(arguments))}'


@pytest.mark.slow
async def test_an_agent_calls_a_tool_that_the_user_allows(oryn: PairedBrowser, page: Page) -> None:
    listed = await oryn("tools")
    assert f"{page.plugin.id}::echo" in listed and '(message: string) "Returns the message."' in listed
    for message in ("one", "two"):
        answer = asyncio.create_task(oryn(call(page, message=message)))
        if message == "one":
            window = await page.window()
            assert "The agent that works in this browser" in await window.evaluate("document.body.innerText")
            await page.press("once", window)
        assert (await answer).endswith(f"| {message}")
    assert [each["origin"] for each in await page.hub.evaluate("oryn.hub.grants.list()")] == ["oryn:agent"]
    assert await page.agent("tools.list()") == {"value": []}  # no page may use what the agent may
    called = "received.findLast(({message: m}) => m.type === 'PLUGIN_TOOL_CALL').message.payload.callingOrigin"
    assert await page.plugin.evaluate(called) == "oryn:agent"


@pytest.mark.slow
async def test_what_the_user_denies_and_what_does_not_fit(oryn: PairedBrowser, page: Page) -> None:
    answer = asyncio.create_task(oryn(call(page, message="one")))
    await page.press("deny")
    assert "PERMISSION_DENIED" in await answer
    await page.hub.evaluate("oryn.hub.grants.record('oryn:agent', null, 'once')")
    assert "does not take these arguments" in await oryn(call(page, more=1))
    assert "there is no tool" in await oryn(call(page, "none"))
    assert "there is no tool" in await oryn('tool call "no@plugin::tool" {}')


@pytest.mark.slow
async def test_a_dangerous_tool_is_asked_for_at_each_call(oryn: PairedBrowser, page: Page) -> None:
    await page.hub.evaluate("oryn.hub.grants.record('oryn:agent', null, 'once')")
    for _ in range(2):
        answer = asyncio.create_task(oryn(call(page, "erase", message="all")))
        await page.press("once")
        assert (await answer).endswith("| all")


async def test_a_call_waits_for_the_user_until_its_time_limit(oryn: PairedBrowser, page: Page) -> None:
    """After that the question is gone: what the user answers must not start the call."""
    answer = await oryn(f"{call(page, message='one')} --timeout 500ms")
    assert answer.startswith("error tool call") and "allow it" in answer
    await page.hub.until("chrome.tabs.query({url: chrome.runtime.getURL('hub/consent.html')}).then(all => !all.length)")
    assert await page.hub.evaluate("oryn.hub.grants.list()") == []
