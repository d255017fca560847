"""What answers in the place of a Grid: nothing, another program, an error, a browser without a DevTools endpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from oryn.errors import OrynError, ProviderUnavailable, QueueTimedOut
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
