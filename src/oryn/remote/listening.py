"""A WebSocket server that extensions connect to; each connection is a `Peer`. The daemon has another (Starlette's)."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.errors import ConfigurationError
from oryn.records import Record
from oryn.remote.credentials import Credentials
from oryn.remote.messages import ANSWER_LIMIT
from oryn.remote.origins import is_extension, is_loopback
from oryn.remote.peer import Home, Peer

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

log = logging.getLogger(__name__)

DEFAULT_PORT = 8080
PING_SECONDS = 20.0
"""How often the connection itself is looked at, and how long its other end may take to show that it is there."""
CLOSING_SECONDS = 2.0
MEANT = 1000
"""The close code of an extension whose user has pressed Disconnect."""
MOST_CONNECTIONS = 16
"""Connections at once. Those that have not said who they are count too."""


class Address(Record):
    """Where to listen. On another computer's address than loopback there is TLS, for an extension connects to none
    without: PEM files of a certificate with those above it, and of its key."""

    port: int = DEFAULT_PORT
    host: str = "127.0.0.1"
    certificate: Path | None = None
    certificate_key: Path | None = None

    def tls(self) -> ssl.SSLContext | None:
        """Raises `ConfigurationError`."""
        if self.certificate is None:
            if not is_loopback(self.host):
                raise ConfigurationError(
                    f"{self.host} is reached from other computers, and extensions connect to those with TLS only",
                    "Give --certificate and --certificate-key, or leave --host out.",
                )
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            context.load_cert_chain(self.certificate, self.certificate_key)
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"the certificate {self.certificate} can't be used: {error}", "Give PEM files of it and of its key."
            ) from error
        return context

    def url(self, port: int) -> str:
        """What the extension connects to."""
        host = "localhost" if self.host == "127.0.0.1" else f"[{self.host}]" if ":" in self.host else self.host
        return f"{'wss' if self.certificate else 'ws'}://{host}:{port}"


@asynccontextmanager
async def listening(address: Address, credentials: Credentials, home: Home) -> AsyncIterator[str]:
    """Serve while the block runs; yields the URL that extensions connect to. Raises `ConfigurationError`."""
    from websockets.asyncio.server import serve

    connections: set[ServerConnection] = set()

    async def converse(connection: ServerConnection) -> None:
        if len(connections) >= MOST_CONNECTIONS:
            await connection.close(1013, "too many connections")
            return
        connections.add(connection)
        try:
            await _converse(connection, credentials, home)
        finally:
            connections.discard(connection)

    try:
        server = await serve(
            converse,
            address.host,
            address.port,
            ssl=address.tls(),
            process_request=_refusal(local=is_loopback(address.host)),
            max_size=ANSWER_LIMIT,
            ping_interval=PING_SECONDS,
            ping_timeout=PING_SECONDS,
            close_timeout=CLOSING_SECONDS,
            server_header=None,
            logger=log.getChild("websockets"),
        )
    except OSError as error:
        raise ConfigurationError(
            f"can't listen on {address.host}:{address.port}: {error.strerror}",
            "Choose another with --port, and tell the extension.",
        ) from error
    async with server:
        port = credentials.port = next(iter(server.sockets)).getsockname()[1]
        yield address.url(port)


def _refusal(*, local: bool) -> Callable[[ServerConnection, Request], Response | None]:
    """Refuses pages of other origins, and names that somebody has pointed at this computer."""

    def check(connection: ServerConnection, request: Request) -> Response | None:
        if local and not is_loopback(request.headers.get("Host", "")):
            return connection.respond(HTTPStatus.MISDIRECTED_REQUEST, "this server is localhost\n")
        if not is_extension(request.headers.get("Origin")):
            return connection.respond(HTTPStatus.FORBIDDEN, "no page may connect\n")
        return None

    return check


async def _converse(connection: ServerConnection, credentials: Credentials, home: Home) -> None:
    """From the first message to the last."""
    from websockets.exceptions import ConnectionClosed

    out: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue()
    peer = Peer(out.put_nowait, lambda code, reason: out.put_nowait((code, reason)), credentials, home)

    async def write() -> None:
        with suppress(ConnectionClosed):
            while isinstance(frame := await out.get(), str):
                await connection.send(frame)
            await connection.close(*frame)

    writing = asyncio.create_task(write())
    try:
        async for frame in connection:
            if isinstance(frame, str):
                peer.receive(frame)
    except ConnectionClosed:
        pass  # with an error
    finally:
        peer.lost(meant=connection.close_code == MEANT)
        writing.cancel()
        await asyncio.wait([writing])
