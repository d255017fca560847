"""A proxy of TCP in front of a Grid, which can cut all connections, or refuse those that become WebSockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Relay:
    """Passes connections on to a port of this computer.

    strips_web_sockets: whether requests to upgrade are answered as by a proxy that does not know them."""

    def __init__(self, target: int, *, strips_web_sockets: bool = False) -> None:
        self._target = target
        self._strips = strips_web_sockets
        self._writers: set[asyncio.StreamWriter] = set()
        self.port = 0

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if self._strips and b"upgrade: websocket" in head.lower():
                writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                await writer.drain()
                return
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
            self._writers |= {writer, far_writer}
            far_writer.write(head)
            await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def cut(self) -> None:
        """Cut every connection, as after too long a silence."""
        writers, self._writers = self._writers, set()
        for writer in writers:
            writer.transport.abort()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def relay_to(port: int, *, strips_web_sockets: bool = False) -> AsyncIterator[Relay]:
    relay = Relay(port, strips_web_sockets=strips_web_sockets)
    server = await asyncio.start_server(relay._serve, "127.0.0.1", 0)
    relay.port = server.sockets[0].getsockname()[1]
    try:
        yield relay
    finally:
        server.close()
        relay.cut()
