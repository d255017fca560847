"""Maps Playwright's errors, which have a message and nothing else, to those of Oryn and of the DevTools protocol."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable
from importlib.metadata import version
from typing import Any

from oryn.browsers.chromium import machine_limits
from oryn.core import urls
from oryn.core.error_text import round_up_seconds
from oryn.errors import (
    BrowserError,
    BrowserFailed,
    BrowserUnsuitable,
    InternalError,
    NoDisplay,
    OrynError,
    SandboxUnavailable,
    Timeout,
)

_PROTOCOL_ERROR = re.compile(r"Protocol error \([\w.]+\): (?P<message>.*)", re.DOTALL)
_UNKNOWN_COMMAND = re.compile(r"Protocol error \(([\w.]+)\): unknown command")
"""WebDriver BiDi's error for a command that the browser does not have.
https://www.w3.org/TR/webdriver-bidi/#errors"""
_CLOSED = (
    "has been closed",
    "closed while reading",
    "Connection closed",
    "Browser closed",
    "browser has disconnected",
    "Target closed",
)
_LOG = "\nBrowser logs:"
_CALL_LOG = "\nCall log:"
_SERVER_ERROR = -32000
"""The code of nearly all failures of the DevTools protocol."""


def is_closed_error(error: BaseException) -> bool:
    """Whether a call failed because the browser, the server or the driver is gone."""
    text = str(error)
    return _PROTOCOL_ERROR.search(text) is None and any(words in text for words in _CLOSED)


def protocol_error(error: BaseException) -> dict[str, Any]:
    """The error of a DevTools command as the protocol has it."""
    found = _PROTOCOL_ERROR.search(str(error))
    message = found["message"].partition(_CALL_LOG)[0].strip() if found else str(error)
    return {"code": _SERVER_ERROR, "message": message}


def start_error(error: Exception) -> BrowserError:
    """The error for a browser that did not start, or that this Playwright can't drive."""
    if lacking := _UNKNOWN_COMMAND.search(str(error)):
        return BrowserUnsuitable(
            f"Playwright {version('playwright')} can't drive this browser, which lacks the command {lacking[1]}",
            "Firefox ESR 153 needs an older one: pip install 'playwright<1.65'. Or use Playwright's own build: "
            "playwright install firefox.",
        )
    reason, _, log = str(error).partition(_LOG)
    output = [line for line in log.partition(_CALL_LOG)[0].splitlines() if line.strip()]
    if isinstance(found := machine_limits.start_error(log), (SandboxUnavailable, NoDisplay)):
        return found
    words = output[-1].strip() if output else reason.partition("\n")[0].partition(": ")[2] or reason
    return BrowserFailed(f"the browser did not start: {words}", "Run 'oryn doctor' to see what is wrong.")


def connect_error(endpoint: str, error: Exception) -> BrowserFailed:
    """The error for a server that was not reached."""
    location, text = urls.redact_browser_url(endpoint), str(error)
    if "Executable doesn't exist" in text:
        return BrowserFailed(
            f"the Playwright server at {location} has no build of this engine",
            "Run 'playwright install' where it runs.",
        )
    if "version mismatch" in text:
        return BrowserFailed(
            f"the Playwright server at {location} has another version of Playwright",
            "Its version and that of the extra 'playwright' must be the same, such as 1.64.",
        )
    return BrowserFailed(
        f"no Playwright server and no browser answers at {location}",
        "Give the address that 'playwright run-server' prints, or a browser's DevTools address.",
    )


def call_error(error: Exception) -> OrynError:
    """The error for a call that failed otherwise."""
    if is_closed_error(error):
        return BrowserFailed("the browser is gone", "Run 'goto' to start it again.")
    return InternalError(f"Playwright: {str(error).partition(_CALL_LOG)[0]}")


_GONE = ("Execution context was destroyed", "context with specified id", "was detached", "no such frame", "navigat")
_CALL = re.compile(r"^\w+\.\w+: ")


def driver_answer(error: BaseException) -> dict[str, str]:
    """The error of a WebDriver command for a call that failed. https://www.w3.org/TR/webdriver2/#errors"""
    text = _CALL.sub("", str(error).partition(_CALL_LOG)[0])
    if any(words in text for words in _GONE):
        return {"error": "no such frame"}
    # Scripts of users don't throw here (`page.js`): others fail if the page has replaced what Playwright or they need.
    is_syntax = text.startswith("SyntaxError")
    return {"error": "javascript error" if is_syntax else "unknown error", "message": text.partition("\n")[0]}


async def limited(call: Awaitable[Any], timeout: float = 30) -> Any:
    """The result of a call to Playwright. Raises `Timeout`, and what `call_error` makes of Playwright's errors."""
    try:
        async with asyncio.timeout(timeout):
            return await call
    except TimeoutError:
        raise Timeout(f"the browser did not answer within {round_up_seconds(timeout):g} s") from None
    except OrynError:
        raise
    except Exception as error:  # whatever Playwright raises
        raise call_error(error) from error
