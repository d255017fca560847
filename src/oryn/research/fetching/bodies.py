"""Reads response bodies with a limit: counted before and after decompression, never held at more than the limit.

httpx would decompress a whole chunk at once, and a chunk of 64 KB may be one of 64 MB. Here a decoder returns at
most what is still allowed."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import AsyncIterable
from typing import Any, Protocol

from oryn.errors import BodyTooLarge, FetchFailed

MAX_ENCODINGS = 3
"""The maximum number of encodings on top of each other; more of them are an attack."""


def _brotli() -> Any:
    """The package `brotli` if it is installed and supports an output limit (1.2), else None."""
    try:
        module = importlib.import_module("brotli")
    except ImportError:
        return None
    return module if hasattr(module.Decompressor, "can_accept_more_data") else None


_MEMBER = b"\x1f\x8b"
"""The first bytes of each member of a gzip file."""

BROTLI = _brotli()
ACCEPT_ENCODING = "gzip, deflate, br" if BROTLI else "gzip, deflate"
"""The value of `Accept-Encoding`."""


class BodyDecoder(Protocol):
    """An incremental decoder with an output limit. What exceeds the limit, and input that was not read yet, is returned
    by the next call; b"" as input only continues."""

    @property
    def ended(self) -> bool:
        """Whether the input until now is complete."""

    def decode(self, piece: bytes, limit: int) -> bytes:
        """Decode `piece` to at most `limit` bytes. Raises `ValueError` if the input is not in this encoding."""


class ZlibDecoder:
    """A `BodyDecoder` for gzip, also of several members, and deflate, with the zlib format or (as some servers send it)
    without."""

    def __init__(self, gzip: bool) -> None:
        self._gzip = gzip
        self._inner: Any = None
        self._pending = b""
        self._is_finished = False
        """Behind the last member; what follows is padding, which browsers pass over too."""

    @property
    def ended(self) -> bool:
        return not self._pending if self._inner is None else self._inner.eof

    def decode(self, piece: bytes, limit: int) -> bytes:
        data = b"" if self._is_finished else self._pending + piece
        output = bytearray()
        while data and len(output) < limit:
            if self._inner is not None and self._inner.eof and not (self._gzip and _MEMBER.startswith(data[:2])):
                self._is_finished, data = True, b""
                break
            if (self._inner is None or self._inner.eof) and not self._start_stream(data):
                break
            output += self._decompress(data, limit - len(output))
            data = self._inner.unused_data if self._inner.eof else self._inner.unconsumed_tail
        self._pending = data
        return bytes(output)

    def _start_stream(self, data: bytes) -> bool:
        """Start a stream that begins with `data`; False if that is too short to recognize the format."""
        if len(data) < 2:
            return False
        framed = self._gzip or (data[0] & 15 == zlib.DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0)
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16 if self._gzip else zlib.MAX_WBITS * (1 if framed else -1))
        return True

    def _decompress(self, data: bytes, limit: int) -> bytes:
        try:
            return bytes(self._inner.decompress(data, limit))
        except zlib.error as error:
            raise ValueError(str(error)) from error


class BrotliDecoder:
    """A `BodyDecoder` for Brotli (`br`)."""

    def __init__(self) -> None:
        self._inner = BROTLI.Decompressor()
        self._begun = False

    @property
    def ended(self) -> bool:
        return not self._begun or bool(self._inner.is_finished())

    def decode(self, piece: bytes, limit: int) -> bytes:
        self._begun = self._begun or bool(piece)
        try:
            return bytes(self._inner.process(piece, output_buffer_limit=limit))
        except BROTLI.error as error:
            raise ValueError(str(error)) from error


def decoders(encoding: str) -> list[BodyDecoder]:
    """The decoders of a `Content-Encoding`, in the order of decoding. Names that are no encodings (`utf-8`, `none`) are
    ignored, as browsers do. Raises `ValueError` for an encoding that we have not accepted."""
    names = [name.strip().lower() for name in encoding.split(",")]
    chain: list[BodyDecoder] = []
    for name in reversed(names):
        match name:
            case "gzip" | "x-gzip":
                chain.append(ZlibDecoder(gzip=True))
            case "deflate":
                chain.append(ZlibDecoder(gzip=False))
            case "br" if BROTLI:
                chain.append(BrotliDecoder())
            case "br" | "zstd" | "compress" | "x-compress" | "dcb" | "dcz":
                raise ValueError(f"it is encoded in {name}, which was not requested")
    if len(chain) > MAX_ENCODINGS:
        raise ValueError(f"it is encoded {len(chain)} times")
    return chain


async def read_body(pieces: AsyncIterable[bytes], *, encoding: str, length: int | None, limit: int, url: str) -> bytes:
    """A decompressed body. `length` is the `Content-Length`; `url` is for errors.

    Raises `BodyTooLarge` if it is more than `limit` bytes, compressed or decompressed; `FetchFailed` if it is damaged
    or truncated; and what `pieces` raises."""
    if length is not None and length > limit:
        raise _too_large(url, limit, f"it says that it has {length} bytes")
    try:
        chain = decoders(encoding)
    except ValueError as error:
        raise FetchFailed(f"the body of {url} can't be read: {error}") from error
    output, received = bytearray(), 0
    try:
        async for piece in pieces:
            received += len(piece)
            if received > limit:
                raise _too_large(url, limit, "it goes on")
            output += _decode(chain, piece, limit + 1 - len(output))
            if len(output) > limit:
                raise _too_large(url, limit, f"it becomes that of {received} bytes" if chain else "it goes on")
    except ValueError as error:
        raise FetchFailed(f"the body of {url} does not match its encoding ({encoding}): {error}") from error
    if not all(decoder.ended for decoder in chain):
        raise FetchFailed(f"the body of {url} breaks off in the middle", again=True)
    return bytes(output)


def _decode(chain: list[BodyDecoder], piece: bytes, limit: int) -> bytes:
    """Decode a piece by all decoders of `chain`; at most `limit` bytes, also between two of them."""
    if not chain:
        return piece[:limit]
    first, *rest = chain
    output = bytearray()
    while len(output) < limit:
        some = first.decode(piece, limit - len(output))
        if not some:
            break
        output += _decode(rest, some, limit - len(output))
        piece = b""
    return bytes(output)


def _too_large(url: str, limit: int, why: str) -> BodyTooLarge:
    return BodyTooLarge(f"{url} has more than {limit} bytes: {why}")
