"""Assistants in the user's own browser: `/mcp?backend=remote` of a real daemon, and a stand-in for the extension."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.test_extension import browser_at
from tests.mcp.conftest import text_of
from tests.mcp.test_http import assistant_at


@pytest.fixture
def daemon(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path_factory.mktemp("daemon"))
    yield running
    run(running.stop())


async def test_calls_reach_the_browser_that_is_paired(daemon: RunningDaemon, era: str) -> None:
    address = f"{daemon.url}/mcp?backend=remote"
    async with browser_at(daemon) as browser, assistant_at(address, era, daemon.token) as one:
        element = {"id": 3, "type": "button", "text": "Buy"}
        browser.forms["observe"] = {"ok": True, "command": "observe", "elements": [element]}
        seen = await one.call_tool("observe")
        assert seen.structured_content["elements"] == [element] and text_of(seen) == "ok observe"
        await one.call_tool("click", {"target": "3"})
        await one.call_tool("oryn", {"line": "@tab2 title"})
        assert browser.heard == ["observe", "click 3", "@tab2 title"]
        (session,) = (await daemon.status())["sessions"]
        assert session["mode"] == "remote" and session["name"].startswith("mcp_")


async def test_no_browser_is_an_error_that_says_how_to_pair_one(daemon: RunningDaemon, era: str) -> None:
    async with assistant_at(f"{daemon.url}/mcp?backend=remote", era, daemon.token) as one:
        answer = await one.call_tool("observe")
        assert answer.is_error and "'oryn daemon pair CODE'" in text_of(answer)
