"""Bodies as they come: counted before and after they are decompressed, never held at more than the cap.

httpx would decompress a whole piece at once, and a piece of 64 KB may be one of 64 MB. Here a decoder gives at most
what is still allowed.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import AsyncIterable
from typing import Any, Protocol

from oryn.research.failures import BodyTooLarge, FetchFailed

MOST_ENCODINGS = 3
"""Encodings over each other; who has more means no good."""


def _brotli() -> Any:
    """The package `brotli`, where one is there that can be told when to stop (1.2), or None."""
    try:
        module = importlib.import_module("brotli")
    except ImportError:
        return None
    return module if hasattr(module.Decompressor, "can_accept_more_data") else None


_MEMBER = b"\x1f\x8b"
"""How each member of a gzip begins."""

BROTLI = _brotli()
ACCEPTED = "gzip, deflate, br" if BROTLI else "gzip, deflate"
"""What `Accept-Encoding` says."""


class Decoder(Protocol):
    """Takes a piece, gives at most `most` bytes; what is over, or not looked at yet, is given when asked with b""."""

    @property
    def ended(self) -> bool:
        """Whether what has come so far is whole."""

    def decode(self, piece: bytes, most: int) -> bytes:
        """Raises `ValueError` for what is not in this encoding."""


class Zlib:
    """gzip, also of several members, and deflate, with zlib's frame or (as some servers have it) without."""

    def __init__(self, gzip: bool) -> None:
        self._gzip = gzip
        self._inner: Any = None
        self._waiting = b""
        self._over = False
        """Behind the last member; what follows is padding, which browsers pass over too."""

    @property
    def ended(self) -> bool:
        return not self._waiting if self._inner is None else self._inner.eof

    def decode(self, piece: bytes, most: int) -> bytes:
        data = b"" if self._over else self._waiting + piece
        made = bytearray()
        while data and len(made) < most:
            if self._inner is not None and self._inner.eof and not (self._gzip and _MEMBER.startswith(data[:2])):
                self._over, data = True, b""
                break
            if (self._inner is None or self._inner.eof) and not self._begins(data):
                break
            made += self._some(data, most - len(made))
            data = self._inner.unused_data if self._inner.eof else self._inner.unconsumed_tail
        self._waiting = data
        return bytes(made)

    def _begins(self, data: bytes) -> bool:
        """Ready for a stream that begins with `data`; False where that is too little to tell."""
        if len(data) < 2:
            return False
        framed = self._gzip or (data[0] & 15 == zlib.DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0)
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16 if self._gzip else zlib.MAX_WBITS * (1 if framed else -1))
        return True

    def _some(self, data: bytes, most: int) -> bytes:
        try:
            return bytes(self._inner.decompress(data, most))
        except zlib.error as error:
            raise ValueError(str(error)) from error


class Brotli:
    """br."""

    def __init__(self) -> None:
        self._inner = BROTLI.Decompressor()
        self._begun = False

    @property
    def ended(self) -> bool:
        return not self._begun or bool(self._inner.is_finished())

    def decode(self, piece: bytes, most: int) -> bytes:
        self._begun = self._begun or bool(piece)
        try:
            return bytes(self._inner.process(piece, output_buffer_limit=most))
        except BROTLI.error as error:
            raise ValueError(str(error)) from error


def decoders(encoding: str) -> list[Decoder]:
    """Of a `Content-Encoding`, in the order in which they are taken off. Raises `ValueError` for one that we have not
    asked for. What is no encoding at all (`utf-8`, `none`) is passed over, as browsers do."""
    names = [name.strip().lower() for name in encoding.split(",")]
    made: list[Decoder] = []
    for name in reversed(names):
        match name:
            case "gzip" | "x-gzip":
                made.append(Zlib(gzip=True))
            case "deflate":
                made.append(Zlib(gzip=False))
            case "br" if BROTLI:
                made.append(Brotli())
            case "br" | "zstd" | "compress" | "x-compress" | "dcb" | "dcz":
                raise ValueError(f"it is encoded in {name}, which was not asked for")
    if len(made) > MOST_ENCODINGS:
        raise ValueError(f"it is encoded {len(made)} times")
    return made


async def read(pieces: AsyncIterable[bytes], *, encoding: str, length: int | None, most: int, url: str) -> bytes:
    """A body, decompressed. `length` is what the server says that it sends; `url` is for errors.

    Raises `BodyTooLarge` when it is more than `most` bytes, sent or decompressed; `FetchFailed` for a broken one; and
    whatever `pieces` do."""
    if length is not None and length > most:
        raise _too_large(url, most, f"it says that it has {length} bytes")
    try:
        chain = decoders(encoding)
    except ValueError as error:
        raise FetchFailed(f"the body of {url} can't be read: {error}") from error
    made, came = bytearray(), 0
    try:
        async for piece in pieces:
            came += len(piece)
            if came > most:
                raise _too_large(url, most, "it goes on")
            made += _decoded(chain, piece, most + 1 - len(made))
            if len(made) > most:
                raise _too_large(url, most, f"it becomes that of {came} bytes" if chain else "it goes on")
    except ValueError as error:
        raise FetchFailed(f"the body of {url} is not what its encoding says ({encoding}): {error}") from error
    if not all(decoder.ended for decoder in chain):
        raise FetchFailed(f"the body of {url} breaks off in the middle", again=True)
    return bytes(made)


def _decoded(chain: list[Decoder], piece: bytes, most: int) -> bytes:
    """A piece through all of `chain`; at most `most` bytes, and also between two of them no more than that at once."""
    if not chain:
        return piece[:most]
    first, *rest = chain
    made = bytearray()
    while len(made) < most:
        some = first.decode(piece, most - len(made))
        if not some:
            break
        made += _decoded(rest, some, most - len(made))
        piece = b""
    return bytes(made)


def _too_large(url: str, most: int, why: str) -> BodyTooLarge:
    return BodyTooLarge(f"{url} has more than {most} bytes: {why}")
