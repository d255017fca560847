"""`Daemon`: the running daemon for the commands that look at it or steer it, with all of the standard library."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlencode

from oryn.client.exchange import ENDING, Response, token_in
from oryn.client.refused import refusal
from oryn.client.starting import reached, running
from oryn.daemon.lifecycle import Place
from oryn.errors import DaemonFailed, DaemonNotRunning
from oryn.places import PROTOCOL


class Daemon:
    """The daemon at a place. With `start` it is started where none runs; else that is a `DaemonNotRunning`.

    Every method raises `DaemonNotRunning`, `DaemonFailed`, and what the daemon refuses."""

    def __init__(self, place: Place, *, start: bool = False) -> None:
        self.place = place
        self._start = start

    def status(self, limit: float | None = None) -> dict[str, Any]:
        """What `GET /status` tells, within `limit` seconds."""
        return self._json("GET", "/status", limit=limit)

    def command(self, envelope: Mapping[str, Any]) -> dict[str, Any]:
        """The response to an envelope of `POST /command`."""
        return self._json("POST", "/command", {"protocol_version": PROTOCOL, **envelope})

    def events(self, types: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
        """What happens from now on, until the daemon ends."""
        with self._answer("GET", "/events?" + urlencode([("type", each) for each in types])) as answer:
            try:
                for line in answer:
                    if line.startswith(b"data:"):
                        yield json.loads(line[5:])
            except (OSError, HTTPException):
                raise DaemonFailed("the daemon ended without a word", "'oryn daemon logs' may tell why.") from None

    def link(self) -> str:
        """The address of the live page for one browser, good once and not for long."""
        url: str = self._json("POST", "/link")["url"]
        return url

    def pair(self, code: str) -> dict[str, Any]:
        """Give it the code that the extension shows; what `POST /pair` tells."""
        return self._json("POST", "/pair", {"protocol_version": PROTOCOL, "code": code})

    def _json(self, method: str, path: str, data: Any = None, limit: float | None = None) -> dict[str, Any]:
        with self._answer(method, path, data, limit) as answer:
            try:
                found: dict[str, Any] = json.loads(answer.read())
            except (OSError, HTTPException, ValueError):
                raise DaemonFailed("the daemon ended in the middle of its answer") from None
        return found

    def _answer(self, method: str, path: str, data: Any = None, limit: float | None = None) -> HTTPResponse:
        answer = self._asked(method, path, data, limit)
        if answer.status == ENDING and self._start:
            answer.close()
            answer = self._asked(method, path, data, limit)  # of the next one
        if answer.status != 200:
            raise refusal(Response(answer.status, {}, answer.read()))
        return answer

    def _asked(self, method: str, path: str, data: Any, limit: float | None) -> HTTPResponse:
        connection, token = self._connected(limit)
        try:
            body = None if data is None else json.dumps(data)
            connection.request(method, path, body, {"Authorization": f"Bearer {token}", "Connection": "close"})
            return connection.getresponse()
        except (OSError, HTTPException):
            connection.close()
            raise DaemonFailed("the daemon does not answer", "'oryn daemon logs' may tell why.") from None

    def _connected(self, limit: float | None) -> tuple[HTTPConnection, str]:
        if self._start:
            raw, token = reached()
        else:
            found = running(self.place)
            if found is None:
                raise DaemonNotRunning("no daemon runs")
            raw, token = found, token_in(str(self.place.paths.daemon))
        connection = HTTPConnection("localhost")
        connection.sock = socket.socket(fileno=raw.detach())
        connection.sock.settimeout(limit)
        return connection, token
