"""The connections over HTTP: how many, how long a request may take to arrive, and what is said to what is no HTTP."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from oryn.daemon.protocol import failure_of
from oryn.errors import RequestError, TooManyConnections

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

MOST_CONNECTIONS = 256
"""Over the port, which every user of the computer can reach: the user's own way in, the socket, stays open."""
LARGEST_HEAD = 32 * 1024
"""Bytes of a request's line and headers."""
SMALLEST_PIECE, LARGEST_PIECE = 256, 64 * 1024
"""Bytes that are taken from a connection at once, fewer where they take long: one may cut its request into a hundred
thousand chunks, or WebSocket frames, and others come in between."""
PIECE_SECONDS = 0.004
"""What a piece may take before the next one is smaller."""
LINGER_SECONDS = 1.0
"""How long what is sent after a refusal is read, and thrown away."""
ARRIVAL_SECONDS = 10.0
"""How long a request may take to arrive."""


class Pace:
    """How much is taken from a connection at once."""

    def __init__(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._size = 4 * 1024
        self._set()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """While a piece is taken in."""
        begun = time.perf_counter()
        yield
        slow = time.perf_counter() - begun > PIECE_SECONDS
        size = max(SMALLEST_PIECE, self._size // 4) if slow else min(LARGEST_PIECE, self._size * 2)
        if size != self._size:
            self._size = size
            self._set()

    def _set(self) -> None:
        if hasattr(self._transport, "max_size"):  # of asyncio's own, for sockets
            self._transport.max_size = self._size


class WebSocketConnection(WebSocketsSansIOProtocol):
    """uvicorn's, at a pace that leaves room for others."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._pace = Pace(transport)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        with self._pace.kept():
            super().data_received(data)


class Connection(H11Protocol):
    """uvicorn's, with limits: it would wait for ever for a request that never ends."""

    _arrival: asyncio.TimerHandle | None = None
    _refused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        self._pace = Pace(transport)
        over_port = transport.get_extra_info("socket").family == socket.AF_INET
        if over_port and len(self.connections) > MOST_CONNECTIONS:
            self._refuse(TooManyConnections(f"{MOST_CONNECTIONS} connections are open"))
        else:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        with self._pace.kept():
            super().data_received(data)
        if self._is_answering():
            self._arrived()
        elif self._arrival is None and not self._refused and not self.transport.is_closing():
            self._expect()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._arrived()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        self._arrived()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(RequestError("this is no HTTP, or its headers are too large"), linger=True)

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

    def _refuse(self, error: RequestError, *, linger: bool = False) -> None:
        """Answer with an error whatever has been sent, and hang up; `linger`: once the other end has, which may still
        send. A connection that is closed with something unread in it is reset, and the answer lost."""
        body = failure_of(error).model_dump_json().encode()
        head = f"HTTP/1.1 {error.http_status} \r\ncontent-type: application/json\r\n"
        self.transport.write(f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body)
        if linger and self.transport.can_write_eof():
            self._refused = True
            self.transport.write_eof()
            self.loop.call_later(LINGER_SECONDS, self.transport.close)
        else:
            self.transport.close()
