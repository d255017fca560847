"""A web server on loopback for tests of research: it answers as a test wants, also badly, and records its requests.

    with Site() as site:
        site.page("/", "<h1>Ferns</h1>")
        site.put("/slow", Reply("late", delay=2))
        site.put("/count", lambda request: Reply(f"{request.query}"))
        …fetch(site.url("/"))…
        assert [request.target for request in site.requests] == ["/"]

It runs in a thread of its own, so tests may block their loop. Every address of 127.0.0.0/8 is this machine on Linux:
`Site("127.0.0.7")` is another host than `Site()`.
"""

from __future__ import annotations

import asyncio
import gzip
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class ReceivedRequest:
    """A request as it came. `at` is `time.monotonic()`; names of headers are in small letters."""

    method: str
    target: str
    headers: dict[str, str]
    at: float
    body: bytes = b""

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.target).query).items()}


@dataclass(frozen=True)
class Reply:
    """An answer. With `etag` or `modified` a request that has it already is told 304."""

    body: bytes | str = b""
    status: int = 200
    type: str = HTML
    headers: dict[str, str] = field(default_factory=dict)
    etag: str = ""
    modified: str = ""
    delay: float = 0.0
    """Seconds before the first byte."""
    wait: threading.Event | None = None
    """The first byte comes when this is set."""
    length: int | None = None
    """What Content-Length says, instead of the truth; -1: nothing, the body ends with the connection."""
    cut: int | None = None
    """The connection breaks off after so many bytes of the body; -1: before the head."""
    pieces: Iterable[bytes] | None = None
    """Instead of a body: chunks, also without an end."""
    pause: float = 0.0
    """Seconds before each of the pieces."""
    raw: bytes | None = None
    """Instead of all that: these bytes, and the end of the connection."""


Route = Reply | Callable[[ReceivedRequest], Reply]


def redirect(to: str, status: int = 302, **headers: str) -> Reply:
    return Reply(status=status, headers={"Location": to} | {k.replace("_", "-"): v for k, v in headers.items()})


def gzipped(body: bytes | str, **options: object) -> Reply:
    """A body that is compressed; `options` are those of a `Reply`."""
    encoded = gzip.compress(body.encode() if isinstance(body, str) else body, mtime=0)
    return Reply(encoded, headers={"Content-Encoding": "gzip"}, **options)  # type: ignore[arg-type]


class Site:
    """The server. `requests` has every request, in the order in which they came."""

    def __init__(self, host: str = "127.0.0.1", *, tls: ssl.SSLContext | None = None, port: int = 0) -> None:
        self.host = host
        self.port = port
        self.requests: list[ReceivedRequest] = []
        self.connections = 0
        self.open = 0
        """Connections that are open now."""
        self.answering = 0
        self.most_answering = 0
        """Requests that came and whose answer had not begun: now, and at most at once."""
        self.routes: dict[str, Route] = {}
        self.otherwise: Route = Reply("not here", status=404, type="text/plain")
        """What paths without a route answer."""
        self._tls = tls
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        self._call(self._start())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._call(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def origin(self) -> str:
        return f"http{'s' if self._tls else ''}://{self.host}:{self.port}"

    def url(self, target: str = "/") -> str:
        return self.origin + target

    def put(self, path: str, route: Route) -> str:
        """Let a path answer so. Returns its URL."""
        self.routes[path] = route
        return self.url(path)

    def page(self, path: str, body: str, **headers: str) -> str:
        """An HTML page; `cache_control="max-age=60"` is a header. Returns its URL."""
        return self.put(path, Reply(body, headers={name.replace("_", "-"): value for name, value in headers.items()}))

    def count(self, path: str) -> int:
        """How often a path was asked for."""
        return sum(request.path == path for request in self.requests)

    def _call(self, coroutine: object) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)  # type: ignore[arg-type]

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._serve, self.host, self.port, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        assert self._server
        # A server that is closed while it accepts a connection leaves that connection open (Python 3.11).
        while accepting := asyncio.all_tasks() - self._serving - {asyncio.current_task()}:
            await asyncio.wait(accepting, timeout=0.01)
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._serving.add(task)
        self.connections += 1
        self.open += 1
        try:
            while await self._turn(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError, ValueError):
            pass  # who asked has gone, or the test is over
        finally:
            self.open -= 1
            self._serving.discard(task)
            writer.transport.abort()

    async def _turn(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer. Whether another may come on this connection."""
        request = await _request(reader)
        self.requests.append(request)
        route = self.routes.get(request.target, self.routes.get(request.path, self.otherwise))
        reply = route if isinstance(route, Reply) else route(request)
        self.answering += 1
        self.most_answering = max(self.most_answering, self.answering)
        try:
            if reply.delay:
                await asyncio.sleep(reply.delay)
            while reply.wait is not None and not reply.wait.is_set():  # noqa: ASYNC110 - set in the test's thread
                await asyncio.sleep(0.005)
        finally:
            self.answering -= 1
        return await _answer(writer, request, reply)


async def _request(reader: asyncio.StreamReader) -> ReceivedRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ", 2)
    pairs = (line.split(":", 1) for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return ReceivedRequest(method, target, headers, time.monotonic(), body)


async def _answer(writer: asyncio.StreamWriter, request: ReceivedRequest, reply: Reply) -> bool:
    if reply.raw is not None:
        writer.write(reply.raw)
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        return False
    if reply.cut == -1:
        return False
    reply = _conditional(request, reply)
    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
    writer.write(_head(reply, body))
    if request.method == "HEAD" or reply.status in (204, 304):
        await writer.drain()
        return True
    if reply.pieces is not None:
        for piece in reply.pieces:
            await asyncio.sleep(reply.pause)
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
    else:
        writer.write(body if reply.cut is None else body[: reply.cut])
    await writer.drain()
    if reply.cut is None and reply.length in (None, len(body)):
        return True
    writer.close()
    await writer.wait_closed()
    return False


def _conditional(request: ReceivedRequest, reply: Reply) -> Reply:
    known = request.headers.get("if-none-match"), request.headers.get("if-modified-since")
    has = (reply.etag and known[0] == reply.etag) or (reply.modified and not reply.etag and known[1] == reply.modified)
    if not has:
        return reply
    return Reply(status=304, headers=reply.headers, etag=reply.etag, modified=reply.modified)


def _head(reply: Reply, body: bytes) -> bytes:
    headers = dict(reply.headers)
    if reply.type and reply.status != 304:
        headers.setdefault("Content-Type", reply.type)
    if reply.etag:
        headers["ETag"] = reply.etag
    if reply.modified:
        headers["Last-Modified"] = reply.modified
    if reply.pieces is not None:
        headers["Transfer-Encoding"] = "chunked"
    elif reply.length != -1 and reply.status != 304:
        headers.setdefault("Content-Length", str(len(body) if reply.length is None else reply.length))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {reply.status} Status\r\n{lines}\r\n".encode("latin-1")
