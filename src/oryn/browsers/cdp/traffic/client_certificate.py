"""Requests to servers that want to see a certificate of ours.

Chromium takes client certificates from the system's own store and asks a person which; over the DevTools protocol there
is no way to give it one. So requests to the origins that a certificate is for are stopped, made here, and answered with
what came back: over HTTP/1.1, whole, and without the browser's cache.
"""

from __future__ import annotations

import asyncio
import io
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

from oryn.browsers.base.network import Fields
from oryn.errors import ConfigurationError

MOST_BYTES = 64_000_000
SECONDS = 30.0
_SKIPPED = frozenset({"accept-encoding", "connection", "content-length", "cookie", "host", "transfer-encoding"})
# What spoke of the transfer and not of the body, which is whole and plain by now.
_OF_TRANSFER = frozenset({"connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    fields: Fields
    body: bytes


class ClientCertificate:
    """`file` is PEM: the certificate, those above it, and its key without a password. `origins` are `https://host:port`.

    Raises `ConfigurationError`."""

    def __init__(self, file: Path, origins: Iterable[str], *, verify: bool = True) -> None:
        self.origins = tuple(origins)
        self._context = ssl.create_default_context()
        if not verify:
            self._context.check_hostname = False
            self._context.verify_mode = ssl.CERT_NONE
        try:
            self._context.load_cert_chain(file, password=_no_password)
        except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
            raise ConfigurationError(
                f"client_certificate: {file} can't be used",
                "A PEM file with the certificate and its key, the key without a password.",
            ) from error

    def is_for(self, url: str) -> bool:
        return origin(url) in map(origin, self.origins)

    async def fetch(self, method: str, url: str, headers: Mapping[str, str], cookie: str, body: bytes) -> Answer:
        """Raises `OSError` (also `ssl.SSLError`, `TimeoutError`) when there is no answer."""
        parts = urlsplit(url)
        port = parts.port or 443
        async with asyncio.timeout(SECONDS):
            reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=self._context)
            try:
                writer.write(_request(method, url, headers, cookie, body))
                await writer.drain()
                return _parsed(await _read(reader), method)
            finally:
                writer.transport.abort()


def origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or 443


def _no_password() -> str:
    # Without this, OpenSSL would ask on the terminal.
    return ""


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


async def _read(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := await reader.read(1 << 16):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise OSError("the answer is too large")
    return b"".join(parts)


class _Received:
    """What `HTTPResponse` takes for a socket."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def makefile(self, *_: object) -> io.BytesIO:
        return io.BytesIO(self._content)


def _parsed(content: bytes, method: str) -> Answer:
    response = HTTPResponse(_Received(content), method=method)  # type: ignore[arg-type]
    try:
        response.begin()
        body = response.read()
    except (HTTPException, ValueError) as error:
        raise OSError("the answer is not HTTP") from error
    fields = tuple((name, value) for name, value in response.getheaders() if name.lower() not in _OF_TRANSFER)
    return Answer(response.status, fields, body)
