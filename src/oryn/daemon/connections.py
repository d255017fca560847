"""The connections over HTTP: how many, how long a request may take to arrive, and what is said to what is no HTTP."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from oryn.daemon.protocol import failure_of
from oryn.errors import RequestError, TooManyConnections

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

MOST_CONNECTIONS = 256
"""Over the port, which every user of the computer can reach: the user's own way in, the socket, stays open."""
LARGEST_HEAD = 32 * 1024
"""Bytes of a request's line and headers."""
ARRIVAL_SECONDS = 10.0
"""How long a request may take to arrive."""


class Connection(H11Protocol):
    """uvicorn's, with limits: it would wait for ever for a request that never ends."""

    _arrival: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        over_port = transport.get_extra_info("socket").family == socket.AF_INET
        if over_port and len(self.connections) > MOST_CONNECTIONS:
            self._refuse(TooManyConnections(f"{MOST_CONNECTIONS} connections are open"))
        else:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_answering():
            self._arrived()
        elif self._arrival is None and not self.transport.is_closing():
            self._expect()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._arrived()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        self._arrived()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(RequestError("this is no HTTP, or its headers are too large"))

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.more_body and not cycle.response_complete

    def _expect(self) -> None:
        """A request has to arrive within its time."""
        self._arrival = self.loop.call_later(ARRIVAL_SECONDS, self._too_slow)

    def _arrived(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None

    def _too_slow(self) -> None:
        self._arrival = None
        self.transport.close()

    def _refuse(self, error: RequestError) -> None:
        """Answer with an error whatever has been sent, and hang up."""
        body = failure_of(error).model_dump_json().encode()
        head = f"HTTP/1.1 {error.http_status} \r\ncontent-type: application/json\r\n"
        self.transport.write(f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body)
        self.transport.close()
