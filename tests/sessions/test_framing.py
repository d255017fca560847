from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.sessions.framing import LineSplitter, OversizedLine, encode


def decode(wire: bytes) -> str:
    """What a client makes of one answer: the terminator off, one backslash off each line that looks like it."""
    lines = wire.decode().split("\n")
    assert lines[-2:] == ["---", ""], "an answer ends with the terminator"
    assert "---" not in lines[:-2], "the terminator stands only at the end"
    return "\n".join(re.sub(r"^\\(\\*---)$", r"\1", line) for line in lines[:-2])


@pytest.mark.parametrize(
    ("payload", "wire"),
    [
        ("ok url", b"ok url\n---\n"),
        ("", b"---\n"),
        ("---", b"\\---\n---\n"),
        ("a\n---\nb", b"a\n\\---\nb\n---\n"),
        ("\\---", b"\\\\---\n---\n"),
        (" ---", b" ---\n---\n"),
        ("----", b"----\n---\n"),
        ("a\r\n---\r", b"a\n\\---\n\n---\n"),
        ("\ud800", b"?\n---\n"),
    ],
)
def test_answers_on_the_wire(payload: str, wire: bytes) -> None:
    assert encode(payload) == wire


@given(st.lists(st.one_of(st.text("a-\\ ", max_size=6), st.just("---"), st.just("\\---"))).map("\n".join))
def test_a_client_gets_back_what_was_meant(payload: str) -> None:
    assert decode(encode(payload)) == payload


@given(st.text())
def test_nothing_forges_the_end_of_an_answer(payload: str) -> None:
    wire = encode(payload).decode()
    for lines in (wire.split("\n"), re.split(r"\r\n?|\n", wire)):
        assert lines.index("---") == len(lines) - 2


def split(data: bytes, cuts: list[int], limit: int = 100) -> list[bytes | OversizedLine]:
    splitter, lines, start = LineSplitter(limit), [], 0
    for cut in [*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]:
        lines += splitter.feed(data[start:cut])
        start = cut
    return [*lines, *splitter.end()]


@given(st.binary(), st.lists(st.integers(0, 1000)))
def test_lines_do_not_depend_on_where_the_stream_is_cut(data: bytes, cuts: list[int]) -> None:
    *whole, rest = data.split(b"\n")
    expected = [line.removesuffix(b"\r") for line in whole] + ([rest.removesuffix(b"\r")] if rest else [])
    assert split(data, cuts, limit=10_000) == expected


@given(st.lists(st.integers(0, 40)))
def test_a_line_over_the_limit_is_refused_wherever_it_is_cut(cuts: list[int]) -> None:
    data = b"1234567890\n12345678901\n1234567890\r\n1234567890123\r\nend"
    assert split(data, cuts, limit=10) == [b"1234567890", OversizedLine(11), b"1234567890", OversizedLine(14), b"end"]


def test_a_line_over_the_limit_is_not_kept() -> None:
    splitter = LineSplitter(limit=1000)
    for _ in range(10_000):
        assert list(splitter.feed(b"x" * 100)) == []
        assert sum(map(len, splitter._parts)) <= 1001
    assert list(splitter.feed(b"\nnext\n")) == [OversizedLine(1_000_000), b"next"]
