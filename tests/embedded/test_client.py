"""The WebDriver client against a driver that misbehaves, and the table of errors. No browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from oryn.browsers.webdriver.channel import DriverSession, WebDriverChannel
from oryn.browsers.webdriver.client import WebDriverClient
from oryn.browsers.webdriver.dialogs import MARK, WebDriverDialogs, parse_dialog
from oryn.browsers.webdriver.error_mapping import AlertOpen, DriverLost, from_answer
from oryn.browsers.webdriver.load_failure import diagnose
from oryn.errors import BrowserFailed, CannotAccessPage, OrynError, ScriptError, TabNotFound, Timeout

Responder = Callable[[str, str], tuple[int, Any] | None]


@asynccontextmanager
async def driver(respond: Responder) -> AsyncIterator[str]:
    """A driver's URL. `respond` gets the method and the path, and returns the status and the `value`; or None to
    close the connection."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                method, path = head.decode().split(" ", 2)[:2]
                length = [line for line in head.decode().lower().splitlines() if line.startswith("content-length:")]
                await reader.readexactly(int(length[0].partition(":")[2]) if length else 0)
                found = respond(method, path)
                if found is None:
                    return
                status, value = found
                body = value if isinstance(value, bytes) else json.dumps({"value": value}).encode()
                writer.write(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


def session(method: str, path: str) -> tuple[int, Any]:
    if path == "/status":
        return 200, {"ready": True}
    if path == "/session":
        return 200, {"sessionId": "1", "capabilities": {"browserName": "X"}}
    return 200, None


async def connected(url: str) -> WebDriverClient:
    client = WebDriverClient(url)
    await client.wait_until_ready(2)
    await client.create_session({})
    return client


async def test_a_session_and_its_commands() -> None:
    calls = []

    def respond(method: str, path: str) -> tuple[int, Any]:
        calls.append((method, path))
        return session(method, path) if not path.endswith("/url") else (200, "about:blank")

    async with driver(respond) as url:
        client = await connected(url)
        assert client.capabilities == {"browserName": "X"}
        assert await client.get("/url") == "about:blank"
        await client.close(end_session=True)
    assert calls[:3] == [("GET", "/status"), ("POST", "/session"), ("GET", "/session/1/url")]
    assert calls[-1] == ("DELETE", "/session/1")


async def test_a_driver_that_goes_away_and_one_that_answers_nonsense() -> None:
    answers: list[tuple[int, Any] | None] = [None, (200, b"<html>"), (200, b"[]"), (200, b'{"no": 1}')]

    def respond(method: str, path: str) -> tuple[int, Any] | None:
        return session(method, path) if not path.endswith("/url") else answers.pop(0)

    async with driver(respond) as url:
        client = await connected(url)
        for _ in range(len(answers)):
            with pytest.raises(DriverLost):
                await client.get("/url")
        await client.close(end_session=False)
        with pytest.raises(DriverLost):
            await client.get("/url")


async def test_a_driver_that_does_not_answer() -> None:
    client = WebDriverClient("http://127.0.0.1:1")
    with pytest.raises(BrowserFailed, match="does not answer"):
        await client.wait_until_ready(0.1)
    await client.close(end_session=True)


async def test_a_busy_driver_is_refused() -> None:
    async with driver(lambda method, path: (200, {"ready": False})) as url:
        client = WebDriverClient(url)
        with pytest.raises(BrowserFailed, match="has a session already"):
            await client.wait_until_ready(2)
        await client.close(end_session=False)


async def test_a_command_has_a_time_limit() -> None:
    waiting = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await waiting.wait()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    client = WebDriverClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    with pytest.raises(BrowserFailed, match="did not start in time"):
        await client.create_session({}, timeout=0.1)
    client._session = "/session/1"
    with pytest.raises(Timeout):
        await client.get("/url", timeout=0.1)
    waiting.set()
    await client.close(end_session=False)
    server.close()


# https://www.w3.org/TR/webdriver2/#errors
CODES = """\
element click intercepted|element not interactable|insecure certificate|invalid argument
invalid cookie domain|invalid element state|invalid selector|invalid session id|javascript error
move target out of bounds|no such alert|no such cookie|no such element|no such frame
no such window|no such shadow root|script timeout|session not created|stale element reference
detached shadow root|timeout|unable to set cookie|unable to capture screen|unexpected alert open
unknown command|unknown error|unknown method|unsupported operation"""


@pytest.mark.parametrize("code", [code for line in CODES.splitlines() for code in line.split("|")])
def test_each_code_of_the_protocol_is_an_error_with_a_code(code: str) -> None:
    error = from_answer({"error": code, "message": "why", "stacktrace": ""})
    assert isinstance(error, OrynError) and error.code and error.message


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"error": "no such window"}, TabNotFound),
        ({"error": "invalid session id"}, DriverLost),
        ({"error": "javascript error", "message": "x"}, ScriptError),
        ({"error": "javascript error", "message": "argumentValues.push is not a function"}, CannotAccessPage),
        ({"error": "unknown error"}, CannotAccessPage),
        ({"error": "something new", "message": "what"}, BrowserFailed),
        ({}, BrowserFailed),
    ],
)
def test_errors_by_their_codes(value: dict[str, Any], kind: type[OrynError]) -> None:
    error = from_answer(value)
    assert isinstance(error, kind) and error.code == kind.code


