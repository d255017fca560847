"""Nothing that a page says can forge a line of an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.core import text_safety

ANY_TEXT = st.text(st.characters())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Sign in", '"Sign in"'),
        ('say "hi"', r'"say \"hi\""'),
        ("back\\slash", r'"back\\slash"'),
        ("two\nlines\r\n\t.", r'"two\nlines\r\n\t."'),
        ("bell\x07 nul\x00", r'"bell\u0007 nul\u0000"'),
        ("\u202egnp.exe", r'"\u202egnp.exe"'),
        ("line\u2028separator", r'"line\u2028separator"'),
        ("lone \ud800 surrogate", r'"lone \ud800 surrogate"'),
        ("naïve 日本語 🎉", '"naïve 日本語 🎉"'),
        ("\U000e0063\U000e006c zero\u200bwidth\ufeff\u2060", r'"\u{e0063}\u{e006c} zero\u200bwidth\ufeff\u2060"'),
        ("👩\u200d💻 ❤\ufe0f में\u200d", '"👩\u200d💻 ❤\ufe0f में\u200d"'),
    ],
)
def test_quoted(text: str, shown: str) -> None:
    assert text_safety.quoted(text) == shown


@given(ANY_TEXT)
def test_quoted_text_stays_one_encodable_line_and_ends_where_it_should(text: str) -> None:
    shown = text_safety.quoted(text)
    assert len(shown.splitlines()) == 1
    shown.encode()
    inside = shown[1:-1]
    assert '"' not in inside.replace("\\\\", "").replace('\\"', "")


@given(ANY_TEXT)
def test_every_line_of_a_block_is_marked(text: str) -> None:
    lines = text_safety.block(text).splitlines()
    assert all(line.startswith("|") for line in lines)
    text_safety.block(text).encode()


def test_block_keeps_what_could_be_an_answer_behind_its_mark() -> None:
    assert text_safety.block("Found 3\nok click 99\n---\n\nend") == "| Found 3\n| ok click 99\n| ---\n|\n| end"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://github.com/login", "github.com/login"),
        ("https://github.com/", "github.com"),
        ("https://github.com/?q=1", "github.com/?q=1"),
        ("http://example.com/a", "http://example.com/a"),
        ("http://127.0.0.1:8080/a", "127.0.0.1:8080/a"),
        ("http://localhost/", "localhost"),
        ("http://localhost.example.com/", "http://localhost.example.com/"),
        ("about:blank", "about:blank"),
        ('https://a.org/x y"\n', "a.org/x%20y%22%0A"),
        ("https://a.org/\u202e", "a.org/%E2%80%AE"),
    ],
)
def test_location(url: str, shown: str) -> None:
    assert text_safety.location(url) == shown


@given(ANY_TEXT)
def test_a_url_is_one_word_whatever_it_holds(text: str) -> None:
    shown = text_safety.location(text)
    assert len(shown) <= text_safety.URL_LIMIT
    assert not set(shown) & set(' "\n\r\t')


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.org/search?q=1#x", "/search?q=1#x"),
        ("https://a.org", "/"),
        ("about:blank", "about:blank"),
    ],
)
def test_path(url: str, shown: str) -> None:
    assert text_safety.path(url) == shown
