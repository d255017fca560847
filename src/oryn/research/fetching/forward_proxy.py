"""`ForwardProxy`: the only way out for a browser that must not reach private networks.

A browser goes wherever its pages want: through redirects, frames, scripts, workers, sockets. One that speaks to this
proxy alone has each name resolved here, once, and is connected to the address that was looked at (`connecting`).
Behind it may be the user's own proxy (`upstream`).
https://datatracker.ietf.org/doc/html/rfc9110#name-connect
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

import httpcore

from oryn.domains import Domains
from oryn.errors import OrynError
from oryn.research.failures import AddressNotAllowed
from oryn.research.fetching.connecting import CheckedBackend, Resolve, resolve
from oryn.research.fetching.upstream import Upstream

CONNECT_SECONDS = 15.0
LONGEST_HEAD = 256 * 1024
"""Bytes of the head of a request or an answer."""
PIECE = 64 * 1024
MOST_REFUSED = 100
USER = "oryn"
_OF_HOP = frozenset({"connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "upgrade"})

Fields = list[tuple[str, str]]


class ForwardProxy:
    """Raises nothing to its callers: who is refused gets an answer, and `refused` has the reason.

    `resolve` and `network` (what makes connections to
    addresses) are for tests."""

    def __init__(
        self,
        *,
        allow_private: bool = False,
        domains: Domains | None = None,
        upstream: Upstream | None = None,
        resolve: Resolve = resolve,
        network: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._domains = domains or Domains()
        self._upstream = upstream or Upstream()
        self._allow_private = allow_private
        self._backend = CheckedBackend(allow_private=allow_private, resolve=resolve, inner=network)
        self._password = secrets.token_urlsafe(24)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.refused: dict[str, OrynError] = {}
        """What was refused so far, by `host:port`, the latest last."""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Its URL with the login that it asks for: other users of the computer can reach its port, too."""
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0, limit=LONGEST_HEAD)
        port = self._server.sockets[0].getsockname()[1]
        try:
            yield f"http://{USER}:{self._password}@127.0.0.1:{port}"
        finally:
            self._server.close()
            for task in self._open:
                task.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)

    # --- one connection of the browser, which is for one request ---

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not await self._answered(reader, writer):
                pass  # it was asked for its login, and says it now
        except (OSError, EOFError, ValueError, httpcore.NetworkError, httpcore.TimeoutException):
            pass  # one end has gone, or speaks no HTTP: the browser sees that the connection ends
        finally:
            writer.transport.abort() if writer.is_closing() else writer.close()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether that was all there is to say."""
        (method, target, _), fields = _head(await _read_head(reader))
        said = {name.lower(): value for name, value in fields}
        if not self._is_known(said.get("proxy-authorization", "")):
            await _discard(reader, int(said.get("content-length", "0")))
            await _say(writer, "407 Proxy Authentication Required", 'Proxy-Authenticate: Basic realm="oryn"', keep=True)
            return False
        url = f"https://{target}" if method == "CONNECT" else target
        try:
            stream = await self._reached(url, tunnel=method == "CONNECT")
        except OrynError as error:
            self._refuse(url, error)
            await _say(writer, "403 Forbidden")
            return True
        except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProxyError):
            await _say(writer, "502 Bad Gateway")
            return True
        try:
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                await _both(_pumped(reader.read, stream.write), _pumped(stream.read, _writing(writer)))
            else:
                length = int(said.get("content-length", "0"))
                if "transfer-encoding" in said:
                    await _say(writer, "411 Length Required")
                    return True
                await stream.write(_asked(method, url, fields, self._upstream.fields_for(url)))
                await _both(_sent(reader, stream, length), _told(stream, writer))
        finally:
            await stream.aclose()
        return True

    def _is_known(self, authorization: str) -> bool:
        expected = "Basic " + base64.b64encode(f"{USER}:{self._password}".encode()).decode()
        return hmac.compare_digest(authorization.encode(), expected.encode())

    def _refuse(self, url: str, error: OrynError) -> None:
        place = urlsplit(url).netloc.rpartition("@")[2]
        self.refused.pop(place, None)
        self.refused[place] = error
        if len(self.refused) > MOST_REFUSED:
            del self.refused[next(iter(self.refused))]

    async def _reached(self, url: str, *, tunnel: bool) -> httpcore.AsyncNetworkStream:
        """Raises `AddressNotAllowed`, and what httpcore does."""
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or (443 if tunnel else 80)
        if not host or (not tunnel and parts.scheme != "http"):
            raise AddressNotAllowed(f"{parts.scheme}: is nothing that goes through a proxy")
        if refusal := self._domains.refusal(f"{'https' if tunnel else 'http'}://{parts.netloc}/"):
            raise AddressNotAllowed(str(refusal))
        if self._upstream.is_for(url):
            return await self._upstream.reached(url, tunnel=tunnel, allow_private=self._allow_private)
        return await self._backend.connect_tcp(host, port, CONNECT_SECONDS)


# --- bytes ---


async def _read_head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise ValueError("the head is too long") from None


def _head(head: bytes) -> tuple[tuple[str, str, str], Fields]:
    """The three parts of the first line, and the fields. Raises `ValueError`."""
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    one, two, *three = first.split(" ", 2)
    fields = [(name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    return (one, two, three[0] if three else ""), fields


def _lines(first: str, fields: Iterable[tuple[str, str]]) -> bytes:
    return "\r\n".join([first, *(f"{name}: {value}" for name, value in fields), "", ""]).encode("latin-1")


def _asked(method: str, url: str, fields: Fields, upstream: Mapping[str, str] | None) -> bytes:
    """A request to its server, or whole to another proxy; one alone, for what comes next may be for another server."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [(name, value) for name, value in fields if name.lower() not in _OF_HOP]
    more = [("Connection", "close"), *(upstream or {}).items()]
    return _lines(f"{method} {path if upstream is None else url} HTTP/1.1", [*kept, *more])


