"""Assistants in the user's own browser: `/mcp?backend=remote` of a real daemon, and a stand-in for the extension."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from mcp_types import ToolListChangedNotification

from oryn.extension_server.messages import OfferedTools
from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.test_extension import paired_browser
from tests.mcp.conftest import text_of
from tests.mcp.test_http import assistant_at


@pytest.fixture
def daemon(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path_factory.mktemp("daemon"))
    yield running
    run(running.stop())


@pytest.mark.slow
async def test_calls_reach_the_browser_that_is_paired(daemon: RunningDaemon, era: str) -> None:
    address = f"{daemon.url}/mcp?backend=remote"
    async with paired_browser(daemon) as browser, assistant_at(address, era, daemon.token) as one:
        element = {"id": 3, "type": "button", "text": "Buy"}
        browser.forms["observe"] = {"ok": True, "command": "observe", "elements": [element]}
        seen = await one.call_tool("observe")
        assert seen.structured_content["elements"] == [element] and text_of(seen) == "ok observe"
        await one.call_tool("click", {"target": "3"})
        await one.call_tool("oryn", {"line": "@tab2 title"})
        assert browser.commands == ["observe", "click 3", "@tab2 title"]
        (session,) = (await daemon.status())["sessions"]
        assert session["mode"] == "remote" and session["name"].startswith("mcp_")


async def test_clients_are_notified_when_plugins_of_the_browser_come_and_go(daemon: RunningDaemon) -> None:
    received: asyncio.Queue[object] = asyncio.Queue()

    async def receive(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            received.put_nowait(message)

    address = f"{daemon.url}/mcp?backend=remote"
    async with assistant_at(address, "legacy", daemon.token, message_handler=receive) as one, asyncio.timeout(60):
        async with paired_browser(daemon) as browser:
            await one.call_tool("oryn", {"line": "title"})
            for offered in (True, False, True):
                await browser.say(OfferedTools(offered))
                await received.get()
                listed = {tool.name for tool in (await one.list_tools()).tools}
                assert ({"tools", "tool"} <= listed) is offered
        await received.get()  # the browser has gone, and its tools with it


@pytest.mark.slow
async def test_no_browser_is_an_error_that_says_how_to_pair_one(daemon: RunningDaemon, era: str) -> None:
    async with assistant_at(f"{daemon.url}/mcp?backend=remote", era, daemon.token) as one:
        answer = await one.call_tool("observe")
        assert answer.is_error and "'oryn daemon pair CODE'" in text_of(answer)
