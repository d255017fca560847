"""Bodies: decompressed piece by piece, never beyond the cap."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest

from oryn.errors import BodyTooLarge, FetchFailed
from oryn.research.fetching.bodies import BROTLI, decoders, read_body
from tests.conftest import Run

TEXT = b"".join(b"Fern number %d grows in the shade. " % number for number in range(3000))
URL = "http://example.org/"


def raw_deflate(data: bytes) -> bytes:
    made = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return made.compress(data) + made.flush()


def decode(
    run: Run[Any], pieces: Iterable[bytes], encoding: str, *, limit: int = 10**7, length: int | None = None
) -> bytes:
    async def stream() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    made: bytes = run(read_body(stream(), encoding=encoding, length=None, limit=limit, url=URL))
    return made


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 7, 1000, 10**6])
@pytest.mark.parametrize(
    ("encoding", "encoded"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("utf-8", TEXT),
        ("none", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("GZip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:5000]) + gzip.compress(TEXT[5000:])),
        ("gzip", gzip.compress(TEXT) + b"\0" * 40),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("deflate, gzip", gzip.compress(zlib.compress(TEXT))),
        ("gzip, gzip", gzip.compress(gzip.compress(TEXT))),
    ],
    ids=[
        "-",
        "identity",
        "utf-8",
        "none",
        "gzip",
        "x-gzip",
        "GZip",
        "members",
        "padding",
        "zlib",
        "raw",
        "both",
        "twice",
    ],
)
def test_encodings(run: Run[Any], encoding: str, encoded: bytes, size: int) -> None:
    assert decode(run, cut(encoded, size), encoding) == TEXT


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_nothing_is_nothing_in_every_encoding(run: Run[Any], encoding: str) -> None:
    assert decode(run, [], encoding) == b""


@pytest.mark.skipif(not BROTLI, reason="needs the package brotli")
@pytest.mark.parametrize("size", [1, 1000])
def test_brotli(run: Run[Any], size: int) -> None:
    assert decode(run, cut(BROTLI.compress(TEXT), size), "br") == TEXT
    with pytest.raises(FetchFailed):
        decode(run, [b"not brotli at all"], "br")
    with pytest.raises(BodyTooLarge):
        decode(run, [BROTLI.compress(b"x" * 10**7)], "br", limit=1000)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_bombs(run: Run[Any], layers: int) -> None:
    """100 MB in 100 KB, and that again: no more memory than the cap."""
    bomb = b"\0" * 10**8
    for _ in range(layers):
        bomb = gzip.compress(bomb, 6)
    tracemalloc.start()
    try:
        with pytest.raises(BodyTooLarge, match=f"has more than 1000000 bytes: it becomes that of {len(bomb)} bytes"):
            decode(run, [bomb], ", ".join(["gzip"] * layers), limit=10**6)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


def test_what_comes_counts_too(run: Run[Any]) -> None:
    """Empty members: they are sent for ever and become nothing."""
    with pytest.raises(BodyTooLarge, match="it goes on"):
        decode(run, (gzip.compress(b"") for _ in range(10**6)), "gzip", limit=10_000)


@pytest.mark.parametrize(("size", "fits"), [(1000, True), (1001, False)])
@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_the_cap_is_exact(run: Run[Any], encoding: str, size: int, fits: bool) -> None:
    body = gzip.compress(b"x" * size) if encoding else b"x" * size
    if fits:
        assert len(decode(run, cut(body, 10), encoding, limit=1000)) == size
    else:
        with pytest.raises(BodyTooLarge):
            decode(run, cut(body, 10), encoding, limit=1000)


@pytest.mark.parametrize(
    ("encoding", "body", "again"),
    [
        ("gzip", b"<p>not compressed", False),
        ("deflate", b"\xff\xff\xff<p>not compressed", False),
        ("gzip", gzip.compress(TEXT)[:-100], True),
        ("gzip", gzip.compress(TEXT)[:5], True),
        ("gzip", gzip.compress(TEXT)[:500] + b"xxxx" + gzip.compress(TEXT)[504:], False),
        ("zstd", b"(\xb5/\xfd", False),
        ("compress", b"", False),
        ("gzip, gzip, gzip, gzip", b"", False),
    ],
    ids=["no-gzip", "no-deflate", "cut", "cut-head", "damaged", "zstd", "compress", "too-often"],
)
def test_broken_bodies(run: Run[Any], encoding: str, body: bytes, again: bool) -> None:
    with pytest.raises(FetchFailed) as raised:
        decode(run, [body], encoding)
    assert raised.value.again is again and URL in raised.value.message


def test_encodings_are_taken_off_from_the_outside() -> None:
    assert [type(each).__name__ for each in decoders("deflate, gzip")] == ["ZlibDecoder", "ZlibDecoder"]
    assert decoders("") == []
