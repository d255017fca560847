"""How messages travel to the browser: over a pipe that it inherits, or over the WebSocket of one that already runs.

A transport carries whole messages of bytes in both directions and knows nothing of what they mean.
https://chromium.googlesource.com/chromium/src/+/main/content/browser/devtools/devtools_pipe_handler.cc
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from oryn import browser_url
from oryn.errors import BrowserFailed

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

PING_SECONDS = 20.0
PONG_SECONDS = 60.0
"""A browser may be busy."""

OnMessage = Callable[[bytes | str], None]
OnClosed = Callable[[], None]


class Transport(Protocol):
    """Both ends of a conversation. `on_closed` is called once, also after `close`."""

    def send(self, message: bytes) -> None:
        """Queue one message; messages sent after the end are dropped."""

    def close(self) -> None:
        """Hang up. Safe to call twice."""


class PipeTransport(asyncio.Protocol):
    """NUL-terminated messages over one end of a socket pair; the browser has the other end as descriptors 3 and 4."""

    def __init__(self, on_message: OnMessage, on_closed: OnClosed, end: socket.socket | None = None) -> None:
        self._on_message = on_message
        self._on_closed = on_closed
        self._parts: list[bytes] = []
        self._end = end
        self._transport: asyncio.Transport | None = None

    async def listen(self) -> None:
        """Hand on what comes from now on. What is sent before this goes to the browser at once all the same."""
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
            # A few short messages into an empty buffer; a browser that ended is met by `listen`.
            with suppress(OSError):
                self._end.send(message + b"\0")

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()
        elif self._end is not None:
            self._end.close()
            self._end = None


class WebSocketTransport:
    """One message a frame, to `ws://…/devtools/browser/…`."""

    def __init__(self, socket: ClientConnection, on_message: OnMessage, on_closed: OnClosed) -> None:
        self._socket = socket
        self._outgoing: asyncio.Queue[str | None] = asyncio.Queue()
        self._tasks = (
            asyncio.create_task(self._receive(on_message, on_closed)),
            asyncio.create_task(self._send()),
        )

    @classmethod
    async def open(
        cls, endpoint: str, on_message: OnMessage, on_closed: OnClosed, *, stay: bool = False
    ) -> WebSocketTransport:
        """Raises `BrowserFailed` when nobody answers at `endpoint`. `stay`: ping, so that nothing on the way hangs up
        in the silence between two commands, and an end that is never told is noticed."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidStatus, WebSocketException

        interval = PING_SECONDS if stay else None
        try:
            # A screenshot or a big page is one message.
            socket = await connect(
                endpoint, max_size=None, ping_interval=interval, ping_timeout=PONG_SECONDS, compression=None, proxy=None
            )
        except InvalidStatus as error:
            raise _refused(endpoint, error.response.status_code) from error
        except (OSError, WebSocketException, UnicodeError) as error:
            raise BrowserFailed(
                f"no browser answers at {browser_url.shown(endpoint)}",
                "Start it with --remote-debugging-port and give its ws:// address.",
            ) from error
        return cls(socket, on_message, on_closed)

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
            pass  # however it ended, it ended
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
        404: "The browser may have ended: ask for its endpoint anew.",
        429: "It has as many clients as it takes: try again later.",
    }
    message = f"{browser_url.shown(endpoint)} refused the connection with status {status}"
    return BrowserFailed(message, hints.get(status, "Check its address."))
