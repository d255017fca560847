"""A WebSocket server that extensions connect to; each connection is a `Peer`. The daemon has another (Starlette's).

Only extensions and programs may connect, not pages. A page could reach loopback, also by a name that its owner points
there (DNS rebinding); the browser sends its origin in `Origin`, which a page can't forge.
https://www.rfc-editor.org/rfc/rfc6455#section-10.2"""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.core.records import Record
from oryn.errors import ConfigurationError
from oryn.extension_server.credentials import ServerCredentials
from oryn.extension_server.messages import ANSWER_LIMIT
from oryn.extension_server.peer import Peer, PeerListener

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

_EXTENSION = re.compile(r"(chrome|moz|safari-web)-extension://[A-Za-z0-9-]+")


def is_extension(origin: str | None) -> bool:
    """Whether a connection with this `Origin` is an extension's, or a program's, which has none."""
    return origin is None or _EXTENSION.fullmatch(origin) is not None


def is_loopback(host: str) -> bool:
    """Whether a `Host` header (with or without a port) or an address names this computer."""
    name = host if host.endswith("]") or host.count(":") > 1 > host.count("[") else re.sub(r":[0-9]{1,5}$", "", host)
    if name.lower().rstrip(".") == "localhost":
        return True
    try:
        return ip_address(name.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


log = logging.getLogger(__name__)

DEFAULT_PORT = 8080
PING_SECONDS = 20.0
"""Interval between WebSocket pings, and the limit for their answers."""
CLOSING_SECONDS = 2.0
USER_DISCONNECT = 1000
"""The close code of an extension whose user has disconnected."""
MAX_CONNECTIONS = 16
"""Connections at once, those without a registration included."""


class Address(Record):
    """Where to listen. An address other than loopback needs TLS, because extensions connect to no other without it:
    PEM files of the certificate chain, and of its key."""

    port: int = DEFAULT_PORT
    host: str = "127.0.0.1"
    certificate: Path | None = None
    certificate_key: Path | None = None

    def tls(self) -> ssl.SSLContext | None:
        """The TLS context, or None without TLS. Raises `ConfigurationError`."""
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
        """The URL that the extension connects to, if the server listens on `port`."""
        host = "localhost" if self.host == "127.0.0.1" else f"[{self.host}]" if ":" in self.host else self.host
        return f"{'wss' if self.certificate else 'ws'}://{host}:{port}"


@asynccontextmanager
async def serve_extensions(
    address: Address, credentials: ServerCredentials, listener: PeerListener
) -> AsyncIterator[str]:
    """Serve while the block runs; yields the URL that extensions connect to. Raises `ConfigurationError`."""
    from websockets.asyncio.server import serve

    connections: set[ServerConnection] = set()

    async def converse(connection: ServerConnection) -> None:
        if len(connections) >= MAX_CONNECTIONS:
            await connection.close(1013, "too many connections")
            return
        connections.add(connection)
        try:
            await _converse(connection, credentials, listener)
        finally:
            connections.discard(connection)

    try:
        server = await serve(
            converse,
            address.host,
            address.port,
            ssl=address.tls(),
            process_request=_origin_check(local=is_loopback(address.host)),
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
            "Choose another with --port, and set it in the extension.",
        ) from error
    async with server:
        port = credentials.port = next(iter(server.sockets)).getsockname()[1]
        yield address.url(port)


def _origin_check(*, local: bool) -> Callable[[ServerConnection, Request], Response | None]:
    """A check that refuses pages of other origins, and foreign names that resolve to this computer."""

    def check(connection: ServerConnection, request: Request) -> Response | None:
        if local and not is_loopback(request.headers.get("Host", "")):
            return connection.respond(HTTPStatus.MISDIRECTED_REQUEST, "this server is localhost\n")
        if not is_extension(request.headers.get("Origin")):
            return connection.respond(HTTPStatus.FORBIDDEN, "no page may connect\n")
        return None

    return check


async def _converse(connection: ServerConnection, credentials: ServerCredentials, listener: PeerListener) -> None:
    """Serve one connection until it is closed."""
    from websockets.exceptions import ConnectionClosed

    out: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue()
    peer = Peer(out.put_nowait, lambda code, reason: out.put_nowait((code, reason)), credentials, listener)

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
        peer.on_lost(meant=connection.close_code == USER_DISCONNECT)
        writing.cancel()
        await asyncio.wait([writing])
