"""Attaching to a browser that runs already, here or elsewhere.

What its address says besides the host may be a key: messages show no more of it than `browser_url.shown` does.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from socket import SHUT_RDWR
from urllib.parse import SplitResult, unquote, urlsplit

from oryn import browser_url
from oryn.browsers.cdp.cleanup import command_line
from oryn.browsers.cdp.connection import Connection
from oryn.browsers.cdp.transport import WebSocketTransport
from oryn.errors import BrowserFailed, OrynError

CONNECT_SECONDS = 10.0
OLDEST = 112
"""The first version of Chromium whose protocol has all that is needed."""

_LONGEST_ANSWER = 64 * 1024
_GIVE_ENDPOINT = "Give its DevTools endpoint, ws://…/devtools/browser/…, or http:// and its debugging port."
_AGAIN = "Run 'goto' to connect again."


async def attach(address: str, connection: Connection) -> None:
    """Connect to the browser at `address`. Raises `BrowserFailed` where none answers, or not one that can be driven."""
    place = browser_url.shown(address)
    connection.advice = _AGAIN
    if "/devtools/page/" in urlsplit(address).path:
        raise BrowserFailed(f"{place} is the endpoint of one page", _GIVE_ENDPOINT)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            endpoint = await _endpoint(address)
            transport = await WebSocketTransport.open(endpoint, connection.receive, connection.lost, stay=True)
            connection.attach(transport)
            _check(place, await _version(place, connection))
    except TimeoutError:
        connection.close()
        raise BrowserFailed(f"no browser answered at {place} within {CONNECT_SECONDS:g} s", _GIVE_ENDPOINT) from None
    except BaseException:  # given up, too: no connection is left open
        connection.close()
        raise


async def is_here(address: str, connection: Connection) -> bool:
    """Whether the browser runs on this computer and sees its files. A port of this computer may as well be a
    container's, or lead elsewhere: so the process that the browser says it is must be one here that opens a port."""
    if not browser_url.is_local(address):
        return False
    try:
        told = await connection.root.call("SystemInfo.getProcessInfo", timeout=CONNECT_SECONDS)
    except OrynError:
        return False
    processes = [each["id"] for each in told["processInfo"] if each["type"] == "browser"]
    return bool(processes) and "--remote-debugging-p" in await asyncio.to_thread(command_line, processes[0])


def cannot_be_driven(address: str, error: OrynError) -> BrowserFailed:
    """It speaks, but refuses what a session needs."""
    return BrowserFailed(
        f"the browser at {browser_url.shown(address)} can't be driven: {error.message}", _GIVE_ENDPOINT
    )


async def _version(place: object, connection: Connection) -> str:
    try:
        told = await connection.root.call("Browser.getVersion")
        return str(told["product"])
    except (OrynError, KeyError) as error:
        raise BrowserFailed(f"what answers at {place} is no browser's DevTools endpoint", _GIVE_ENDPOINT) from error


def _check(place: object, product: str) -> None:
    found = re.search(r"Chrome/(\d+)", product)
    if found and int(found[1]) < OLDEST:
        raise BrowserFailed(f"the browser at {place} is too old: {found[0]}", f"Attach to version {OLDEST} or later.")


# --- from a port to the endpoint behind it ---


async def _endpoint(address: str) -> str:
    """The endpoint that `address` is, or that the browser at its port tells."""
    if urlsplit(address).scheme in ("ws", "wss"):
        return address
    place = browser_url.shown(address)
    status, body = await _get(address, place)
    if status == 500 and b"Host header" in body:
        raise BrowserFailed(f"the browser at {place} does not answer to this name", "Give its IP address.")
    try:
        if status == 200:
            return browser_url.endpoint(address, json.loads(body)["webSocketDebuggerUrl"])
    except (ValueError, LookupError, TypeError, AttributeError):
        pass  # it answers, but nothing that a browser would
    raise BrowserFailed(f"what answers at {place} is no browser's debugging port", _GIVE_ENDPOINT)


async def _get(address: str, place: object) -> tuple[int, bytes]:
    """The status and the body of `/json/version`. https://chromedevtools.github.io/devtools-protocol/#endpoints"""
    parts = urlsplit(address)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    http = kind(parts.hostname or "", parts.port, timeout=CONNECT_SECONDS)
    query = f"?{parts.query}" if parts.query else ""

    def ask() -> tuple[int, bytes]:
        http.request("GET", f"{parts.path.rstrip('/')}/json/version{query}", headers=_authorization(parts))
        answer = http.getresponse()
        return answer.status, answer.read(_LONGEST_ANSWER)

    try:
        return await asyncio.to_thread(ask)
    except (OSError, HTTPException, UnicodeError) as error:
        raise BrowserFailed(f"no browser answers at {place}", "Start it with --remote-debugging-port.") from error
    finally:
        if http.sock is not None:
            with suppress(OSError):
                http.sock.shutdown(SHUT_RDWR)  # who still waits in the thread ends
        http.close()


def _authorization(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return {"Authorization": f"Basic {base64.b64encode(login).decode()}"}
