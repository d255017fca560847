"""MCP clients of several daemons with the same records, whose requests reach any of them (docs/spec/records.md)."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client as Assistant
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages
from tests.mcp.conftest import ACCEPT, ERAS, HANDSHAKE, text_of
from tests.records.conftest import Start

pytestmark = pytest.mark.browser


@pytest.fixture
def records_url(tmp_path: Path) -> str:
    """The URL of an empty database. What is tested here is the same with all kinds."""
    return f"sqlite:///{tmp_path / 'records.sqlite'}"


class Balancer(httpx2.AsyncBaseTransport):
    """Sends each request to the next daemon, as a load balancer does."""

    def __init__(self, *daemons: RunningDaemon) -> None:
        self.daemons = list(daemons)
        self._turns = itertools.count()
        self._transport = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        daemon = self.daemons[next(self._turns) % len(self.daemons)]
        place = httpx2.URL(daemon.url)
        request.url = request.url.copy_with(port=place.port)
        request.headers["Host"] = place.netloc.decode()
        request.headers["Authorization"] = f"Bearer {daemon.token}"
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        await self._transport.aclose()


@asynccontextmanager
async def assistant_of(balancer: Balancer, query: str, era: str) -> AsyncIterator[Assistant]:
    async with (
        httpx2.AsyncClient(transport=balancer, timeout=120) as client,
        Assistant(streamable_http_client(f"http://127.0.0.1:1/mcp{query}", http_client=client), mode=era) as assistant,
    ):
        yield assistant


@pytest.mark.slow
@pytest.mark.parametrize("query", ["?session=work", ""])
@pytest.mark.parametrize("era", ERAS)
async def test_any_daemon_answers_an_assistant(
    start: Start, records_url: str, pages: Pages, era: str, query: str
) -> None:
    one, two = start("one", records_url), start("two", records_url)
    async with assistant_of(Balancer(one, two), query, era) as assistant:
        await assistant.call_tool("goto", {"url": pages.url("/")})
        for _ in range(2):  # each daemon has a turn
            assert '"Home"' in text_of(await assistant.call_tool("oryn", {"line": "title"}))
        assert not (await assistant.call_tool("oryn", {"line": 'click "Mark"'})).is_error
        assert '"Marked"' in text_of(await assistant.call_tool("oryn", {"line": "title"}))
        assert len((await assistant.list_tools()).tools) > 3
        assert bool(one.processes()) != bool(two.processes()), "one daemon has the session"


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_an_assistant_whose_daemon_is_killed(start: Start, records_url: str, pages: Pages, era: str) -> None:
    one, two = start("one", records_url), start("two", records_url)
    balancer = Balancer(one)
    async with assistant_of(balancer, "?session=work", era) as assistant:
        await assistant.call_tool("goto", {"url": pages.url("/")})
        await one.wait_until_saved("work")
        await one.kill()
        balancer.daemons = [two]
        if era == "legacy":  # its state has ended with the daemon
            with pytest.raises(MCPError, match="Session not found"):
                await assistant.call_tool("oryn", {"line": "title"})
        else:
            assert '"Home"' in text_of(await assistant.call_tool("oryn", {"line": "title"}))
    async with assistant_of(balancer, "?session=work", era) as again:
        assert '"Home"' in text_of(await again.call_tool("oryn", {"line": "title"}))


@pytest.mark.slow
async def test_an_assistant_whose_session_has_moved_begins_again(start: Start, records_url: str, pages: Pages) -> None:
    one, two = start("one", records_url), start("two", records_url)
    address, headers = f"{one.url}/mcp?session=work", {**ACCEPT, "Authorization": f"Bearer {one.token}"}
    call = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {"name": "oryn", "arguments": {"line": "title"}},
    }
    async with httpx2.AsyncClient(timeout=120, headers=headers) as client:
        begun = await client.post(address, json=HANDSHAKE)
        id = begun.headers["mcp-session-id"]
        assert id.endswith(".one")
        await two.ok(f"goto {pages.url('/')}", session="work")
        moved = await client.post(address, json=call, headers={"mcp-session-id": id})
        assert moved.status_code == 404 and moved.json()["id"] == 7
        assert "the session work has moved: initialize again" in moved.text
        begun = await client.post(address, json=HANDSHAKE)
        id = begun.headers["mcp-session-id"]
        assert id.endswith(".two")
        answered = await client.post(address, json=call, headers={"mcp-session-id": id})
        assert "Home" in answered.json()["result"]["content"][0]["text"]


@pytest.mark.slow
async def test_a_daemon_that_ends_in_the_middle_of_a_call(start: Start, records_url: str, pages: Pages) -> None:
    one, two = start("one", records_url), start("two", records_url)
    async with assistant_of(Balancer(two), "?session=work", "auto") as assistant:
        await one.ok(f"goto {pages.url('/')}", session="work")
        waiting = asyncio.create_task(assistant.call_tool("oryn", {"line": 'wait text "never" --timeout 60s'}))
        async with asyncio.timeout(30):
            while not any(each["queue"] for each in (await one.status())["sessions"]):
                await asyncio.to_thread(one.process.poll)
        await one.kill()
        with pytest.raises(MCPError, match="the daemon one, which has the session work, ended in the middle"):
            await waiting
