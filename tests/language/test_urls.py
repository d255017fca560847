"""URLs as people write them."""

from __future__ import annotations

import pytest

from oryn.errors import InvalidValue
from oryn.language import Goto, parse, resolve_url
from oryn.language.kinds.text import complete_url

COMPLETED = {
    "example.com": "https://example.com",
    "example.com:8080/a?b#c": "https://example.com:8080/a?b#c",
    "HTTP://a.org": "HTTP://a.org",
    "about:blank": "about:blank",
    "data:text/html,x": "data:text/html,x",
    "blob:https://a.org/1": "blob:https://a.org/1",
    "file:///tmp/a": "file:///tmp/a",
    "chrome://version": "chrome://version",
    "localhost": "http://localhost",
    "LOCALHOST:3000/a": "http://LOCALHOST:3000/a",
    "localhost.example.com": "https://localhost.example.com",
    "127.0.0.1": "http://127.0.0.1",
    "127.9.8.7:80?a": "http://127.9.8.7:80?a",
    "127.0.0.1.example.com": "https://127.0.0.1.example.com",
    "ann@localhost/a": "http://ann@localhost/a",
    "[::1]:80": "http://[::1]:80",
    "[::2]": "https://[::2]",
    "/a": "/a",
    "?a": "?a",
    "./a": "./a",
    "../a": "../a",
    "'#a'": "#a",
    "'  a.org '": "https://a.org",
}


@pytest.mark.parametrize(("written", "url"), COMPLETED.items())
def test_the_scheme_is_completed(written: str, url: str) -> None:
    line = parse(f"goto {written}")
    assert line.command == Goto(url)
    assert written.strip("'") in line.canonical


def test_an_option_that_does_not_exist_is_no_host() -> None:
    with pytest.raises(InvalidValue, match='not a URL: "--max-pages"'):
        complete_url("--max-pages")


@pytest.mark.parametrize("url", ["javascript:alert(1)", "JavaScript:x", r"'java\nscript:x'", "'\x01javascript:x'"])
def test_javascript_is_refused(url: str) -> None:
    with pytest.raises(InvalidValue, match="refused"):
        parse(f"goto {url}")


@pytest.mark.parametrize(
    ("url", "base", "resolved"),
    [
        ("/a", "https://x.org/b/c?d", "https://x.org/a"),
        ("?a", "https://x.org/b/c?d", "https://x.org/b/c?a"),
        ("./a", "https://x.org/b/c", "https://x.org/b/a"),
        ("../a", "https://x.org/b/c/d", "https://x.org/b/a"),
        ("#a", "https://x.org/b", "https://x.org/b#a"),
        ("//y.org/a", "https://x.org/b", "https://y.org/a"),
        ("https://y.org", "about:blank", "https://y.org"),
    ],
)
def test_relative_urls_are_resolved(url: str, base: str, resolved: str) -> None:
    assert resolve_url(url, base) == resolved


@pytest.mark.parametrize(("url", "base"), [("/a", "about:blank"), ("//[x", "https://a.org"), ("?a", "data:,")])
def test_unresolvable_url_is_an_error(url: str, base: str) -> None:
    with pytest.raises(InvalidValue):
        resolve_url(url, base)
