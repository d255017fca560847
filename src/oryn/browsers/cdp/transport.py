"""Transports that carry messages to the browser: an inherited pipe, or the WebSocket of a browser that already runs.

A transport carries whole messages of bytes in both directions and does not parse them.
https://chromium.googlesource.com/chromium/src/+/main/content/browser/devtools/devtools_pipe_handler.cc"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from oryn.core import urls
from oryn.errors import BrowserFailed

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

PING_SECONDS = 20.0
PONG_SECONDS = 60.0
"""Long, because a browser may be busy."""

OnMessage = Callable[[bytes | str], None]
OnClosed = Callable[[], None]


class CdpTransport(Protocol):
    """Sends messages to the browser. Implementations call `on_closed` once at the end, also after `close`."""

    def send(self, message: bytes) -> None:
        """Queue one message. Messages sent after the end are dropped."""

    def close(self) -> None:
        """Close the transport. Idempotent."""


class PipeTransport(asyncio.Protocol):
    """NUL-terminated messages over one end of a socket pair; the browser has the other end as descriptors 3 and 4."""

    def __init__(self, on_message: OnMessage, on_closed: OnClosed, end: socket.socket | None = None) -> None:
        self._on_message = on_message
        self._on_closed = on_closed
        self._parts: list[bytes] = []
        self._end = end
        self._transport: asyncio.Transport | None = None

    async def listen(self) -> None:
        """Start to receive. Messages sent before this go to the browser at once."""
        assert self._end is not None
        await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=self._end)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._end = transport, None

    def data_received(self, data: bytes) -> None:
        first, *rest = data.split(b"\0")
        if not rest:
            self._parts.append(first)
            return
        self._parts.append(first)
        self._on_message(b"".join(self._parts))
        for message in rest[:-1]:
            self._on_message(message)
        self._parts = [rest[-1]] if rest[-1] else []

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._on_closed()

    def send(self, message: bytes) -> None:
        if self._transport is not None:
            self._transport.write(message + b"\0")
        elif self._end is not None:
            # A few short messages into an empty buffer; `listen` reports a browser that has ended.
            with suppress(OSError):
                self._end.send(message + b"\0")

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()
        elif self._end is not None:
            self._end.close()
            self._end = None


class WebSocketTransport:
    """One message per frame, to `ws://…/devtools/browser/…`."""

    def __init__(self, socket: ClientConnection, on_message: OnMessage, on_closed: OnClosed) -> None:
        self._socket = socket
        self._outgoing: asyncio.Queue[str | None] = asyncio.Queue()
        self._tasks = (
            asyncio.create_task(self._receive(on_message, on_closed)),
            asyncio.create_task(self._send()),
        )

    @classmethod
    async def open(
        cls, endpoint: str, on_message: OnMessage, on_closed: OnClosed, *, keep_alive: bool = False
    ) -> WebSocketTransport:
        """Connect to `endpoint`. Raises `BrowserFailed` if there is no browser.

        keep_alive: send pings, so that no proxy closes an idle connection, and a silent loss of it is noticed. There is
        no time limit: the browser may ask its user first."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidStatus, WebSocketException

        interval = PING_SECONDS if keep_alive else None
        try:
            # A screenshot or a big page is one message.
            socket = await connect(
                endpoint,
                max_size=None,
                open_timeout=None,
                ping_interval=interval,
                ping_timeout=PONG_SECONDS,
                compression=None,
                proxy=None,
            )
        except InvalidStatus as error:
            raise _refused(endpoint, error.response.status_code) from error
        except (OSError, WebSocketException, UnicodeError) as error:
            raise BrowserFailed(
                f"no browser answers at {urls.redact_browser_url(endpoint)}",
                "Start it with --remote-debugging-port and give its ws:// address.",
            ) from error
        return cls(socket, on_message, on_closed)

    @property
    def descriptor(self) -> int | None:
        """The descriptor of the socket; None if the connection is encrypted."""
        transport = self._socket.transport
        if transport.get_extra_info("ssl_object") is not None:
            return None
        number: int = transport.get_extra_info("socket").fileno()
        return number

    def send(self, message: bytes) -> None:
        self._outgoing.put_nowait(message.decode())

    def close(self) -> None:
        self._outgoing.put_nowait(None)

    async def _receive(self, on_message: OnMessage, on_closed: OnClosed) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            async for message in self._socket:
                on_message(message)
        except ConnectionClosed:
            pass  # `on_closed` reports every end
        finally:
            self._outgoing.put_nowait(None)
            on_closed()

    async def _send(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while (message := await self._outgoing.get()) is not None:
                await self._socket.send(message)
            await self._socket.close()
        except ConnectionClosed:
            pass  # `_receive` reports it


def _refused(endpoint: str, status: int) -> BrowserFailed:
    hints = {
        401: "Check the key in its address.",
        403: "Check the key in its address.",
        404: "The browser may have exited: get its endpoint again.",
        429: "It has as many clients as it takes: try again later.",
    }
    message = f"{urls.redact_browser_url(endpoint)} refused the connection with status {status}"
    return BrowserFailed(message, hints.get(status, "Check its address."))
