"""The sessions of the user's daemon, over its socket: `Oryn("daemon")`. The daemon is started if it does not run.

If the environment names another daemon, its sessions are used (docs/access.md#clients)."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from oryn.daemon_client import http
from oryn.daemon_client.client import error_of_response
from oryn.daemon_client.launcher import connect_or_start, connect_running
from oryn.daemon_client.remote import RemoteDaemon
from oryn.errors import ConnectionLost, DaemonFailed, NotConnected, NotSupported
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.daemon_paths import DAEMON_PROTOCOL
from oryn.system.paths import find


class DaemonEngine:
    """A session of the daemon. It stays, with its pages, when the client closes; `end_session()` ends it.

    Commands run concurrently if they name several sessions. A command that is cancelled is cancelled in the daemon."""

    def __init__(self) -> None:
        self._session: str | None = None

    async def connect(self, session: str | None) -> None:
        """Find the daemon, or start it. Raises `DaemonFailed`, `ConfigurationError`."""
        remote = RemoteDaemon.of_environment()
        if remote is None and not hasattr(socket, "AF_UNIX"):
            raise NotSupported("this system has no sockets by which to reach the daemon", "Use an engine of its own.")
        self._session = session or os.environ.get("ORYN_SESSION") or "default"
        if remote is None:
            (await _connect(DaemonInstance(find()))).close()
        else:
            (await asyncio.to_thread(remote.connect)).close()

    async def ask(self, line: str) -> str:
        """Run a line or a request. Raises `ConnectionLost` if the daemon ends meanwhile, and the errors with which it
        rejects requests."""
        if self._session is None:
            raise NotConnected("the client was closed")
        is_request = line.lstrip().startswith("{")
        about: dict[str, Any] = json.loads(line) if is_request else {"line": line}
        envelope = {"protocol_version": DAEMON_PROTOCOL, "folder": http.current_folder(), **about}
        envelope["session"] = about.get("session") or self._session
        response = await _post({name: value for name, value in envelope.items() if value is not None})
        return json.dumps(record_of(response)) if is_request else str(response["text"])

    async def close(self) -> None:
        """Forget the session, which stays open in the daemon. Safe to call twice."""
        self._session = None


def record_of(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of the daemon's response to a command: its data without a boundary, its text and its error."""
    data = dict(response["data"] or {})
    inside = data.pop(f"page-{data.pop('boundary')}", {}) if "boundary" in data else {}
    error: dict[str, Any] = {}
    if not response["ok"]:
        code = str(response.get("error_kind", "internal_error")).upper()
        error = {"code": code, "message": response.get("error"), "hint": response.get("hint")}
        error |= inside.pop("error", {})
    record = {"command": response["action"], **data, **inside, "ok": response["ok"], "text": response["text"]}
    return record | ({"error": error} if error else {})


async def _connect(place: DaemonInstance) -> socket.socket:
    """Connect to the daemon, which is started if it does not run. Raises `DaemonFailed`."""
    found = connect_running(place) or (await asyncio.to_thread(connect_or_start, place))[0]
    connection = socket.socket(fileno=found.detach())
    connection.setblocking(False)
    return connection


async def _post(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """Send a command, to the next daemon if one that is shutting down does not take it; return the response's data.

    Raises `ConnectionLost`, and the errors with which the daemon rejects requests."""
    body = json.dumps(envelope).encode()
    if remote := RemoteDaemon.of_environment():
        request = http.request_bytes("POST", "/command", remote.token, body, host=remote.host)
        if (answer := await _exchange_with(remote, request)) is None:
            raise _lost(envelope)
        return _data_of(answer)
    place = DaemonInstance(find())
    folder = str(place.paths.daemon)
    for _ in range(http.MAX_ATTEMPTS):
        with await _connect(place) as connection:
            more = http.person_header(folder) if envelope.get("action") == "confirm" else ""
            request = http.request_bytes("POST", "/command", http.read_token(folder), body, more=more)
            try:
                response = await _exchange(connection, request)
            except http.RequestNotTaken:
                continue
            except DaemonFailed:
                break
            return _data_of(response)
    raise _lost(envelope)


def _data_of(response: http.DaemonResponse) -> dict[str, Any]:
    """The data of a response. Raises the error with which the daemon has rejected the request."""
    if response.status != 200:
        raise error_of_response(response.status, response.body)
    found: dict[str, Any] = json.loads(response.body)
    return found


def _lost(envelope: Mapping[str, Any]) -> ConnectionLost:
    verb = envelope.get("action") or str(envelope.get("line", "")).split(" ")[0]  # the rest may be a secret
    return ConnectionLost(f"the daemon ended before it answered '{verb}'")


async def _exchange_with(remote: RemoteDaemon, request: bytes) -> http.DaemonResponse | None:
    """Send a request to a daemon elsewhere, once its certificate is checked, and return the response; None if the
    connection breaks. Raises as `RemoteDaemon.connect` does."""
    (host, port), tls = remote.address, remote.tls()
    name = host if tls else None
    try:
        reader, writer = await asyncio.open_connection(host, port, ssl=tls, server_hostname=name)
    except OSError as error:
        raise remote.error_of(error) from error
    try:
        writer.write(request)
        return await _response(reader.read, bytearray())
    except (OSError, http.RequestNotTaken, DaemonFailed):
        return None
    finally:
        writer.close()


async def _exchange(connection: socket.socket, request: bytes) -> http.DaemonResponse:
    """Send a request and return the response. Raises as `oryn.daemon_client.http.send_request` does."""
    loop, received = asyncio.get_running_loop(), bytearray()
    try:
        await loop.sock_sendall(connection, request)
        return await _response(partial(loop.sock_recv, connection), received)
    except ConnectionError:
        raise http.disconnected(connection, received=bool(received)) from None


async def _response(receive: Callable[[int], Awaitable[bytes]], received: bytearray) -> http.DaemonResponse:
    """Add what is received until it is a whole response, and return that. Raises `DaemonFailed` for an end before."""
    while (response := http.parse_response(received)) is None:
        if not (piece := await receive(http.CHUNK_BYTES)):
            raise http.command_lost()
        received += piece
    return response
