"""A Chromium and a Firefox with the extension, and plugins that speak the raw protocol, as tests make them.

A third of the tests run in Firefox, too. It suspends backgrounds after an hour, so that only the tests of suspension
meet one (`test_suspension.py`). In `make soak` all tests run in Firefox, and once more in one that suspends them after
a second."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from oryn.errors import OrynError
from scripts.extension import copy
from scripts.extension.builder import PYODIDE, BrowserKind
from scripts.extension.firefox import firefox_program
from scripts.extension.hub import SHORT_IDLE, Background, ChromiumHub, FirefoxHub, HubBrowser, write_manifest
from tests.extension.conftest import pages
from tests.headless.conftest import Pages
from tests.hub.page import Page
from tests.soak import SOAK

pytestmark = [pytest.mark.node, pytest.mark.whole_browser]

__all__ = ["pages"]

HUBS: dict[str, Callable[[Path, Path], HubBrowser]] = {"chromium": ChromiumHub, "firefox": FirefoxHub}
IDLE_HUBS = {"firefox_idle": partial(FirefoxHub, idle=SHORT_IDLE)} if SOAK else {}
RAW = Path(__file__).parent / "raw_plugin"
ECHO = {
    "name": "echo",
    "title": "Echo",
    "description": "Returns the message.",
    "inputSchema": {
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
        "additionalProperties": False,
    },
}
ERASE = {**ECHO, "name": "erase", "title": "Erase", "uiHints": {"dangerous": True}}
ANSWERS = "behave = {PLUGIN_TOOL_CALL: m => ['PLUGIN_TOOL_RESULT', {result: m.payload.arguments.message}], "
ANSWERS += "PLUGIN_PING: () => ['PLUGIN_PONG', {healthy: true}]}, 1"


class Plugin:
    """A raw plugin in the browser. `id` is that of its extension, `hub` that of the hub's."""

    def __init__(self, id: str, hub: str, worker: Background) -> None:
        self.id = id
        self.hub = hub
        self.worker = worker

    async def evaluate(self, expression: str) -> Any:
        return await self.worker.evaluate(expression)

    async def say(self, type: str, payload: Any, /, **more: Any) -> dict[str, Any] | None:
        """Send a message, and return the hub's reply, which must also have come as a message of its own."""
        words = ", ".join(json.dumps(each) for each in (type, payload, more))
        return await self.send(f"message({words})")

    async def send(self, message: str) -> dict[str, Any] | None:
        """The same with a JavaScript expression of the message."""
        reply = await self.evaluate(f"say({json.dumps(self.hub)}, {message})")
        if reply is not None:
            assert (await self.got(reply["type"], reply["requestId"])) == reply
        return reply

    async def got(self, type: str, request_id: str | None = None) -> dict[str, Any]:
        """The newest message of a type that has come from the hub, once it has."""
        wanted = f"m.type === {json.dumps(type)} && [null, m.requestId].includes({json.dumps(request_id)})"
        find = f"received.findLast(({{from, message: m}}) => from === {json.dumps(self.hub)} && {wanted})?.message"
        return dict(await self.worker.until(find))

    async def register(self, *tools: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Register tools; the payload of the acknowledgement."""
        reply = await self.send(f"message('PLUGIN_REGISTER', described({json.dumps(tools)}, {json.dumps(more)}))")
        assert reply is not None and reply["type"] == "PLUGIN_REGISTER_ACK"
        return dict(reply["payload"])


FIREFOX_SHARE = 3
"""Every so many tests of a file run in Firefox, too; `make soak` runs them all. Its hub is the same code."""


def is_left_to_soak(item: pytest.Item, counts: Counter[Path]) -> bool:
    """Whether a test in Firefox runs in `make soak` only. `counts`: how many tests of a file there were before."""
    if "[firefox" not in item.name or SOAK:
        return False
    counts[item.path] += 1
    return counts[item.path] % FIREFOX_SHARE != 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    counts: Counter[Path] = Counter()
    left = {item for item in items if item.path.is_relative_to(here) and is_left_to_soak(item, counts)}
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]
    is_built = shutil.which("node") is not None and PYODIDE.is_dir()
    for item in items:
        if not item.path.is_relative_to(here) or "browser" not in getattr(item, "fixturenames", ()):
            continue
        if not is_built:
            item.add_marker(pytest.mark.skip(reason="needs Node and Pyodide; 'make test' installs them"))
        elif "[firefox_idle" in item.name and item.get_closest_marker("awake"):
            item.add_marker(pytest.mark.skip(reason="needs a background that is not suspended after a second"))
        elif "[firefox" in item.name and firefox_program() is None:
            item.add_marker(pytest.mark.skip(reason="needs Firefox; setup/firefox.sh installs it"))


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(each, marks=() if each == "chromium" else (pytest.mark.soak, pytest.mark.firefox))
        for each in (*HUBS, *IDLE_HUBS)
    ],
)
def browser(request: pytest.FixtureRequest, run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubBrowser]:
    """One Chromium with the extension for all tests of the hub, and then one Firefox."""
    folder = Path(tmp_path_factory.mktemp("hub"))
    kind: BrowserKind = "chromium" if request.param == "chromium" else "firefox"
    started = {**HUBS, **IDLE_HUBS}[request.param](copy(folder / "extension", kind), folder)
    run(started.start())
    yield started
    run(started.close())


AWAKE = "setInterval(() => chrome.runtime.getPlatformInfo(), 300), 1"
"""Code of a background that keeps it from being suspended."""


async def load_plugin(browser: HubBrowser, folder: Path, code: str = "") -> Plugin:
    """Install a raw plugin from the new folder `folder`. `code` is what its background runs after its own; without, it
    is not suspended, as it keeps what tests look at."""
    shutil.copytree(RAW, folder)
    write_manifest(folder / "manifest.json", browser.kind, f"{folder.name}@raw.example")
    with (folder / "background.js").open("a", encoding="utf-8") as file:
        file.write(code or AWAKE)
    id = await browser.load(folder)
    worker = await browser.background(id)
    await worker.until("globalThis.say && 1")
    return Plugin(id, browser.id, worker)


@pytest.fixture(scope="session")
def loaded(browser: HubBrowser, run: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Plugin, Plugin]:
    """Two plugins, loaded once."""
    folder = tmp_path_factory.mktemp("plugins")
    return run(load_plugin(browser, folder / "one")), run(load_plugin(browser, folder / "two"))


@pytest.fixture
def hub(browser: HubBrowser, run: Any) -> Iterator[Background]:
    """The hub's background, looked into. No error may be left in its console, and nothing in its storage."""
    target = run(browser.worker())
    yield target
    reset = "(async () => { const {registry, grants} = oryn.hub; await registry.setAllowlist([]);"
    reset += "for (const {plugin} of await registry.entries()) await registry.unregister(plugin.extensionId);"
    reset += "for (const {origin} of await grants.list()) await grants.revoke(origin);"
    reset += "Object.assign(oryn.hub.timeouts, {registration: 5000, call: 30000, ping: 2000}) })()"
    again = run(browser.worker())  # the test may have ended the first one
    run(again.evaluate(reset))
    for each in (target, again):
        with suppress(OrynError):
            run(each.detach())
    assert target.errors + again.errors == []


@pytest.fixture
def plugin(loaded: tuple[Plugin, Plugin], hub: Background, run: Any) -> Plugin:
    """A plugin that has not registered, and answers nothing."""
    run(loaded[0].evaluate("received = [], behave = {}, 1"))
    return loaded[0]


@pytest.fixture
def other(loaded: tuple[Plugin, Plugin], hub: Background, run: Any) -> Plugin:
    run(loaded[1].evaluate("received = [], behave = {}, 1"))
    return loaded[1]


@pytest.fixture
def page(browser: HubBrowser, plugin: Plugin, hub: Background, pages: Pages, run: Any) -> Iterator[Page]:
    """A page whose origin was granted nothing, and a plugin that answers."""
    pages["/"] = "<title>Page</title>"
    run(plugin.register(ECHO, ERASE))
    run(plugin.evaluate(ANSWERS))
    target = run(browser.open(pages.url("/")))
    yield Page(browser, target, pages.url(""), plugin, hub)
    run(browser.close_tab(target))
