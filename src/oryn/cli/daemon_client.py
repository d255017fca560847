"""`DaemonClient`: HTTP requests to the daemon with the standard library, and commands whose progress is streamed.

`POST /command` responds with lines of JSON if the client wants progress and partial results."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, Self
from urllib.parse import urlencode

from oryn.cli.fast.errors import error_from_response
from oryn.cli.fast.launcher import connect_or_start, connect_running
from oryn.daemon.instance import DaemonInstance
from oryn.errors import DaemonFailed, DaemonNotRunning
from oryn.system.daemon_http import STATUS_ENDING, DaemonResponse, read_token
from oryn.system.daemon_paths import DAEMON_PROTOCOL


class DaemonClient:
    """A client of the daemon at a place.

    With `start`, the daemon is started if it does not run; without it, that raises `DaemonNotRunning`. Every method
    raises `DaemonNotRunning`, `DaemonFailed`, and the errors with which the daemon rejects requests."""

    def __init__(self, place: DaemonInstance, *, start: bool = False) -> None:
        self.place = place
        self._start = start

    def status(self, limit: float | None = None) -> dict[str, Any]:
        """The response to `GET /status`, within `limit` seconds."""
        return self._json("GET", "/status", limit=limit)

    def command(self, envelope: Mapping[str, Any], limit: float | None = None) -> dict[str, Any]:
        """The response to an envelope of `POST /command`, within `limit` seconds."""
        return self._json("POST", "/command", {"protocol_version": DAEMON_PROTOCOL, **envelope}, limit)

    def events(self, types: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
        """Yield the events from now on, until the daemon ends; only those of the named `types`, unless there are none.
        Each is `{"type": …, "ts": …, "data": {…}}`, with `lost` if events before it were dropped. Raises `DaemonFailed`
        if the connection breaks."""
        with self._open("GET", "/events?" + urlencode([("type", each) for each in types])) as answer:
            try:
                for line in answer:
                    if line.startswith(b"data:"):
                        yield json.loads(line[5:])
            except (OSError, HTTPException):
                raise DaemonFailed("the daemon ended without a word", "'oryn daemon logs' may show why.") from None

    def link(self) -> str:
        """Create the URL that opens the live page in one browser. It is valid once, for a short time."""
        url: str = self._json("POST", "/link")["url"]
        return url

    def pair(self, code: str) -> dict[str, Any]:
        """Send the code that the extension shows; return the response to `POST /pair`."""
        return self._json("POST", "/pair", {"protocol_version": DAEMON_PROTOCOL, "code": code})

    def _json(self, method: str, path: str, data: Any = None, limit: float | None = None) -> dict[str, Any]:
        with self._open(method, path, data, limit) as answer:
            try:
                found: dict[str, Any] = json.loads(answer.read())
            except (OSError, HTTPException, ValueError):
                raise DaemonFailed("the daemon ended in the middle of its answer") from None
        return found

    def _open(self, method: str, path: str, data: Any = None, limit: float | None = None) -> HTTPResponse:
        answer = self._request(method, path, data, limit)
        if answer.status == STATUS_ENDING and self._start:
            answer.close()
            answer = self._request(method, path, data, limit)  # of the next daemon
        if answer.status != 200:
            raise error_from_response(DaemonResponse(answer.status, {}, answer.read()))
        return answer

    def _request(self, method: str, path: str, data: Any, limit: float | None) -> HTTPResponse:
        connection, token = self._connect(limit)
        try:
            body = None if data is None else json.dumps(data)
            connection.request(method, path, body, {"Authorization": f"Bearer {token}", "Connection": "close"})
            return connection.getresponse()
        except (OSError, HTTPException):
            connection.close()
            raise DaemonFailed("the daemon does not answer", "'oryn daemon logs' may show why.") from None

    def _connect(self, limit: float | None) -> tuple[HTTPConnection, str]:
        if self._start:
            raw, token = connect_or_start()
        else:
            found = connect_running(self.place)
            if found is None:
                raise DaemonNotRunning("no daemon runs")
            raw, token = found, read_token(str(self.place.paths.daemon))
        connection = HTTPConnection("localhost")
        connection.sock = socket.socket(fileno=raw.detach())
        connection.sock.settimeout(limit)
        return connection, token


_MAX_ATTEMPTS = 3


class StreamedCommand:
    """The streamed response to a command: iterating yields its messages, the last one being the response.

    Leaving its context earlier cancels the command."""

    def __init__(self, answer: HTTPResponse, connection: socket.socket) -> None:
        self._answer = answer
        self._socket = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._answer.close()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the messages, the response last. Raises `DaemonFailed` if the daemon ends before it."""
        last: dict[str, Any] = {}
        try:
            for line in self._answer:
                last = json.loads(line)
                yield last
        except (ConnectionError, HTTPException, ValueError):
            last = {}
        if "response" not in last:
            raise DaemonFailed("the daemon ended in the middle of the command", "'oryn daemon logs' may show why.")

    def cancel(self) -> None:
        """Close the connection, from any thread: a thread that iterates gets `DaemonFailed`."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)


def stream_command(body: bytes, words: Sequence[str]) -> StreamedCommand:
    """Send an envelope to the daemon, which is started if it does not run.

    `words` name the command in errors. Raises the daemon's errors and `DaemonFailed`."""
    headers = {"Accept": "application/x-ndjson", "Content-Type": "application/json", "Connection": "close"}
    for _ in range(_MAX_ATTEMPTS):  # an ending daemon disconnects, or responds with that status
        raw, token = connect_or_start(words)
        connection = HTTPConnection("localhost")
        connection.sock = stream = socket.socket(fileno=raw.detach())
        try:
            connection.request("POST", "/command", body, {**headers, "Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            is_ending = answer.status == STATUS_ENDING
        except (OSError, HTTPException):
            is_ending = True
        if is_ending:
            connection.close()
            continue
        if answer.status != 200:
            raise error_from_response(DaemonResponse(answer.status, {}, answer.read()), words)
        return StreamedCommand(answer, stream)
    raise DaemonFailed("the daemon does not answer", "'oryn daemon logs' may show why.")
