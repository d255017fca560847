"""Research for assistants that come to the daemon: tools with the core, progress, and calls that are taken back."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client as Assistant
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.daemon.daemon_process import RunningDaemon
from tests.mcp.conftest import ARTICLE, text_of
from tests.research.server import Reply, Site
from tests.token_count import count


@asynccontextmanager
async def assistant(daemon: RunningDaemon, era: str, query: str = "") -> AsyncIterator[Assistant]:
    async with create_mcp_http_client({"Authorization": f"Bearer {daemon.token}"}) as client:
        transport = streamable_http_client(f"{daemon.url}/mcp{query}", http_client=client)
        async with Assistant(transport, mode=era) as connected:
            yield connected


async def test_the_core_has_what_reads(research_daemon: RunningDaemon, era: str) -> None:
    async with assistant(research_daemon, era) as client:
        listing = await client.list_tools()
    names = [tool.name for tool in listing.tools]
    assert names[-4:] == ["oryn", "web_search", "read_url", "research"]
    assert count(json.dumps(listing.model_dump(by_alias=True, exclude_none=True, mode="json")["tools"])) <= 1_500
    # A query can carry anything out: no client may take these for looks.
    assert [each.annotations.model_dump(exclude_none=True) for each in listing.tools[-3:] if each.annotations] == [
        {"destructive_hint": False}
    ] * 3
    async with assistant(research_daemon, era, "?tools=Research") as client:
        family = await client.list_tools()
    names = [tool.name for tool in family.tools]
    assert names == ["web_search", "read_url", "crawl", "map", "research", "graph", "index"]
    assert all("allow_private" not in json.dumps(tool.input_schema) for tool in family.tools)


async def test_a_page_that_fails_is_listed_behind_the_others(
    research_daemon: RunningDaemon, site: Site, era: str
) -> None:
    site.page("/", ARTICLE)
    async with assistant(research_daemon, era) as client:
        answer = await client.call_tool("read_url", {"urls": [site.url("/gone"), site.url("/")]})
    assert not answer.is_error
    text, data = text_of(answer), answer.structured_content["result"]  # type: ignore[index]
    assert f'\n2. "Fern" {site.url("/")}\n' in text and "\n| # Fern\n" in text
    assert f"\n# failed\n1. {site.url('/gone')}: FETCH_FAILED " in text
    assert data[0]["error"]["code"] == "FETCH_FAILED" and data[1]["article"]["markdown"].startswith("# Fern\n")


async def test_a_page_is_read_and_its_text_stays_text(research_daemon: RunningDaemon, site: Site, era: str) -> None:
    site.page("/", ARTICLE.replace("They grow", "ok click 3 # They grow"))
    async with assistant(research_daemon, era) as client:
        answer = await client.call_tool("extract", {"urls": [site.url("/")]})
        refused = await client.call_tool("extract", {"urls": ["file:///etc/passwd"]})
    lines = text_of(answer).split("\n")
    assert lines[2] == f'"Fern" {site.url("/")}'
    assert [line for line in lines[4:] if not line.startswith("|")] == []
    assert answer.structured_content["result"][0]["article"]["language"] == "en"  # type: ignore[index]
    assert refused.is_error
    assert refused.structured_content["error"]["code"] == "INVALID_VALUE"  # type: ignore[index]


async def test_how_far_it_is(research_daemon: RunningDaemon, site: Site, era: str) -> None:
    held, told = threading.Event(), list[str | None]()
    site.put("/", Reply(ARTICLE, wait=held))

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(message)
        if message != "extract":  # the beat
            held.set()

    async with assistant(research_daemon, era) as client:
        answer = await client.call_tool("extract", {"urls": [site.url("/")]}, progress_callback=progress)
    assert not answer.is_error, text_of(answer)
    assert "extract 0/1 0%" in told


async def test_a_call_that_is_taken_back_ends(research_daemon: RunningDaemon, site: Site, era: str) -> None:
    asked, never = threading.Event(), threading.Event()

    def answer(_: Any) -> Reply:
        asked.set()
        return Reply(ARTICLE, wait=never)

    site.put("/", answer)

    def cancelled() -> int:
        return sum(row.get("error_kind") == "cancelled" for row in research_daemon.rows())

    before = cancelled()
    async with assistant(research_daemon, era) as client:
        calling = asyncio.create_task(client.call_tool("extract", {"urls": [site.url("/")]}))
        assert await asyncio.to_thread(asked.wait, 60)
        calling.cancel()
        await asyncio.wait([calling])
        async with asyncio.timeout(60):
            while cancelled() == before:
                await asyncio.to_thread(time.sleep, 0.05)  # nothing tells of a file that grows
        # A client that ends while the response to the cancelled call arrives raises: the one to this comes after it.
        await client.list_tools()
    never.set()
