"""Python plugins of the server that the extension is connected to: offered to pages through the hub, under consent."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, cast

import pytest

from oryn.extension_server.credentials import ServerCredentials
from oryn.extension_server.extensions import Extensions
from oryn.extension_server.keys import KeyStore
from oryn.extension_server.messages import PluginMessage
from oryn.extension_server.server import Address, serve_extensions
from oryn.plugins.registry import GROUP, InstalledPlugins
from tests.extension.popup_user import User
from tests.headless.conftest import Pages
from tests.hub.conftest import ECHO, HubBrowser
from tests.hub.page import Page

pytestmark = pytest.mark.awake

CLOCK = """
import asyncio
from oryn.plugins import Plugin

plugin = Plugin("clock")
waiting = asyncio.Event()

@plugin.tool(read_only=True)
def now(zone: str = "UTC") -> str:
    "The time in a zone."
    return f"noon in {zone}"

@plugin.tool(read_only=True)
async def wait() -> None:
    "Never answers."
    waiting.set()
    await asyncio.Event().wait()

@plugin.tool(read_only=True)
def fail() -> None:
    raise KeyError("x")

@plugin.tool(read_only=True)
def long(length: int) -> str:
    return "x" * length

@plugin.tool()
def wind(turns: int) -> int:
    "Winds the clock."
    return turns
