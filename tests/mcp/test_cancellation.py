"""A call that its client takes back ends in the browser too, and the session goes on."""

from __future__ import annotations

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler

import anyio
import pytest

from oryn.mcp.host import LocalMcpHost, run_to_completion
from tests.headless.conftest import Pages
from tests.mcp.conftest import Connect, text_of

pytestmark = pytest.mark.browser


async def test_a_call_that_is_taken_back_ends_and_the_session_goes_on(
    connect: Connect, era: str, pages: Pages, host: LocalMcpHost
) -> None:
    asked, answering = threading.Event(), threading.Event()

    def slow(_: BaseHTTPRequestHandler) -> str:
        asked.set()
        answering.wait(60)
        return "<title>Slow</title>"

    pages["/slow"] = slow
    pages["/"] = "<title>Quick</title><button>Go</button>"
    async with connect(era) as assistant:
        await assistant.call_tool("goto", {"url": pages.url()})
        calling = asyncio.create_task(assistant.call_tool("goto", {"url": pages.url("/slow")}))
        assert await asyncio.to_thread(asked.wait, 60)
        calling.cancel()
        await asyncio.wait([calling])
        answering.set()
        # It waits for the session, so the cancelled one has ended when it is answered.
        seen = await assistant.call_tool("goto", {"url": pages.url()})
        assert '"Quick"' in text_of(seen)
        assert '[1] button "Go"' in text_of(await assistant.call_tool("observe"))
        rows = json.loads((await assistant.read_resource("oryn://mine/history")).contents[0].text)
    assert {"command": "goto", "ok": False, "error": "CANCELLED"}.items() <= rows[1].items()


async def test_one_that_waits_for_its_turn_is_taken_back_too(connect: Connect, era: str, pages: Pages) -> None:
    asked, answering = threading.Event(), threading.Event()

    def slow(_: BaseHTTPRequestHandler) -> str:
        asked.set()
        answering.wait(60)
        return "<title>Slow</title><button onclick='document.title=\"Pressed\"'>Go</button>"

    pages["/slow"] = slow
    async with connect(era) as assistant:
        going = asyncio.create_task(assistant.call_tool("goto", {"url": pages.url("/slow")}))
        assert await asyncio.to_thread(asked.wait, 60)
        pressing = asyncio.create_task(assistant.call_tool("click", {"target": "Go"}))
        await assistant.list_tools()  # by now the click has come
        pressing.cancel()
        await asyncio.wait([pressing])
        answering.set()
        assert not (await going).is_error
        assert (await assistant.call_tool("oryn", {"line": "title"})).structured_content["result"] == "Slow"


async def test_what_is_cancelled_at_every_step_still_cleans_up() -> None:
    cleaned = asyncio.Event()

    async def command() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)  # anyio would break it off here
            cleaned.set()

    async with anyio.create_task_group() as group:
        group.start_soon(lambda: run_to_completion(asyncio.create_task(command())))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        group.cancel_scope.cancel()
    assert cleaned.is_set()
