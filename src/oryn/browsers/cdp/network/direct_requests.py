"""Requests that are sent from here instead of by the browser: over HTTP/1.1, with the whole answer at once."""

from __future__ import annotations

import asyncio
import io
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from urllib.parse import urlsplit

from oryn.browsers.base.network import Headers

MAX_RESPONSE_BYTES = 64_000_000
REQUEST_SECONDS = 30.0
_STATUS_LINE_BYTES = 100
_SKIPPED = frozenset({"accept-encoding", "connection", "content-length", "cookie", "host", "transfer-encoding"})
# Headers of the transfer; the body is complete and decoded by now.
_TRANSFER_HEADERS = frozenset({"connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class DirectResponse:
    status: int
    fields: Headers
    body: bytes


async def fetch(
    method: str,
    url: str,
    headers: Mapping[str, str],
    *,
    cookie: str = "",
    body: bytes = b"",
    context: ssl.SSLContext,
    body_of: int | None = None,
    timeout: float = REQUEST_SECONDS,
) -> DirectResponse:
    """Send a request and read the whole response, in `timeout` seconds. `context` is for `https:`. With `body_of`, only
    a response with that status is read with its body.

    Raises `OSError` (also `ssl.SSLError`, `TimeoutError`)."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    name = resolvable_name(parts.hostname or "")
    async with asyncio.timeout(timeout):
        server_name = parts.hostname if secure else None
        reader, writer = await asyncio.open_connection(
            name, port, ssl=context if secure else None, server_hostname=server_name
        )
        try:
            writer.write(_request(method, url, headers, cookie, body))
            await writer.drain()
            content = await _read(reader, body_of)
            if body_of is not None and _status(content) != body_of:
                method = "HEAD"  # whose response has no body
            return _parse_response(content, method)
        finally:
            writer.close()
            writer.transport.abort()


def resolvable_name(host: str) -> str:
    """The name to resolve for a host. Names below `localhost` are this computer's, whether or not its resolver knows
    them: https://datatracker.ietf.org/doc/html/rfc6761#section-6.3"""
    return "localhost" if host.rstrip(".").lower().endswith(".localhost") else host


def _request(method: str, url: str, headers: Mapping[str, str], cookie: str, body: bytes) -> bytes:
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = [f"{method} {path} HTTP/1.1", f"Host: {parts.netloc.rpartition('@')[2]}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items() if name.lower() not in _SKIPPED]
    if cookie:
        lines.append(f"Cookie: {cookie}")
    if body or method not in ("GET", "HEAD"):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body


async def _read(reader: asyncio.StreamReader, body_of: int | None) -> bytes:
    content = bytearray()
    while part := await reader.read(1 << 16):
        content += part
        if len(content) > MAX_RESPONSE_BYTES:
            raise OSError("the answer is too large")
        if body_of is not None and b"\r\n\r\n" in content and _status(content) != body_of:
            break
    return bytes(content)


def _status(content: bytes | bytearray) -> int:
    """The status of a response; 0 if it is not HTTP."""
    words = bytes(content[:_STATUS_LINE_BYTES]).split(b" ", 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


class _BufferedSocket:
    """The part of a socket that `HTTPResponse` uses, with the content of a response."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def makefile(self, *_: object) -> io.BytesIO:
        return io.BytesIO(self._content)


def _parse_response(content: bytes, method: str) -> DirectResponse:
    response = HTTPResponse(_BufferedSocket(content), method=method)  # type: ignore[arg-type]
    try:
        response.begin()
        body = response.read()
    except (HTTPException, ValueError) as error:
        raise OSError("the answer is not HTTP") from error
    fields = tuple((name, value) for name, value in response.getheaders() if name.lower() not in _TRANSFER_HEADERS)
    return DirectResponse(response.status, fields, body)
