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
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from oryn.browsers.cdp.connection import CdpConnection
from oryn.browsers.cdp.transport import WebSocketTransport
from oryn.browsers.process.run_folder import command_line
from oryn.core import urls
from oryn.errors import BrowserFailed, BrowserNotFound, NotSupported, OrynError
from oryn.profiles.installations import ALLOW_ADVICE, running_browsers

CONNECT_SECONDS = 10.0
PERSON_SECONDS = 60.0
"""For a browser that may ask its user whether to allow the connection."""
MIN_VERSION = 112
"""The first version of Chromium whose protocol has everything that is needed."""

_MAX_ANSWER_BYTES = 64 * 1024
_ENDPOINT_HINT = "Give its DevTools endpoint, ws://…/devtools/browser/…, or http:// and its debugging port."
_FAMILY_HINT = "Attach to Chrome, Chromium, Edge, Brave or another browser of their family."
_FIREFOX_SERVER = "httpd.js"
_OTHER_BROWSERS = ("Lightpanda", "Firefox")
"""Browsers with a debugging port that lacks what a session needs, by the names that they give themselves."""
_RECONNECT_HINT = "Run 'goto' to connect again."


async def attach(address: str, connection: CdpConnection, *, provided: bool = False) -> str:
    """Connect to the browser at `address`, or to the running one of this computer with that name; returns its address.

    provided: a provider has opened the browser for this session: it is one of Chromium's family, and a proxy
        may be before it, also on this computer.

    Raises `BrowserNotFound` if none of the name runs, `BrowserFailed` if none answers, its user refuses, or its version
    is not supported, and `NotSupported` for another browser than one of Chromium's family."""
    connection.advice = _RECONNECT_HINT
    if "://" in address:
        await _attach_to(address, connection, CONNECT_SECONDS, provided=provided)
        return address
    found = await asyncio.to_thread(lambda: next(running_browsers(address), None))
    if found is None:
        raise BrowserNotFound(f"no running {address} accepts DevTools connections", ALLOW_ADVICE)
    try:
        await _attach_to(found.endpoint, connection, PERSON_SECONDS)
    except BrowserFailed as error:
        error.hint = f"If {found.browser} has asked whether to allow it, press Allow there the next time."
        raise
    return found.endpoint


async def _attach_to(address: str, connection: CdpConnection, seconds: float, *, provided: bool = False) -> None:
    location = urls.redact_browser_url(address)
    if "/devtools/page/" in urlsplit(address).path:
        raise BrowserFailed(f"{location} is the endpoint of one page", _ENDPOINT_HINT)
    try:
        async with asyncio.timeout(seconds):
            endpoint = await _endpoint(address)
            # A computer that sleeps would lose a connection within itself, and the browser ask its user about the next.
            transport = await WebSocketTransport.open(
                endpoint,
                connection.receive,
                connection.on_lost,
                keep_alive=provided or not urls.is_loopback_url(address),
            )
            connection.attach(transport)
            connection.descriptor = transport.descriptor
            await _check_version(location, connection)
            if endpoint == address and not provided:
                await _check_family(address, connection)
    except TimeoutError:
        connection.close()
        raise BrowserFailed(f"no browser answered at {location} within {seconds:g} s", _ENDPOINT_HINT) from None
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


async def _check_family(endpoint: str, connection: CdpConnection) -> None:
    """Raise `NotSupported` if an endpoint is that of a browser which says that it is Chrome, and is not."""
    try:
        await connection.root.call("SystemInfo.getProcessInfo")
    except NotSupported:  # it may also be a service that passes on a part of the protocol
        parts = urlsplit(endpoint)
        port = urlunsplit((parts.scheme.replace("ws", "http"), parts.netloc, "", parts.query, ""))
        with suppress(BrowserFailed):
            _, server, body = await _fetch_version_info(port, urls.redact_browser_url(port))
            if name := _foreign_browser(body, server):
                raise _not_chromium(urls.redact_browser_url(endpoint), name) from None
    except OrynError:
        pass


# --- the endpoint of a port ---


async def _endpoint(address: str) -> str:
    """The WebSocket endpoint: `address` itself, or the endpoint that the browser at this HTTP address reports."""
    if urlsplit(address).scheme in ("ws", "wss"):
        return address
    location = urls.redact_browser_url(address)
    status, server, body = await _fetch_version_info(address, location)
    if status == 500 and b"Host header" in body:
        raise BrowserFailed(f"the browser at {location} does not answer to this name", "Give its IP address.")
    if name := _foreign_browser(body, server):
        raise _not_chromium(location, name)
    try:
        if status == 200:
            return urls.resolve_devtools_endpoint(address, json.loads(body)["webSocketDebuggerUrl"])
    except (ValueError, LookupError, TypeError, AttributeError):
        pass  # not the answer of a browser
    raise BrowserFailed(f"what answers at {location} is no browser's debugging port", _ENDPOINT_HINT)


def _foreign_browser(body: bytes, server: str) -> str | None:
    """The name of the browser that answers at a port, if it is not one of Chromium's family."""
    if server == _FIREFOX_SERVER:
        return "Firefox"
    try:
        name = json.loads(body)["Browser"].partition("/")[0]
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    return name if name in _OTHER_BROWSERS else None


def _not_chromium(location: object, name: str) -> NotSupported:
    return NotSupported(f"the browser at {location} is {name}, which is not supported", _FAMILY_HINT)


async def _fetch_version_info(address: str, location: object) -> tuple[int, str, bytes]:
    """The status, the name of the server and the body of `/json/version`. https://chromedevtools.github.io/devtools-protocol/#endpoints"""
    parts = urlsplit(address)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    http = kind(parts.hostname or "", parts.port, timeout=CONNECT_SECONDS)
    query = f"?{parts.query}" if parts.query else ""

    def fetch() -> tuple[int, str, bytes]:
        http.request("GET", f"{parts.path.rstrip('/')}/json/version{query}", headers=_authorization(parts))
        answer = http.getresponse()
        return answer.status, answer.getheader("Server", ""), answer.read(_MAX_ANSWER_BYTES)

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
