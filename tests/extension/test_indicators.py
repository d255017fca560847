"""The toolbar's icon and the bars on tabs: what the browser is asked to do when."""

from __future__ import annotations

import asyncio
import inspect
import json
import struct
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from oryn.browsers.extension.bridge import ChromeFailed
from oryn.extension.popup import indicators
from oryn.extension.popup.indicators import IndicatorStatus, StatusIndicators
from scripts.extension.builder import TEMPLATE
from scripts.extension.icons import FOLDER, drawings

HERE = "ws://localhost:8080"


class Browser:
    """Keeps what it is asked for; `deaf` are tabs whose pages have no script of ours, `closed` those that take none."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.listeners: dict[str, Callable[..., object]] = {}
        self.deaf: set[int] = set()
        self.closed: set[int] = set()
        self.foreign: set[int] = set()
        """Tabs in which only another content script of the extension gets messages."""
        self._work: list[asyncio.Task[None]] = []

    def on(self, event: str, listener: Callable[..., object]) -> None:
        self.listeners[event] = listener

    async def call(self, name: str, *arguments: Any) -> Any:
        if name == "tabs.query":
            return [{"id": 1}, {"id": 2}]
        if name == "tabs.sendMessage":
            tab, message, to = arguments
            assert to == {"frameId": 0}
            if tab in self.deaf:
                raise ChromeFailed("Could not establish connection. Receiving end does not exist.")
            self.calls.append((message["banner"], tab))
            return None if tab in self.foreign else message["banner"] == "show"
        elif name == "scripting.executeScript":
            tab = arguments[0]["target"]["tabId"]
            if tab in self.closed:
                raise ChromeFailed("Cannot access contents of the page.")
            self.deaf.discard(tab)
            self.foreign.discard(tab)
            self.calls.append((arguments[0]["files"][0], tab))
        else:
            self.calls.append((name, next(iter(arguments[0].values()))))
        return None

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._work.append(asyncio.create_task(work))

    async def done(self) -> list[tuple[str, Any]]:
        """The calls since the last time."""
        await asyncio.gather(*self._work)
        calls, self.calls = self.calls, []
        return calls


@pytest.mark.parametrize(
    ("status", "icon", "title", "badge"),
    [
        ("disconnected", "off", "Oryn: not connected", ""),
        ("connecting", "off", "Oryn: connecting to localhost:8080", "…"),
        ("pairing", "off", "Oryn: localhost:8080 is not paired yet", "?"),
        ("waiting", "off", "Oryn: no connection to localhost:8080", "…"),
        ("connected", "on", "Oryn: connected to localhost:8080", ""),
        ("asking", "on", "Oryn: the agent of localhost:8080 asks you something", "?"),
    ],
)
async def test_the_toolbar_tells_the_status(status: IndicatorStatus, icon: str, title: str, badge: str) -> None:
    browser = Browser()
    status_indicators = StatusIndicators(browser, browser.spawn)
    status_indicators.update(status, HERE, [])
    assert (await browser.done())[:3] == [
        ("action.setIcon", {"16": f"/icons/{icon}-16.png", "32": f"/icons/{icon}-32.png"}),
        ("action.setTitle", title),
        ("action.setBadgeText", badge),
    ]
    status_indicators.update(status, HERE, [])
    assert await browser.done() == [], "nothing new"


async def test_bars_come_and_go_with_control() -> None:
    browser = Browser()
    status_indicators = StatusIndicators(browser, browser.spawn)
    status_indicators.start()
    assert await browser.done() == [("hide", 1), ("hide", 2)], "of an earlier life"
    status_indicators.update("connected", HERE, [1])
    assert ("show", 1) in await browser.done()
    status_indicators.update("connected", HERE, [1, 2])
    assert await browser.done() == [("show", 2)]
    browser.listeners["webNavigation.onCommitted"]({"tabId": 2, "frameId": 0})
    browser.listeners["webNavigation.onCommitted"]({"tabId": 2, "frameId": 7})
    browser.listeners["webNavigation.onCommitted"]({"tabId": 3, "frameId": 0})
    assert await browser.done() == [("show", 2)], "a new document"
    status_indicators.update("waiting", HERE, [1, 2])
    assert sorted(each for each in await browser.done() if each[0] == "hide") == [("hide", 1), ("hide", 2)]


async def test_pages_without_our_scripts() -> None:
    browser = Browser()
    browser.deaf = {1, 2}
    browser.closed = {2}
    status_indicators = StatusIndicators(browser, browser.spawn)
    status_indicators.update("connected", HERE, [1, 2])
    assert [each for each in await browser.done() if not each[0].startswith("action")] == [
        ("banner.js", 1),
        ("show", 1),
    ]


async def test_pages_with_the_scanner_alone() -> None:
    browser = Browser()
    browser.foreign = {1}
    StatusIndicators(browser, browser.spawn).update("connected", HERE, [1])
    assert [each for each in await browser.done() if not each[0].startswith("action")] == [
        ("show", 1),
        ("banner.js", 1),
        ("show", 1),
    ]


async def test_another_endpoint_is_named_anew() -> None:
    browser = Browser()
    status_indicators = StatusIndicators(browser, browser.spawn)
    status_indicators.update("connected", HERE, [1])
    await browser.done()
    status_indicators.update("connected", "ws://localhost:9000", [1])
    assert ("show", 1) in await browser.done()


@pytest.mark.parametrize(("name", "sizes"), [(name, sizes) for name, (_, sizes) in drawings().items()])
def test_icons_are_drawn_in_their_sizes(name: str, sizes: tuple[int, ...]) -> None:
    manifest = json.loads((TEMPLATE / "manifest.json").read_text("utf-8"))
    used = json.dumps(manifest) + inspect.getsource(indicators)
    for size in sizes:
        content = (FOLDER / f"{name}-{size}.png").read_bytes()
        assert struct.unpack(">II", content[16:24]) == (size, size)
        assert f"{name}-{size}.png" in used or f"{{name}}-{size}.png" in used
