"""A command of the daemon's whose progress and parts come while it lasts: `POST /command` as lines of JSON."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, Self

from oryn.client.exchange import ENDING, Response
from oryn.client.refused import refusal
from oryn.client.starting import reached
from oryn.errors import DaemonFailed

_ATTEMPTS = 3


class Streamed:
    """The answer as it comes: iterate over what is told, the last one is the response. Leaving it before that takes the
    command back."""

    def __init__(self, answer: HTTPResponse, connection: socket.socket) -> None:
        self._answer = answer
        self._socket = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._answer.close()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Raises `DaemonFailed`."""
        last: dict[str, Any] = {}
        try:
            for line in self._answer:
                last = json.loads(line)
                yield last
        except (ConnectionError, HTTPException, ValueError):
            last = {}
        if "response" not in last:
            raise DaemonFailed("the daemon ended in the middle of the command", "'oryn daemon logs' may tell why.")

    def take_back(self) -> None:
        """End it, from any thread: whoever waits for more has `DaemonFailed`."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)


def begun(body: bytes, words: Sequence[str]) -> Streamed:
    """Send an envelope, to a daemon that is started where none runs. `words` are what errors call it. Raises what the
    daemon refuses, `DaemonFailed`."""
    headers = {"Accept": "application/x-ndjson", "Content-Type": "application/json", "Connection": "close"}
    for _ in range(_ATTEMPTS):  # one that is about to end hangs up before it says anything, or says so
        raw, token = reached(words)
        connection = HTTPConnection("localhost")
        connection.sock = opened = socket.socket(fileno=raw.detach())
        try:
            connection.request("POST", "/command", body, {**headers, "Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            is_ending = answer.status == ENDING
        except (OSError, HTTPException):
            is_ending = True
        if is_ending:
            connection.close()
            continue
        if answer.status != 200:
            raise refusal(Response(answer.status, {}, answer.read()), words)
        return Streamed(answer, opened)
    raise DaemonFailed("the daemon does not answer", "'oryn daemon logs' may tell why.")
