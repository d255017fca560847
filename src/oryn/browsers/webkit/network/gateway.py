"""`DomainGateway`: a SOCKS5 server on loopback, the only way to the network for a browser that is kept from hosts.

The protocol holds back the first request of a load. It does not hold back the redirects that follow, web sockets,
service workers, preconnections, and what a new tab requests before it can be inspected. All of them connect through the
gateway, by name, so a refused host is neither resolved nor reached, whatever asks for it.

https://datatracker.ietf.org/doc/html/rfc1928"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from oryn.browsers.cdp.network.direct_requests import resolvable_name

if TYPE_CHECKING:
    from oryn.core.urls import DomainPolicy, DomainRefusal

_VERSION = 5
_NO_AUTHENTICATION, _NO_ACCEPTABLE_METHOD = 0, 0xFF
_CONNECT = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_SUCCEEDED, _FAILED, _NOT_ALLOWED, _HOST_UNREACHABLE, _REFUSED, _UNKNOWN_COMMAND = 0, 1, 2, 4, 5, 7
_HANDSHAKE_SECONDS = 10.0
_CONNECT_SECONDS = 30.0
_CHUNK_BYTES = 1 << 16
_REFUSAL_SECONDS = 0.2
"""How long a refused connection waits: a navigation that a redirect leads there is stopped meanwhile, so that the page
stays. Otherwise the browser would show an error page."""


class _Rejected(Exception):
    """A request that gets an answer with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class DomainGateway:
    """Connects a browser to the hosts that `domains` allows, and to no others.

    on_refused: called with the refusal of each connection."""

    def __init__(
        self, domains: DomainPolicy, on_refused: Callable[[DomainRefusal], object] = lambda refusal: None
    ) -> None:
        self.domains = domains
        self._on_refused = on_refused
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> str:
        """Listen on a free port of loopback; returns `socks5://127.0.0.1:<port>`. A second call returns the same."""
        if self._server is None:
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return f"socks5://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """End all connections. Idempotent."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, EOFError, TimeoutError, asyncio.CancelledError):
            pass  # one of the two ends has gone, or the gateway
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_HANDSHAKE_SECONDS):
                host, port = await _read_request(reader, writer)
            refusal = self.domains.refusal(f"http://{f'[{host}]' if ':' in host else host}:{port}/")
            if refusal is not None:
                await asyncio.sleep(_REFUSAL_SECONDS)
                self._on_refused(refusal)
                raise _Rejected(_NOT_ALLOWED)
            far_reader, far_writer = await _connect(host, port)
        except _Rejected as rejected:
            writer.write(_answer(rejected.code))
            await writer.drain()
            writer.close()
            return
        try:
            writer.write(_answer(_SUCCEEDED))
            async with asyncio.TaskGroup() as both:
                both.create_task(_copy(reader, far_writer))
                both.create_task(_copy(far_reader, writer))
        except ExceptionGroup as failed:
            if failed.split((OSError, EOFError))[1] is not None:
                raise
        finally:
            far_writer.transport.abort()


async def _read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, int]:
    """Greet the client and read where it wants to be connected to."""
    version, count = await reader.readexactly(2)
    methods = await reader.readexactly(count)
    if version != _VERSION or _NO_AUTHENTICATION not in methods:
        writer.write(bytes((_VERSION, _NO_ACCEPTABLE_METHOD)))
        raise EOFError
    writer.write(bytes((_VERSION, _NO_AUTHENTICATION)))
    version, command, _, kind = await reader.readexactly(4)
    if version != _VERSION or command != _CONNECT:
        raise _Rejected(_UNKNOWN_COMMAND)
    if kind == _NAME:
        (size,) = await reader.readexactly(1)
        host = (await reader.readexactly(size)).decode("latin-1")
    elif kind in (_IPV4, _IPV6):
        host = str(ipaddress.ip_address(await reader.readexactly(4 if kind == _IPV4 else 16)))
    else:
        raise _Rejected(_UNKNOWN_COMMAND)
    return host, int.from_bytes(await reader.readexactly(2), "big")


async def _connect(host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to a host. Raises `_Rejected` with what the browser is to report."""
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            return await asyncio.open_connection(resolvable_name(host), port, happy_eyeballs_delay=0.25)
    except (socket.gaierror, UnicodeError):
        raise _Rejected(_HOST_UNREACHABLE) from None
    except ConnectionRefusedError:
        raise _Rejected(_REFUSED) from None
    except (OSError, TimeoutError):
        raise _Rejected(_FAILED) from None


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass everything on until one end has sent all."""
    while part := await reader.read(_CHUNK_BYTES):
        writer.write(part)
        await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof()


def _answer(code: int) -> bytes:
    return bytes((_VERSION, code, 0, _IPV4, 0, 0, 0, 0, 0, 0))
