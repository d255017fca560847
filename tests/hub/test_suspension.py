"""Backgrounds that the browser suspends: Firefox after three seconds without events, Chromium whenever a test says so.

What is pending must keep the hub awake in Firefox, and what was decided must be there when it is started again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from scripts.extension.firefox_background import FirefoxBackground
from scripts.extension.hub import Background, FirefoxHub, HubBrowser
from tests.hub.conftest import ANSWERS, AWAKE, ECHO, Plugin, load_plugin
from tests.hub.page import Page

IDLE_MILLISECONDS = 3000
"""Firefox suspends a background after so long. What keeps the hub awake comes each 400 ms, and may be late."""


class Suspension:
    """Suspends backgrounds of a browser."""

    def __init__(self, browser: HubBrowser, plugin: Plugin, clock: Plugin) -> None:
        self.browser = browser
        self.plugin = plugin
        """Answers each call, also after a suspension; it is suspended in Firefox only."""
        self._clock = clock

    async def all(self) -> None:
        """Wait until the hub is suspended, and in Firefox the plugin too."""
        if not isinstance(self.browser, FirefoxHub):
            await self.browser.kill_worker()
            return
        for id in (self.browser.id, self.plugin.id):
            await FirefoxBackground(self.browser.window, id).until_state("stopped")

    async def time_passes(self) -> None:
        """In Firefox: wait as long as a background without events lives, and see that the hub's lives on."""
        if isinstance(self.browser, FirefoxHub):
            clock = cast("FirefoxBackground", self._clock.worker)
            await clock.stop()
            await clock.evaluate("1")
            await clock.until_state("stopped")
            assert await FirefoxBackground(self.browser.window, self.browser.id).state() == "running"


@pytest.fixture(scope="module")
def answering_plugins(
    browser: HubBrowser, run: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Plugin, Plugin]]:
    """A plugin that answers from its first turn on, and one that does nothing."""
    folder = tmp_path_factory.mktemp("suspended")
    found = (
        run(load_plugin(browser, folder / "answering_plugins", ANSWERS)),
        run(load_plugin(browser, folder / "clock", "1")),
    )
    yield found
    for each in found:
        run(browser.unload(each.id))


@pytest.fixture
def suspension(
    browser: HubBrowser, page: Page, answering_plugins: tuple[Plugin, Plugin], run: Any
) -> Iterator[Suspension]:
    """Both backgrounds run, with the short idle time in Firefox; the plugin has registered."""
    plugin, clock = answering_plugins
    if isinstance(browser, FirefoxHub):
        run(browser.suspend_after(IDLE_MILLISECONDS))
        for id in (browser.id, plugin.id):
            run(FirefoxBackground(browser.window, id).stop())  # their timers are still the old ones
    run(plugin.evaluate(ANSWERS))
    assert run(plugin.register(ECHO))["success"]
    page.plugin = plugin
    yield Suspension(browser, plugin, clock)
    if isinstance(browser, FirefoxHub):
        run(browser.suspend_after())
        run(FirefoxBackground(browser.window, browser.id).stop())


@pytest.mark.slow
async def test_a_call_wakes_the_hub_and_the_plugin(page: Page, suspension: Suspension) -> None:
    await page.allow()
    for _ in range(2):
        await suspension.all()
        assert await page.agent(page.call()) == {"value": {"success": True, "result": "hi"}}
    await suspension.all()
    assert [each["name"] for each in (await page.agent("tools.list()"))["value"]].count(f"{page.plugin.id}::echo") == 1


async def test_a_registration_wakes_the_hub(page: Page, suspension: Suspension) -> None:
    await page.allow()
    await suspension.all()
    assert (await page.plugin.register({**ECHO, "name": "shout"}))["success"]
    await suspension.all()
    assert f"{page.plugin.id}::shout" in [each["name"] for each in (await page.agent("tools.list()"))["value"]]


@pytest.mark.slow
async def test_a_question_keeps_the_hub_awake(page: Page, suspension: Suspension) -> None:
    await suspension.all()
    await page.begin(page.call())
    window = await page.window()
    await suspension.time_passes()
    await page.press("once", window)
    assert await page.later() == {"value": {"success": True, "result": "hi"}}


@pytest.mark.slow
@pytest.mark.parametrize("button", ["once", "always", "deny"])
async def test_a_decision_is_there_after_a_suspension(page: Page, suspension: Suspension, button: str) -> None:
    await page.begin(page.call())
    await page.press(button)
    first = await page.later()
    await suspension.all()
    assert await page.agent(page.call()) == first
    assert await page.browser.count(page.window_url) == 0


async def test_a_call_that_takes_long_keeps_the_hub_awake(page: Page, suspension: Suspension) -> None:
    await page.allow()
    plugin = page.plugin
    await plugin.evaluate(f"globalThis.received = [], behave = {{}}, {AWAKE}")
    await page.begin(page.call())
    asked = await plugin.got("PLUGIN_TOOL_CALL")
    await suspension.time_passes()
    await plugin.say("PLUGIN_TOOL_RESULT", {"result": "late"}, requestId=asked["requestId"])
    assert await page.later() == {"value": {"success": True, "result": "late"}}


async def test_a_heartbeat_after_a_suspension(hub: Background, page: Page, suspension: Suspension) -> None:
    await suspension.all()
    worker = await page.browser.worker()
    await worker.evaluate("oryn.hub.heartbeat.beat()")
    found = "oryn.hub.registry.entries().then(all => all.map(each => [each.plugin.extensionId, each.missed]))"
    assert [page.plugin.id, 0] in await worker.evaluate(found)
    await worker.detach()
