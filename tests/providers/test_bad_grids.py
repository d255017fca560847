"""What answers in the place of a Grid: nothing, another program, an error, a browser without a DevTools endpoint."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress

import pytest

from oryn.errors import OrynError, ProviderUnavailable, QueueTimedOut
from oryn.providers import ProviderPool
from oryn.providers.grid import GridProvider
from oryn.providers.provider import BrowserRequest
from scripts.ports import free_port
from tests.headless.conftest import Pages


@pytest.fixture
def server() -> Iterator[Pages]:
    with Pages() as served:
        yield served


def answer(value: object, status: int = 200) -> tuple[int, dict[str, str], str]:
    return status, {"Content-Type": "application/json"}, json.dumps({"value": value})


async def failure(url: str) -> OrynError:
    provider = GridProvider("farm", url)
    try:
        with pytest.raises(OrynError) as raised:
            await provider.open(BrowserRequest())
        assert (await provider.health()).state == "down"
        return raised.value
    finally:
        await provider.stop()


async def test_nothing_answers() -> None:
    error = await failure(f"http://127.0.0.1:{free_port()}")
    assert isinstance(error, ProviderUnavailable)
    assert "does not answer" in error.message


async def test_another_program_answers(server: Pages) -> None:
    server["/session"] = "<h1>Welcome to nginx</h1>"
    error = await failure(server.url("").rstrip("/"))
    assert isinstance(error, ProviderUnavailable)
    assert "is no Selenium Grid: HTTP 200" in error.message


async def test_the_grid_reports_an_error(server: Pages) -> None:
    message = "Could not start a new session.\nHost info: host: 'vm'"
    server["/session"] = answer({"error": "session not created", "message": message}, 500)
    error = await failure(server.url("").rstrip("/"))
    assert isinstance(error, ProviderUnavailable)
    assert error.message.endswith("answers: Could not start a new session.")


async def test_the_time_of_its_queue_is_over(server: Pages) -> None:
    value = {"error": "session not created", "message": "Could not start. New session request timed out"}
    server["/session"] = answer(value, 500)
    assert isinstance(await failure(server.url("").rstrip("/")), QueueTimedOut)


async def test_a_browser_without_devtools_is_refused(server: Pages) -> None:
    server["/session"] = answer({"sessionId": "s1", "capabilities": {"browserName": "firefox"}})
    error = await failure(server.url("").rstrip("/"))
    assert isinstance(error, ProviderUnavailable)
    assert "has no DevTools endpoint" in error.message


@pytest.mark.parametrize("value", [{}, [], "yes", {"sessionId": "s1"}])
async def test_an_answer_without_a_session_is_refused(server: Pages, value: object) -> None:
    server["/session"] = answer(value)
    assert "is no Selenium Grid" in (await failure(server.url("").rstrip("/"))).message


class FailingGrid:
    """A Grid that opens sessions, or closes connections without an answer while `is_silent`."""

    def __init__(self) -> None:
        self.is_silent = False
        self.unanswered = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while not (await reader.readuntil(b"\r\n\r\n")).startswith(b"DELETE"):
                if self.is_silent:
                    self.unanswered += 1
                    break
                session = {"sessionId": "s1", "capabilities": {"se:cdp": "ws://127.0.0.1/session/s1/se/cdp"}}
                body = json.dumps({"value": session}).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        writer.close()


async def test_a_grid_that_falls_silent_is_asked_once_and_its_browser_kept() -> None:
    grid = FailingGrid()
    server = await asyncio.start_server(grid.serve, "127.0.0.1", 0)
    provider = GridProvider("farm", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    source = ProviderPool([provider]).source([provider], [])
    async with server:
        await source.open()
        await provider.stop()  # its connections
        grid.is_silent = True
        with pytest.raises(ProviderUnavailable, match="does not answer"):
            await source.open()
        assert grid.unanswered == 1
        grid.is_silent = False
        assert (await source.open()).resumed
        await source.close()
        await provider.stop()
