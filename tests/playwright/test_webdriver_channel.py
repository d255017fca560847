"""The commands of a tab against a driver that misbehaves, and the table of errors. No browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from oryn.browsers.webdriver.channel import DriverSession, WebDriverChannel
from oryn.browsers.webdriver.client import DriverDocument
from oryn.browsers.webdriver.dialogs import MARK, WebDriverDialogs, parse_dialog
from oryn.browsers.webdriver.error_mapping import AlertOpen, DriverLost, from_answer
from oryn.browsers.webdriver.load_failure import diagnose
from oryn.errors import BrowserFailed, CannotAccessPage, OrynError, ScriptError, TabNotFound


class FakeDriver:
    """A driver whose answers a function gives: values, or errors as WebDriver writes them (`{"error": …}`)."""

    version = "X/1"

    def __init__(self, respond: Callable[[str], Any]) -> None:
        self._respond = respond

    async def get(self, path: str, *, timeout: float = 30) -> Any:
        found = self._respond(path)
        if isinstance(found, dict) and "error" in found:
            raise from_answer(found)
        return found

    async def post(self, path: str, body: dict[str, Any] | None = None, *, timeout: float = 30) -> Any:
        return await self.get(path, timeout=timeout)

    async def delete(self, path: str, *, timeout: float = 30) -> Any:
        return await self.get(path, timeout=timeout)

    def document(self, window: str) -> DriverDocument | None:
        return None

    async def close(self, *, end_session: bool, timeout: float = 2.0) -> None:
        pass


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
    scripts: list[Any] = [{"error": "unexpected alert open", "message": ""}, 7]

    def respond(path: str) -> Any:
        if path.endswith("/execute/sync"):
            return scripts.pop(0)
        return {"error": "no such alert"} if "/alert/" in path else None

    channel = WebDriverChannel(DriverSession(FakeDriver(respond)), "w")
    dialogs = WebDriverDialogs(channel, lambda: None)
    assert await channel.execute("return 7") == 7
    assert (dialogs.open, dialogs.count) == (None, 0)


async def test_a_dialog_that_is_reported_to_two_commands_is_one() -> None:
    """The second report arrives after the dialog was answered."""
    alert = MARK.join(["", "alert", "", "Saved"])
    answered: list[str] = []

    def respond(path: str) -> Any:
        if path.endswith("/execute/sync"):
            return 7 if answered else {"error": "unexpected alert open", "data": {"text": alert}}
        if "/alert/" in path:
            answered.append(path)
        return None

    channel = WebDriverChannel(DriverSession(FakeDriver(respond)), "w")
    dialogs = WebDriverDialogs(channel, lambda: None)
    assert await channel.execute("return 7") == 7
    assert await dialogs.discovered(alert, 0), "a report to a command from before: it can be repeated"
    assert (dialogs.open, dialogs.count, len(answered)) == (None, 1, 1)


async def test_why_a_load_failed() -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    assert await diagnose(url) in ("net::ERR_EMPTY_RESPONSE", "net::ERR_CONNECTION_RESET")
    server.close()
    await server.wait_closed()
    assert await diagnose(url) == "net::ERR_CONNECTION_REFUSED"
    assert await diagnose("http://nowhere.invalid/") == "net::ERR_NAME_NOT_RESOLVED"
    assert await diagnose("http://[") == "net::ERR_INVALID_URL"
    assert await diagnose("tel:1") == "net::ERR_UNKNOWN_URL_SCHEME"