def test_the_text_of_an_open_dialog() -> None:
    error = from_answer({"error": "unexpected alert open", "data": {"text": "Sure?"}})
    assert isinstance(error, AlertOpen) and error.text == "Sure?"


def test_what_a_dialog_says_of_itself() -> None:
    marked = parse_dialog(MARK.join(["", "prompt", "Ann", f"Who{MARK}?"]))
    assert (marked.kind, marked.message, marked.default) == ("prompt", f"Who{MARK}?", "Ann")
    for text in ("plain", "", MARK, f"{MARK}window{MARK}{MARK}x"):
        assert (parse_dialog(text).kind, parse_dialog(text).message) == ("confirm", text)


async def test_a_dialog_that_closes_while_the_driver_reports_it() -> None:
    """The driver has no message for it any more."""
    scripts = [(500, {"error": "unexpected alert open", "message": ""}), (200, 7)]

    def respond(method: str, path: str) -> tuple[int, Any]:
        if path.endswith("/execute/sync"):
            return scripts.pop(0)
        return (404, {"error": "no such alert"}) if "/alert/" in path else session(method, path)

    async with driver(respond) as url:
        client = await connected(url)
        channel = WebDriverChannel(DriverSession(client), "w")
        dialogs = WebDriverDialogs(channel, lambda: None)
        assert await channel.execute("return 7") == 7
        assert (dialogs.open, dialogs.count) == (None, 0)
        await client.close(end_session=False)


async def test_a_dialog_that_is_reported_to_two_commands_is_one() -> None:
    """The second report arrives after the dialog was answered."""
    alert = MARK.join(["", "alert", "", "Saved"])
    answered: list[str] = []

    def respond(method: str, path: str) -> tuple[int, Any]:
        if path.endswith("/execute/sync"):
            return (200, 7) if answered else (500, {"error": "unexpected alert open", "data": {"text": alert}})
        if "/alert/" in path:
            answered.append(path)
        return session(method, path)

    async with driver(respond) as url:
        client = await connected(url)
        channel = WebDriverChannel(DriverSession(client), "w")
        dialogs = WebDriverDialogs(channel, lambda: None)
        assert await channel.execute("return 7") == 7
        assert await dialogs.discovered(alert, 0), "a report to a command from before: it can be repeated"
        assert (dialogs.open, dialogs.count, len(answered)) == (None, 1, 1)
        await client.close(end_session=False)


async def test_why_a_load_failed() -> None:
    async with driver(lambda method, path: None) as url:
        assert await diagnose(url) in ("net::ERR_EMPTY_RESPONSE", "net::ERR_CONNECTION_RESET")
    assert await diagnose(url) == "net::ERR_CONNECTION_REFUSED"
    assert await diagnose("http://nowhere.invalid/") == "net::ERR_NAME_NOT_RESOLVED"
    assert await diagnose("http://[") == "net::ERR_INVALID_URL"
    assert await diagnose("tel:1") == "net::ERR_UNKNOWN_URL_SCHEME"
