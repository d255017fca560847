"""States of other programs: Playwright's, Netscape's cookie files, and curl commands."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from oryn.browsers.base import Cookie
from oryn.engine.state.foreign_state import _shell_words, read_foreign, write_playwright
from oryn.engine.state.state_file import OriginState, SavedState, encode
from oryn.errors import FileError

NOW = "2026-11-26T02:30:00Z"
PLAYWRIGHT: dict[str, Any] = {
    "cookies": [
        {
            "name": "id", "value": "1", "domain": ".example.org", "path": "/", "expires": 1.8e9, "httpOnly": True,
            "secure": True, "sameSite": "None",
        },
        {
            "name": "theme", "value": "dark", "domain": "example.org", "path": "/a", "expires": -1, "httpOnly": False,
            "secure": False, "sameSite": "Lax",
        },
    ],
    "origins": [{"origin": "https://example.org", "localStorage": [{"name": "lang", "value": "en"}]}],
}  # fmt: skip
STATE = SavedState(
    NOW,
    None,
    [
        Cookie("id", "1", ".example.org", "/", 1.8e9, True, True, "None"),
        Cookie("theme", "dark", "example.org", "/a", same_site="Lax"),
    ],
    [OriginState("https://example.org", {"lang": "en"})],
)
NETSCAPE = """# Netscape HTTP Cookie File
# https://curl.se/docs/http-cookies.html

.example.org\tTRUE\t/\tTRUE\t1800000000\tid\t1
#HttpOnly_example.org\tFALSE\t/a\tFALSE\t0\ttheme\tdark
"""


def read(text: str) -> SavedState | None:
    return read_foreign(text.encode(), NOW)


def test_playwrights_storage_state_is_read_and_written() -> None:
    assert read(json.dumps(PLAYWRIGHT)) == STATE
    assert json.loads(write_playwright(STATE)) == PLAYWRIGHT


def test_what_playwright_can_not_hold_is_left_out() -> None:
    more = SavedState(
        NOW, None, [Cookie("p", "1", "a.org", partition=("https://b.org", True))], [OriginState("https://a.org", {})]
    )
    assert json.loads(write_playwright(more)) == {"cookies": [], "origins": []}


def test_a_netscape_cookie_file() -> None:
    state = read(NETSCAPE)
    assert state is not None and state.origins is None
    assert state.cookies == [
        Cookie("id", "1", ".example.org", "/", 1.8e9, True),
        Cookie("theme", "dark", "example.org", "/a", http_only=True),
    ]


@pytest.mark.parametrize(
    "command",
    [
        "curl 'https://example.org/cart?x=1' -H 'Accept: */*' -H 'Cookie: id=1; theme=a=b'",
        "curl 'https://example.org/cart' \\\n  -H 'accept: */*' \\\n  -b 'id=1; theme=a=b' --compressed",
    ],
)
def test_a_curl_command(command: str) -> None:
    state = read(command)
    assert state is not None and state.origins is None
    assert state.cookies == [
        Cookie("id", "1", "example.org", secure=True),
        Cookie("theme", "a=b", "example.org", secure=True),
    ]


@pytest.mark.parametrize(
    "content", [encode(STATE), b"{", b"[]", b"{}", b"", b"\xff", b"one\ttwo", b"hello\n", b'{"cookies": []}']
)
def test_what_is_of_no_such_format(content: bytes) -> None:
    """Among them our own files, which have a version."""
    assert read_foreign(content, NOW) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"cookies": 5, "origins": []}', "not a list"),
        ('{"cookies": [5], "origins": []}', "is not an object"),
        ('{"cookies": [{"name": "a"}], "origins": []}', "domain is not a string"),
        ('{"cookies": [], "origins": [{"origin": "about:blank", "localStorage": []}]}', "is not an origin"),
        ('{"cookies": [], "origins": [{"origin": "https://a.org", "localStorage": [{"name": "a"}]}]}', "localStorage"),
        ("a.org\tTRUE\t/\tTRUE\tsoon\tid\t1", "is not a cookie"),
        ("curl 'https://a.org", "quote"),
        ("curl https://a.org", "no cookies"),
    ],
)
def test_what_is_damaged_says_where(text: str, told: str) -> None:
    with pytest.raises(FileError, match=told):
        read(text)


def test_the_time_of_a_cookie_has_an_end() -> None:
    with pytest.raises(FileError, match="a line of it is not a cookie"):
        read(f"example.org\tFALSE\t/\tFALSE\t{'9' * 5_000}\tid\t1\n")


@pytest.mark.parametrize(
    "words",
    ["a b", "'a b'c", '"a \\"b\\" \\c"', "a\\ b", "'' \"\"", "$'x'", "--data-raw '{\"a\": 1}' \\\\", " a\t'b\n' "],
)
def test_words_of_a_command_are_those_of_a_shell(words: str) -> None:
    assert list(_shell_words(words)) == shlex.split(words)


@pytest.mark.parametrize("words", ["'a", '"a', '"a\\"', "a\\"])
def test_a_quote_that_does_not_end(words: str) -> None:
    with pytest.raises(FileError, match="a quote that does not end"):
        list(_shell_words(words))