"""
MODULE = "clock_of_hub_test"
REGISTERED = "oryn.hub.registry.entries().then(all => all.filter(({plugin}) => plugin.extensionId.startsWith('oryn:')))"


class ExtensionServer:
    """A server of extensions with a plugin in Python, and the browser that its user has paired with it."""

    def __init__(self, user: User, extensions: Extensions, url: str) -> None:
        self.user = user
        self.extensions = extensions
        self.url = url

    async def run(self, line: str) -> str:
        """The answer of the extension to a line."""
        peer = await next(iter(self.extensions)).wait_for_peer(20)
        return (await peer.request(line, timeout=60)).text

    async def disconnect(self) -> None:
        await self.user.asks(type="disconnect")
        await self.user.sees("state.status === 'disconnected'")


@pytest.fixture
def server(browser: HubBrowser, page: Page, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / f"{MODULE}.py").write_text(CLOCK)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop(MODULE, None)
    plugins = InstalledPlugins(lambda: [EntryPoint("clock", f"{MODULE}:plugin", GROUP)])
    extensions = Extensions(waits=True, plugins=plugins)
    stack = AsyncExitStack()

    async def begin() -> ExtensionServer:
        credentials = ServerCredentials(KeyStore(tmp_path / "keys.json"))
        url = await stack.enter_async_context(serve_extensions(Address(port=0), credentials, extensions))
        user = await User.at(cast("Any", browser))
        await user.asks(type="settings", changes={"endpoint": url})
        await user.asks(type="connect")
        credentials.set_code((await user.sees("state.code"))["code"])
        await user.sees("state.status === 'connected'")
        await page.hub.until(f"{REGISTERED}.then(all => all.length)")
        return ExtensionServer(user, extensions, url)

    async def end(serving: ExtensionServer) -> None:
        await serving.disconnect()
        await serving.user.asks(type="revoke", endpoint=serving.url)
        await serving.user.sees("!state.paired.length")
        await browser.close_tab(serving.user.page)
        await stack.aclose()

    serving = run(begin())
    yield serving
    run(end(serving))


def call(tool: str, **arguments: Any) -> str:
    return f"tools.call('oryn:clock::{tool}', {json.dumps(arguments)})"


@pytest.mark.slow
async def test_a_page_calls_a_python_tool_that_the_user_allows(server: ExtensionServer, page: Page) -> None:
    assert await page.agent("tools.list()") == {"value": []}
    await page.begin(call("now", zone="Europe/Paris"))
    window = await page.window()
    text = await window.evaluate("document.body.innerText")
    assert all(part in text for part in ("clock", "A plugin of the server that is connected", "Europe/Paris"))
    await page.press("once", window)
    answer = (await page.later())["value"]
    assert (answer["success"], answer["result"]) == (True, "noon in Europe/Paris")
    listed = (await page.agent("tools.list()"))["value"]
    assert [(each["name"], each["uiHints"]) for each in listed] == [("oryn:clock::now", {"dangerous": False})]


@pytest.mark.slow
async def test_a_tool_that_changes_something_is_asked_for_at_each_call(server: ExtensionServer, page: Page) -> None:
    await page.allow()
    for turns in (1, 2):
        await page.begin(call("wind", turns=turns))
        await page.press("once")
        assert (await page.later())["value"]["result"] == turns


@pytest.mark.slow
async def test_errors_of_python_tools_have_the_codes_of_the_protocol(server: ExtensionServer, page: Page) -> None:
    await page.allow()
    for tool, arguments, code in (
        ("now", {"zone": 3}, "INVALID_ARGUMENTS"),
        ("none", {}, "TOOL_NOT_FOUND"),
        ("fail", {}, "EXECUTION_FAILED"),
        ("long", {"length": 1024 * 1024}, "EXECUTION_FAILED"),
    ):
        assert (await page.agent(call(tool, **arguments)))["code"] == code, tool
    long = await page.agent(call("long", length=900_000))
    assert len(long["value"]["result"]) == 900_000


@pytest.mark.slow
async def test_tools_go_with_the_connection_and_calls_in_flight_fail(server: ExtensionServer, page: Page) -> None:
    await page.allow()
    await page.begin(call("wait"))
    await asyncio.wait_for(sys.modules[MODULE].waiting.wait(), 20)
    await server.disconnect()
    assert (await page.later())["code"] == "NOT_REGISTERED"
    assert (await page.agent(call("now")))["code"] == "NOT_REGISTERED"
    names = [each["name"] for each in (await page.agent("tools.list()"))["value"]]
    assert names and not any(name.startswith("oryn:") for name in names)
    await server.user.asks(type="connect")
    await page.hub.until(f"{REGISTERED}.then(all => all.length)")
    assert (await page.agent(call("now")))["value"]["result"] == "noon in UTC"


@pytest.mark.slow
async def test_a_plugin_that_the_user_has_disabled_stays_so(server: ExtensionServer, page: Page) -> None:
    await page.allow()
    await page.hub.evaluate("oryn.hub.registry.setDisabled('oryn:clock', true)")
    assert (await page.agent(call("now")))["code"] == "PLUGIN_NOT_ALLOWED"
    await server.disconnect()
    await server.user.asks(type="connect")
    await page.hub.until(f"{REGISTERED}.then(all => all.length)")
    assert (await page.agent(call("now")))["code"] == "PLUGIN_NOT_ALLOWED"
    await page.hub.evaluate("oryn.hub.registry.setDisabled('oryn:clock', false)")
    assert (await page.agent(call("now")))["value"]["success"]


@pytest.mark.slow
async def test_the_agent_has_them_too_under_the_same_consent(server: ExtensionServer, page: Page) -> None:
    front = await page.browser.open(f"{page.origin}/")
    assert 'oryn:clock::now(zone?: string) "The time in a zone."' in await server.run("tools")
    answer = asyncio.create_task(server.run('tool call "oryn:clock::now" {}'))
    await page.press("once")
    assert (await answer).endswith("| noon in UTC")
    await page.browser.close_tab(front)


@pytest.mark.slow
async def test_the_server_is_notified_when_tools_come_and_go(server: ExtensionServer, page: Page) -> None:
    extension = next(iter(server.extensions))
    changes: asyncio.Queue[bool] = asyncio.Queue()
    end = extension.subscribe_tools(lambda: changes.put_nowait(extension.offers_tools))
    if not extension.offers_tools:
        assert await asyncio.wait_for(changes.get(), 20)
    ids = json.dumps(["oryn:clock", page.plugin.id])
    await page.hub.evaluate(f"(async () => {{ for (const id of {ids}) await oryn.hub.registry.unregister(id) }})()")
    assert not await asyncio.wait_for(changes.get(), 20)
    assert (await page.plugin.register({**ECHO, "name": "again"}))["success"]
    assert await asyncio.wait_for(changes.get(), 20)
    end()


@pytest.mark.slow
async def test_the_server_is_notified_of_tools_of_the_page(server: ExtensionServer, page: Page, pages: Pages) -> None:
    """Between two commands, and when the page is left."""
    extension = next(iter(server.extensions))
    changes: asyncio.Queue[bool] = asyncio.Queue()
    ids = json.dumps(["oryn:clock", page.plugin.id])
    await page.hub.evaluate(f"(async () => {{ for (const id of {ids}) await oryn.hub.registry.unregister(id) }})()")
    pages["/shop"] = "<title>Shop</title>"
    shop = await page.browser.open(pages.url("/shop"))
    assert "Shop" in await server.run("observe")
    end = extension.subscribe_tools(lambda: changes.put_nowait(extension.offers_tools))
    offer = "document.modelContext.registerTool({name: 'buy', description: 'x', execute: () => 1}, {signal: S})"
    for script, expected in (
        (f"globalThis.offer = new AbortController(); {offer.replace('S}', 'offer.signal}')}", True),
        ("offer.abort()", False),
        (offer.replace(", {signal: S}", ""), True),
    ):
        await shop.evaluate(f"(() => {{ {script} }})(), 1")
        while await asyncio.wait_for(changes.get(), 20) is not expected:
            pass
    await server.run(f"goto {pages.url('/')}")
    while await asyncio.wait_for(changes.get(), 20):
        pass
    end()
    await page.browser.close_tab(shop)


async def test_a_server_can_speak_for_no_extension_and_no_extension_for_a_server(
    server: ExtensionServer, page: Page
) -> None:
    """A registration under another id than the message's, a forged answer, and an extension with an id of a server."""
    peer = await next(iter(server.extensions)).wait_for_peer(20)
    await page.allow()
    forged = {"namespace": "harbor-plugin", "protocolVersion": "harbor-plugin/v1", "timestamp": 1}
    tool = {"name": "x", "title": "x", "description": "x", "inputSchema": {}}
    plugin = {"extensionId": page.plugin.id, "name": "x", "version": "1.0.0", "tools": [tool]}
    message = {**forged, "type": "PLUGIN_REGISTER", "requestId": "a", "payload": {"plugin": plugin}}
    peer.send_plugin_message(PluginMessage("oryn:other", message))
    peer.send_plugin_message(PluginMessage("oryn:other", {**message, "requestId": "b", "payload": {"plugin": 3}}))
    peer.send_plugin_message(PluginMessage("oryn:other", {"namespace": "other"}))
    assert (await page.agent(page.call()))["value"]["result"] == "hi"
    assert [each["plugin"]["extensionId"] for each in await page.hub.evaluate(REGISTERED)] == ["oryn:clock"]
    assert not (await page.plugin.register(extensionId="oryn:clock"))["success"]
