"""`ForwardProxy`: the only way out for a browser that must not reach private networks.

A browser follows whatever its pages load: redirects, frames, scripts, workers, sockets. For one that is limited to
this proxy, each name is resolved here, once, and connected to the address that was checked (`pinned_connect`). The
user's own proxy may be behind it (`upstream_proxy`). https://datatracker.ietf.org/doc/html/rfc9110#name-connect"""

from __future__ import annotations

import asyncio
import base64
import hmac
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

import httpcore

from oryn.core.urls import DomainPolicy
from oryn.errors import AddressNotAllowed, OrynError
from oryn.research.fetching.pinned_connect import CheckedBackend, Resolve, resolve
from oryn.research.fetching.upstream_proxy import UpstreamProxy

CONNECT_SECONDS = 15.0
MAX_HEAD_BYTES = 256 * 1024
"""The maximum size of the head of a request or response."""
CHUNK_BYTES = 64 * 1024
MAX_REFUSED = 100
USER = "oryn"
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "upgrade"})

Fields = list[tuple[str, str]]


class ForwardProxy:
    """Serves a browser. It raises nothing: a refused request gets an error response, and `refused` has the reason.
    `resolve` and `network` (the backend for connections) are for tests."""

    def __init__(
        self,
        *,
        allow_private: bool = False,
        domains: DomainPolicy | None = None,
        upstream: UpstreamProxy | None = None,
        resolve: Resolve = resolve,
        network: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._domains = domains or DomainPolicy()
        self._upstream = upstream or UpstreamProxy()
        self._allow_private = allow_private
        self._backend = CheckedBackend(allow_private=allow_private, resolve=resolve, inner=network)
        self._password = secrets.token_urlsafe(24)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.refused: dict[str, OrynError] = {}
        """The refused requests by `host:port`, the latest last."""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """The URL of the running proxy with the login that it requires: other users of the computer can reach its port,
        too."""
        self._server = await asyncio.start_server(self._on_accepted, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)
        port = self._server.sockets[0].getsockname()[1]
        try:
            yield f"http://{USER}:{self._password}@127.0.0.1:{port}"
        finally:
            self._server.close()
            for task in self._open:
                task.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)

    # --- one connection of the browser, which is for one request ---

    def _on_accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not await self._handle(reader, writer):
                pass  # it was asked for its login, and says it now
        except (OSError, EOFError, ValueError, httpcore.NetworkError, httpcore.TimeoutException):
            pass  # one end has gone, or speaks no HTTP: the browser sees that the connection ends
        finally:
            writer.transport.abort() if writer.is_closing() else writer.close()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; returns whether the connection is finished."""
        (method, target, _), fields = _head(await _read_head(reader))
        headers = {name.lower(): value for name, value in fields}
        if not self._is_authorized(headers.get("proxy-authorization", "")):
            await _discard(reader, int(headers.get("content-length", "0")))
            await _respond(
                writer, "407 Proxy Authentication Required", 'Proxy-Authenticate: Basic realm="oryn"', keep_alive=True
            )
            return False
        url = f"https://{target}" if method == "CONNECT" else target
        try:
            stream = await self._connect(url, tunnel=method == "CONNECT")
        except OrynError as error:
            self._refuse(url, error)
            await _respond(writer, "403 Forbidden")
            return True
        except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProxyError):
            await _respond(writer, "502 Bad Gateway")
            return True
        try:
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                await _until_first_ends(_pump(reader.read, stream.write), _pump(stream.read, _writing(writer)))
            else:
                length = int(headers.get("content-length", "0"))
                if "transfer-encoding" in headers:
                    await _respond(writer, "411 Length Required")
                    return True
                await stream.write(_request_head(method, url, fields, self._upstream.fields_for(url)))
                await _until_first_ends(_relay_request_body(reader, stream, length), _relay_response(stream, writer))
        finally:
            await stream.aclose()
        return True

    def _is_authorized(self, authorization: str) -> bool:
        expected = "Basic " + base64.b64encode(f"{USER}:{self._password}".encode()).decode()
        return hmac.compare_digest(authorization.encode(), expected.encode())

    def _refuse(self, url: str, error: OrynError) -> None:
        authority = urlsplit(url).netloc.rpartition("@")[2]
        self.refused.pop(authority, None)
        self.refused[authority] = error
        if len(self.refused) > MAX_REFUSED:
            del self.refused[next(iter(self.refused))]

    async def _connect(self, url: str, *, tunnel: bool) -> httpcore.AsyncNetworkStream:
        """Raises `AddressNotAllowed`, and what httpcore does."""
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or (443 if tunnel else 80)
        if not host or (not tunnel and parts.scheme != "http"):
            raise AddressNotAllowed(f"{parts.scheme}: is nothing that goes through a proxy")
        if refusal := self._domains.refusal(f"{'https' if tunnel else 'http'}://{parts.netloc}/"):
            raise AddressNotAllowed(str(refusal))
        if self._upstream.is_for(url):
            return await self._upstream.connect(url, tunnel=tunnel, allow_private=self._allow_private)
        return await self._backend.connect_tcp(host, port, CONNECT_SECONDS)


# --- bytes ---


async def _read_head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise ValueError("the head is too long") from None


def _head(head: bytes) -> tuple[tuple[str, str, str], Fields]:
    """The three parts of the first line, and the header fields. Raises `ValueError`."""
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    one, two, *three = first.split(" ", 2)
    fields = [(name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    return (one, two, three[0] if three else ""), fields


def _lines(first: str, fields: Iterable[tuple[str, str]]) -> bytes:
    return "\r\n".join([first, *(f"{name}: {value}" for name, value in fields), "", ""]).encode("latin-1")


def _request_head(method: str, url: str, fields: Fields, upstream: Mapping[str, str] | None) -> bytes:
    """The head of a request to its server, or to another proxy; with `Connection: close`, since the next request may be
    for another server."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    forwarded = [(name, value) for name, value in fields if name.lower() not in _HOP_BY_HOP]
    more = [("Connection", "close"), *(upstream or {}).items()]
    return _lines(f"{method} {path if upstream is None else url} HTTP/1.1", [*forwarded, *more])


