"""A Chromium with the extension and plugins that speak the raw protocol, as tests make them."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from oryn.errors import OrynError
from scripts.extension.browser import EVERYTHING, WAIT, ExtendedBrowser, Target
from tests.extension.conftest import extension, pages, pytest_collection_modifyitems

__all__ = ["extension", "pages", "pytest_collection_modifyitems"]

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


class HubBrowser(ExtendedBrowser):
    """Chromium with the extension, into which more extensions can be loaded."""

    async def worker(self) -> Target:
        """The background. The browser stops it if no test of the hub runs for 30 s; a page of it starts it again."""
        if not await self.has_worker():
            await self.close_tab(await self.open(f"chrome-extension://{self.id}/hub/review.html"))
        return await super().worker()

    async def load(self, folder: Path) -> str:
        """Load an unpacked extension; returns its id."""
        return str((await self._root("Extensions.loadUnpacked", path=str(folder)))["id"])

    async def unload(self, extension_id: str) -> None:
        await self._root("Extensions.uninstall", id=extension_id)

    async def target(self, url: str) -> Target:
        """The first page or worker of which the URL begins so, once it is there."""
        async with asyncio.timeout(WAIT):
            while True:
                for each in (await self._root("Target.getTargets", filter=EVERYTHING))["targetInfos"]:
                    if each["url"].startswith(url) and each["type"] in ("service_worker", "page"):
                        return await self._attach(each["targetId"])
                await asyncio.sleep(0.05)

    async def count(self, url: str) -> int:
        """How many pages there are of which the URL begins so."""
        targets = (await self._root("Target.getTargets", filter=EVERYTHING))["targetInfos"]
        return sum(each["url"].startswith(url) and each["type"] == "page" for each in targets)


class Plugin:
    """A raw plugin in the browser. `id` is that of its extension, `hub` that of the hub's."""

    def __init__(self, id: str, hub: str, worker: Target) -> None:
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


@pytest.fixture(scope="session")
def browser(extension: Path, run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubBrowser]:
    """One Chromium with the extension for all tests of the hub."""
    started = HubBrowser(extension, Path(tmp_path_factory.mktemp("hub")))
    run(started.start())
    yield started
    run(started.close())


async def load_plugin(browser: HubBrowser, folder: Path) -> Plugin:
    shutil.copytree(RAW, folder)
    id = await browser.load(folder)
    worker = await browser.target(f"chrome-extension://{id}/")
    await worker.until("globalThis.say && 1")
    return Plugin(id, browser.id, worker)


@pytest.fixture(scope="session")
def loaded(browser: HubBrowser, run: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Plugin, Plugin]:
    """Two plugins, loaded once."""
    folder = tmp_path_factory.mktemp("plugins")
    return run(load_plugin(browser, folder / "one")), run(load_plugin(browser, folder / "two"))


@pytest.fixture
def hub(browser: HubBrowser, run: Any) -> Iterator[Target]:
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
def plugin(loaded: tuple[Plugin, Plugin], hub: Target, run: Any) -> Plugin:
    """A plugin that has not registered, and answers nothing."""
    run(loaded[0].evaluate("received = [], behave = {}, 1"))
    return loaded[0]


@pytest.fixture
def other(loaded: tuple[Plugin, Plugin], hub: Target, run: Any) -> Plugin:
    run(loaded[1].evaluate("received = [], behave = {}, 1"))
    return loaded[1]
