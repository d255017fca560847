"""`DaemonClient`: HTTP requests to the daemon with the standard library, and commands whose progress is streamed.

`POST /command` responds with lines of JSON if the client wants progress and partial results."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, RemoteDisconnected
from typing import Any, Self
from urllib.parse import urlencode

from oryn.daemon_client.http import (
    MAX_ATTEMPTS,
    STATUS_ENDING,
    RequestNotTaken,
    command_lost,
    disconnected,
    read_token,
)
from oryn.daemon_client.launcher import connect_or_start, connect_running
from oryn.daemon_client.remote import RemoteDaemon
from oryn.errors import DaemonFailed, DaemonNotRunning, OrynError, error_class_of
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.daemon_paths import DAEMON_PROTOCOL


class DaemonClient:
    """A client of the daemon at a place, or of the one that the environment names (`oryn.daemon_client.remote`).

    With `start`, the daemon is started if it does not run; without it, that raises `DaemonNotRunning`. Every method
    raises `DaemonNotRunning`, `DaemonFailed`, and the errors with which the daemon rejects requests. A request that a
    daemon did not take as it was shutting down is sent to the next one."""

    def __init__(self, place: DaemonInstance, *, start: bool = False) -> None:
        self.place = place
        self._start = start

    def status(self, limit: float | None = None) -> dict[str, Any]:
        """The response to `GET /status`, within `limit` seconds."""
        return self._json("GET", "/status", limit=limit)

    def daemons(self, limit: float | None = None) -> list[dict[str, Any]]:
        """The daemons with the same records, as in the response to `GET /daemons`, within `limit` seconds."""
        found: list[dict[str, Any]] = self._json("GET", "/daemons", limit=limit)["daemons"]
        return found

    def drain(self, provider: str | None = None) -> dict[str, Any]:
        """The response to `POST /drain`, of one provider or of the daemon."""
        from urllib.parse import quote

        return self._json("POST", f"/drain?provider={quote(provider)}" if provider else "/drain")

    def command(self, envelope: Mapping[str, Any], limit: float | None = None) -> dict[str, Any]:
        """The response to an envelope of `POST /command`, within `limit` seconds."""
        return self._json("POST", "/command", _body({"protocol_version": DAEMON_PROTOCOL, **envelope}), limit)

    def stream(self, body: bytes) -> StreamedCommand:
        """Send an envelope of `POST /command`, as JSON; return the streamed response."""
        return StreamedCommand(*self._open("POST", "/command", body, accept="application/x-ndjson"))

    def events(self, types: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
        """Yield the events from now on, until the daemon ends; only those of the named `types`, unless there are none.
        Each is `{"type": …, "ts": …, "data": {…}}`, with `lost` if events before it were dropped. Raises `DaemonFailed`
        if the connection breaks."""
        answer, _ = self._open("GET", "/events?" + urlencode([("type", each) for each in types]))
        with answer:
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
        return self._json("POST", "/pair", _body({"protocol_version": DAEMON_PROTOCOL, "code": code}))

    def _json(self, method: str, path: str, body: bytes | None = None, limit: float | None = None) -> dict[str, Any]:
        answer, _ = self._open(method, path, body, limit)
        with answer:
            try:
                found: dict[str, Any] = json.loads(answer.read())
            except (OSError, HTTPException, ValueError):
                raise DaemonFailed("the daemon ended in the middle of its answer") from None
        return found

    def _open(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        limit: float | None = None,
        accept: str = "application/json",
    ) -> tuple[HTTPResponse, socket.socket]:
        """Send a request; return the response, of which the head has arrived, and its socket."""
        for _ in range(MAX_ATTEMPTS):
            stream, token, host = self._connect()
            connection = HTTPConnection(host)
            connection.sock = stream
            stream.settimeout(limit)
            headers = {"Accept": accept, "Authorization": f"Bearer {token}", "Connection": "close"}
            try:
                answer = _exchange(connection, method, path, body, headers)
            except RequestNotTaken:
                connection.close()
                continue
            except BaseException:  # also when interrupted: no socket stays open
                connection.close()
                raise
            if answer.status != 200:
                with answer:
                    raise error_of_response(answer.status, answer.read())
            return answer, stream
        raise command_lost()

    def _connect(self) -> tuple[socket.socket, str, str]:
        """Connect; return the connection, the token and the `Host` of the daemon."""
        if remote := RemoteDaemon.of_environment():
            return remote.connect(), remote.token, remote.host
        if self._start:
            found, token = connect_or_start(self.place)
        elif (running := connect_running(self.place)) is None:
            raise DaemonNotRunning("no daemon runs")
        else:
            found, token = running, read_token(str(self.place.paths.daemon))
        return socket.socket(fileno=found.detach()), token, "localhost"


def _exchange(
    connection: HTTPConnection, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
) -> HTTPResponse:
    """Send a request and return the response. Raises as `oryn.daemon_client.http.send_request` does."""
    stream = connection.sock  # which `connection` forgets when it is reset
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
    except TimeoutError:
        raise DaemonFailed("the daemon does not answer", "'oryn daemon logs' may show why.") from None
    except (OSError, HTTPException) as error:
        was_reset = isinstance(error, ConnectionError) and not isinstance(error, RemoteDisconnected)
        raise disconnected(stream, received=not was_reset) from None
    if answer.status == STATUS_ENDING:
        answer.close()
        raise RequestNotTaken
    return answer


def _body(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data).encode()


def error_of_response(status: int, body: bytes) -> OrynError:
    """The error of a response that rejects a request."""
    try:
        failure = json.loads(body)
        kind, message, hint = failure["error_kind"], failure["error"], failure["hint"]
    except (ValueError, KeyError, TypeError):
        return DaemonFailed(
            f"the server at the daemon's port is not a daemon: it answered {status}", "See 'oryn daemon logs'."
        )
    kind_of_error = error_class_of(kind.upper())
    error = kind_of_error.__new__(kind_of_error)
    OrynError.__init__(error, message, hint)
    return error


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