async def _respond(writer: asyncio.StreamWriter, status: str, *fields: str, keep_alive: bool = False) -> None:
    lines = [
        f"HTTP/1.1 {status}",
        "Content-Length: 0",
        *fields,
        f"Connection: {'keep-alive' if keep_alive else 'close'}",
    ]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    await writer.drain()


async def _discard(reader: asyncio.StreamReader, length: int) -> None:
    while length > 0 and (piece := await reader.read(min(length, CHUNK_BYTES))):
        length -= len(piece)


async def _relay_request_body(reader: asyncio.StreamReader, stream: httpcore.AsyncNetworkStream, length: int) -> None:
    """Send the body of the request; then wait until the browser closes the connection."""
    while length > 0 and (piece := await reader.read(min(length, CHUNK_BYTES))):
        length -= len(piece)
        await stream.write(piece)
    while await reader.read(CHUNK_BYTES):
        pass


async def _relay_response(stream: httpcore.AsyncNetworkStream, writer: asyncio.StreamWriter) -> None:
    """Send the response, marked as the last one of the connection."""
    held, status = b"", "1"
    while status.startswith("1"):
        while b"\r\n\r\n" not in held:
            piece = await stream.read(CHUNK_BYTES)
            if not piece or len(held) > MAX_HEAD_BYTES:
                raise EOFError
            held += piece
        head, _, held = held.partition(b"\r\n\r\n")
        (version, status, reason), fields = _head(head)
        forwarded = [(name, value) for name, value in fields if name.lower() not in _HOP_BY_HOP]
        closing = [] if status.startswith("1") else [("Connection", "close")]
        writer.write(_lines(f"{version} {status} {reason}", [*forwarded, *closing]))
    writer.write(held)
    await _pump(stream.read, _writing(writer))


async def _pump(read: Callable[[int], Awaitable[bytes]], write: Callable[[bytes], Awaitable[None]]) -> None:
    while piece := await read(CHUNK_BYTES):
        await write(piece)


def _writing(writer: asyncio.StreamWriter) -> Callable[[bytes], Awaitable[None]]:
    async def write(piece: bytes) -> None:
        writer.write(piece)
        await writer.drain()

    return write


async def _until_first_ends(*ways: Coroutine[object, object, None]) -> None:
    """Run all of them until one has ended."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
