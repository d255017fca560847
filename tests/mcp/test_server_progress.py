"""Progress and log messages: told to clients that ask, as long as a call lasts."""

from __future__ import annotations

import asyncio
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import LoggingMessageNotificationParams

from tests.headless.conftest import Pages
from tests.mcp.conftest import Connect, text_of

pytestmark = pytest.mark.browser


@pytest.mark.slow
async def test_a_call_that_lasts_says_that_it_goes_on(connect: Connect, era: str, pages: Pages) -> None:
    answering = threading.Event()
    told: list[tuple[float, float | None, str | None]] = []

    def slow(_: BaseHTTPRequestHandler) -> str:
        answering.wait(60)
        return "<title>Slow</title>"

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))
        if len(told) == 2:
            answering.set()

    pages["/"] = slow
    async with connect(era) as assistant:
        answer = await assistant.call_tool("goto", {"url": pages.url()}, progress_callback=progress)
    assert '"Slow"' in text_of(answer)
    assert told[0][0] < told[1][0]
    assert [each[1:] for each in told[:2]] == [(None, "goto"), (None, "goto")]


async def test_engine_progress_is_sent_immediately(
    connect: Connect, era: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As `record stop` does while it encodes."""
    from oryn.engine import Answer
    from oryn.hosts.terminal import report_progress
    from oryn.sessions.sessions import Sessions

    arrived, told = asyncio.Event(), list[str | None]()

    async def encoding(*_: object) -> Answer:
        report_progress("encoding demo.webm", 0.43)
        await arrived.wait()
        return Answer(command="record stop", lines=["done"])

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(message)
        if message != "oryn":  # on a slow machine the beat may come first
            arrived.set()

    monkeypatch.setattr(Sessions, "execute_in", encoding)
    async with connect(era) as assistant:
        answer = await assistant.call_tool("oryn", {"line": "record stop"}, progress_callback=progress)
    assert "done" in text_of(answer)
    assert "encoding demo.webm 43%" in told


async def test_a_client_of_the_older_era_sets_what_is_logged(connect: Connect) -> None:
    logged: list[LoggingMessageNotificationParams] = []
    news = asyncio.Event()

    async def log(params: LoggingMessageNotificationParams) -> None:
        logged.append(params)
        news.set()

    async with connect("legacy", logging_callback=log) as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})  # less grave than it wants to know
        with pytest.warns(MCPDeprecationWarning):
            await assistant.set_logging_level("info")
        await assistant.call_tool("observe")
        await news.wait()
        news.clear()
        await assistant.call_tool("click", {"target": "7"})
        await news.wait()
    assert [(each.level, each.logger, each.data) for each in logged] == [
        ("info", "oryn", "ok observe"),
        ("notice", "oryn", "ELEMENT_NOT_FOUND click 7"),
    ]


async def test_one_of_the_newer_era_says_it_with_each_request(connect: Connect) -> None:
    logged: list[LoggingMessageNotificationParams] = []
    news = asyncio.Event()

    async def log(params: LoggingMessageNotificationParams) -> None:
        logged.append(params)
        news.set()

    async with connect("auto", logging_callback=log, log_level="info") as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        await news.wait()
    assert [(each.level, each.data) for each in logged] == [("info", "ok goto about:blank")]


async def test_a_password_stands_in_no_message(connect: Connect, pages: Pages) -> None:
    pages["/"] = "<input type=password aria-label=Password>"
    logged: asyncio.Queue[object] = asyncio.Queue()

    async def log(params: LoggingMessageNotificationParams) -> None:
        logged.put_nowait(params.data)

    async with connect("auto", logging_callback=log, log_level="debug") as assistant:
        await assistant.call_tool("goto", {"url": pages.url()})
        typed = await assistant.call_tool("type", {"target": "Password", "text": "hunter2hunter2"})
        history = (await assistant.read_resource("oryn://mine/history")).contents[0].text
        wrong = await assistant.call_tool("oryn", {"line": 'type Password "hunter2hunter2'})
        assert wrong.is_error
        told = [await logged.get(), await logged.get()]
    assert "hunter2" not in f"{told}{typed}{history}"
