"""Whatever comes from outside: an answer, or an error of ours."""

from __future__ import annotations

import codecs
import zlib
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oryn.errors import OrynError
from oryn.research.extractor import meta_refresh_url
from oryn.research.fetching.address_policy import non_public_host_reason, non_public_reason, parse_ip_literal
from oryn.research.fetching.bodies import ZlibDecoder
from oryn.research.fetching.cache_entry import is_storable, lifetime
from oryn.research.fetching.charset import charset_of, codec, decode_body, parameter
from oryn.research.fetching.content_type import kind_of, name_of
from oryn.research.fetching.request import FetchStep
from oryn.research.html.js_shell import js_shell_reason

PRIVATE = [ip_network(each) for each in ("10.0.0.0/8", "127.0.0.0/8", "192.168.0.0/16", "169.254.0.0/16")]
URLISH = st.text("ahtps:/.@[]%#?&=0123456789 \\\n\0äß\ud800", max_size=40)


@given(st.integers(0, 2**32 - 1))
def test_no_way_of_writing_an_address_makes_it_public(number: int) -> None:
    address = IPv4Address(number)
    inside = any(address in network for network in PRIVATE)
    a, b, c, d = address.packed
    spellings = [
        str(address),
        str(number),
        hex(number),
        f"0{number:o}",
        f"{a}.{number & 0xFFFFFF}",
        f"{a:#x}.{b}.0{c:o}.{d}",
    ]
    for spelling in spellings:
        assert parse_ip_literal(spelling) == address
        assert bool(non_public_host_reason(spelling)) or not inside
    for embedded in (f"::ffff:{address}", f"64:ff9b::{address}", f"2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1"):
        assert bool(non_public_reason(IPv6Address(embedded))) or not inside


@given(st.text(max_size=60))
def test_hosts(host: str) -> None:
    assert isinstance(non_public_host_reason(host), str)


@given(URLISH, URLISH)
@example("http://a/", "http://\ud800/")
@example("http://a/\ud800", "/")
@example("http://xn--a/", "/")
@example("http://ß.example/", "//ß\u200d")
def test_urls(first: str, second: str) -> None:
    try:
        FetchStep.of(first).to(second)
        FetchStep.of("http://example.org/a?b").to(second)
    except OrynError:
        pass


@given(st.binary(max_size=300), st.text(max_size=60))
@example(b"<meta charset=\xff>", 'text/html; charset="')
def test_bytes_of_any_charset(body: bytes, said: str) -> None:
    charset = charset_of(body, f"text/html; charset={said}")
    assert codecs.lookup(charset) and isinstance(decode_body(body, charset), str)
    assert isinstance(parameter(said, "charset"), str)
    assert kind_of(said, body) in ("html", "pdf", "text", "other") and name_of(said, body)
    assert isinstance(js_shell_reason(body, charset), str) and isinstance(
        meta_refresh_url(body, charset, "http://a/"), str
    )


@given(st.text(max_size=30))
def test_labels(label: str) -> None:
    name = codec(label)
    assert name == "" or codecs.lookup(name)


@given(
    st.dictionaries(
        st.sampled_from(["cache-control", "expires", "date", "age", "pragma", "vary"]), st.text(max_size=40)
    )
)
def test_headers_of_freshness(headers: dict[str, str]) -> None:
    seconds = lifetime(headers, datetime(2026, 11, 22, tzinfo=UTC))
    assert seconds is None or seconds >= 0
    assert is_storable(headers) in (True, False)


@given(
    st.binary(max_size=2000),
    st.lists(st.integers(1, 50), min_size=1),
    st.integers(1, 300),
    st.sampled_from([0, 16, 32]),
)
def test_compressed_bodies_in_any_pieces(body: bytes, sizes: list[int], most: int, kind: int) -> None:
    """Whatever the pieces are, and however little is taken at once, what comes out is what went in."""
    window = -zlib.MAX_WBITS if kind == 32 else zlib.MAX_WBITS | kind
    packer = zlib.compressobj(wbits=window)
    data = packer.compress(body) + packer.flush()
    decoder, made, at = ZlibDecoder(gzip=kind == 16), bytearray(), 0
    for turn in range(len(data) + 1):
        piece, at = data[at : at + sizes[turn % len(sizes)]], at + sizes[turn % len(sizes)]
        some: Any = decoder.decode(piece, most)
        while some:
            assert len(some) <= most
            made += some
            some = decoder.decode(b"", most)
        if at >= len(data):
            break
    assert bytes(made) == body and decoder.ended


@pytest.mark.parametrize("address", ["::", "::1", "fe80::1"])
def test_zones_hide_nothing(address: str) -> None:
    assert non_public_host_reason(f"[{address}%25eth0]") and non_public_host_reason(f"{address}%eth0")