async def _say(writer: asyncio.StreamWriter, status: str, *fields: str, keep: bool = False) -> None:
    lines = [f"HTTP/1.1 {status}", "Content-Length: 0", *fields, f"Connection: {'keep-alive' if keep else 'close'}"]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    await writer.drain()


async def _discard(reader: asyncio.StreamReader, length: int) -> None:
    while length > 0 and (piece := await reader.read(min(length, PIECE))):
        length -= len(piece)


async def _sent(reader: asyncio.StreamReader, stream: httpcore.AsyncNetworkStream, length: int) -> None:
    """The body of the one request; then wait until the browser hangs up."""
    while length > 0 and (piece := await reader.read(min(length, PIECE))):
        length -= len(piece)
        await stream.write(piece)
    while await reader.read(PIECE):
        pass


async def _told(stream: httpcore.AsyncNetworkStream, writer: asyncio.StreamWriter) -> None:
    """The answer, which says that it is the last one of the connection."""
    held, status = b"", "1"
    while status.startswith("1"):
        while b"\r\n\r\n" not in held:
            piece = await stream.read(PIECE)
            if not piece or len(held) > LONGEST_HEAD:
                raise EOFError
            held += piece
        head, _, held = held.partition(b"\r\n\r\n")
        (version, status, reason), fields = _head(head)
        kept = [(name, value) for name, value in fields if name.lower() not in _OF_HOP]
        closing = [] if status.startswith("1") else [("Connection", "close")]
        writer.write(_lines(f"{version} {status} {reason}", [*kept, *closing]))
    writer.write(held)
    await _pumped(stream.read, _writing(writer))


async def _pumped(read: Callable[[int], Awaitable[bytes]], write: Callable[[bytes], Awaitable[None]]) -> None:
    while piece := await read(PIECE):
        await write(piece)


def _writing(writer: asyncio.StreamWriter) -> Callable[[bytes], Awaitable[None]]:
    async def write(piece: bytes) -> None:
        writer.write(piece)
        await writer.drain()

    return write


async def _both(*ways: Coroutine[object, object, None]) -> None:
    """Until one of them has ended."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
