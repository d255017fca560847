"""Attaches to a browser that already runs, on this computer or another.

The parts of its address besides the host may be a secret, so messages contain only what `redact_browser_url` leaves."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from socket import SHUT_RDWR
from urllib.parse import SplitResult, unquote, urlsplit

from oryn.browsers.cdp.connection import CdpConnection
from oryn.browsers.cdp.transport import WebSocketTransport
from oryn.browsers.process.run_folder import command_line
from oryn.core import urls
from oryn.errors import BrowserFailed, OrynError

CONNECT_SECONDS = 10.0
MIN_VERSION = 112
"""The first version of Chromium whose protocol has everything that is needed."""

_MAX_ANSWER_BYTES = 64 * 1024
_ENDPOINT_HINT = "Give its DevTools endpoint, ws://…/devtools/browser/…, or http:// and its debugging port."
_RECONNECT_HINT = "Run 'goto' to connect again."


async def attach(address: str, connection: CdpConnection) -> None:
    """Connect to the browser at `address`. Raises `BrowserFailed` if none answers or its version is not supported."""
    location = urls.redact_browser_url(address)
    connection.advice = _RECONNECT_HINT
    if "/devtools/page/" in urlsplit(address).path:
        raise BrowserFailed(f"{location} is the endpoint of one page", _ENDPOINT_HINT)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            endpoint = await _endpoint(address)
            transport = await WebSocketTransport.open(endpoint, connection.receive, connection.on_lost, keep_alive=True)
            connection.attach(transport)
            await _check_version(location, connection)
    except TimeoutError:
        connection.close()
        raise BrowserFailed(f"no browser answered at {location} within {CONNECT_SECONDS:g} s", _ENDPOINT_HINT) from None
    except BaseException:  # also when cancelled: no connection may stay open
        connection.close()
        raise


async def is_local_browser(address: str, connection: CdpConnection) -> bool:
    """Whether the browser runs on this computer and sees its files.

    A local port may belong to a container or be forwarded, so the process id that the browser reports must be that of a
    local process with a debugging port."""
    if not urls.is_loopback_url(address):
        return False
    try:
        answer = await connection.root.call("SystemInfo.getProcessInfo", timeout=CONNECT_SECONDS)
    except OrynError:
        return False
    processes = [each["id"] for each in answer["processInfo"] if each["type"] == "browser"]
    return bool(processes) and "--remote-debugging-p" in await asyncio.to_thread(command_line, processes[0])


def undrivable_error(address: str, error: OrynError) -> BrowserFailed:
    """The error for a browser that answers but refuses commands that a session needs."""
    return BrowserFailed(
        f"the browser at {urls.redact_browser_url(address)} can't be driven: {error.message}", _ENDPOINT_HINT
    )


async def _check_version(location: object, connection: CdpConnection) -> None:
    try:
        product = str((await connection.root.call("Browser.getVersion"))["product"])
    except (OrynError, KeyError) as error:
        raise BrowserFailed(f"what answers at {location} is no browser's DevTools endpoint", _ENDPOINT_HINT) from error
    found = re.search(r"Chrome/(\d+)", product)
    if found and int(found[1]) < MIN_VERSION:
        raise BrowserFailed(
            f"the browser at {location} is too old: {found[0]}", f"Attach to version {MIN_VERSION} or later."
        )


# --- the endpoint of a port ---


async def _endpoint(address: str) -> str:
    """The WebSocket endpoint: `address` itself, or the endpoint that the browser at this HTTP address reports."""
    if urlsplit(address).scheme in ("ws", "wss"):
        return address
    location = urls.redact_browser_url(address)
    status, body = await _fetch_version_info(address, location)
    if status == 500 and b"Host header" in body:
        raise BrowserFailed(f"the browser at {location} does not answer to this name", "Give its IP address.")
    try:
        if status == 200:
            return urls.resolve_devtools_endpoint(address, json.loads(body)["webSocketDebuggerUrl"])
    except (ValueError, LookupError, TypeError, AttributeError):
        pass  # not the answer of a browser
    raise BrowserFailed(f"what answers at {location} is no browser's debugging port", _ENDPOINT_HINT)


async def _fetch_version_info(address: str, location: object) -> tuple[int, bytes]:
    """The status and the body of `/json/version`. https://chromedevtools.github.io/devtools-protocol/#endpoints"""
    parts = urlsplit(address)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    http = kind(parts.hostname or "", parts.port, timeout=CONNECT_SECONDS)
    query = f"?{parts.query}" if parts.query else ""

    def fetch() -> tuple[int, bytes]:
        http.request("GET", f"{parts.path.rstrip('/')}/json/version{query}", headers=_authorization(parts))
        answer = http.getresponse()
        return answer.status, answer.read(_MAX_ANSWER_BYTES)

    try:
        return await asyncio.to_thread(fetch)
    except (OSError, HTTPException, UnicodeError) as error:
        raise BrowserFailed(f"no browser answers at {location}", "Start it with --remote-debugging-port.") from error
    finally:
        if http.sock is not None:
            with suppress(OSError):
                http.sock.shutdown(SHUT_RDWR)  # ends the thread if it still waits
        http.close()


def _authorization(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return {"Authorization": f"Basic {base64.b64encode(login).decode()}"}
