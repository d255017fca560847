"""HTTP and WebSocket connections with limits: their number, the time that a request may take to arrive, and the
response to bytes that are not HTTP."""

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

from oryn.daemon.protocol import DOCUMENT_POLICY, failure_of
from oryn.errors import RequestError, TooManyConnections

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

MAX_CONNECTIONS = 256
"""Maximum number of connections over the port, which every user of the computer can reach. The user's own socket is not
limited."""
MAX_HEAD_BYTES = 32 * 1024
"""Maximum size in bytes of a request's line and headers."""
MIN_CHUNK_BYTES, MAX_CHUNK_BYTES = 256, 64 * 1024
"""Bounds for the number of bytes read from a connection at once.

Fewer bytes are read if they take long to process: a client may cut its request into a hundred thousand chunks or
WebSocket frames. Other connections are served in between."""
CHUNK_SECONDS = 0.004
"""Seconds that processing a chunk may take before the next one is made smaller."""
LINGER_SECONDS = 1.0
"""Seconds for which input after a rejected request is read and discarded."""
ARRIVAL_SECONDS = 10.0
"""Maximum seconds for a request to arrive."""


class ReadPacer:
    """Adjusts how much is read from a connection at once."""

    def __init__(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._size = 4 * 1024
        self._set()

    @contextmanager
    def measure(self) -> Iterator[None]:
        """Measure the time to process one chunk, while the block runs."""
        started = time.perf_counter()
        yield
        slow = time.perf_counter() - started > CHUNK_SECONDS
        size = max(MIN_CHUNK_BYTES, self._size // 4) if slow else min(MAX_CHUNK_BYTES, self._size * 2)
        if size != self._size:
            self._size = size
            self._set()

    def _set(self) -> None:
        if hasattr(self._transport, "max_size"):  # only asyncio's own transports for sockets have it
            self._transport.max_size = self._size


class PacedWebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol, reading at a pace that leaves time for other connections."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._pacer = ReadPacer(transport)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        with self._pacer.measure():
            super().data_received(data)


class LimitedHttpProtocol(H11Protocol):
    """uvicorn's HTTP protocol with limits: without them it would wait for ever for a request that never ends."""

    _arrival: asyncio.TimerHandle | None = None
    _refused = False
    _is_web_socket = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        self._pacer = ReadPacer(transport)
        over_port = transport.get_extra_info("socket").family == socket.AF_INET
        if over_port and len(self.connections) > MAX_CONNECTIONS:
            self._refuse(TooManyConnections(f"{MAX_CONNECTIONS} connections are open"))
        else:
            self._start_arrival_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_arrival_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        with self._pacer.measure():
            super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle
        is_answering = cycle is not None and not cycle.more_body and not cycle.response_complete
        if is_answering or self._is_web_socket:
            self._cancel_arrival_timer()
        elif self._arrival is None and not self._refused and not self.transport.is_closing():
            self._start_arrival_timer()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._is_web_socket = True
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        self._cancel_arrival_timer()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(RequestError("this is not HTTP, or its headers are too large"), linger=True)

    def _start_arrival_timer(self) -> None:
        """Start the timer within which the request must arrive."""
        self._arrival = self.loop.call_later(ARRIVAL_SECONDS, self._too_slow)

    def _cancel_arrival_timer(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None

    def _too_slow(self) -> None:
        self._arrival = None
        self.transport.close()

    def _refuse(self, error: RequestError, *, linger: bool = False) -> None:
        """Answer with an error, whatever has been sent, and close the connection.

        With `linger`, close it after `LINGER_SECONDS`, as the client may still be sending. Closing a connection with
        unread input resets it, and the response is lost."""
        body = failure_of(error).model_dump_json().encode()
        head = f"HTTP/1.1 {error.http_status} \r\ncontent-type: application/json\r\n"
        head += f"content-security-policy: {DOCUMENT_POLICY}\r\n"
        self.transport.write(f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body)
        if linger and self.transport.can_write_eof():
            self._refused = True
            self.transport.write_eof()
            self.loop.call_later(LINGER_SECONDS, self.transport.close)
        else:
            self.transport.close()
