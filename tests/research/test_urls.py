"""When two URLs are one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.research.urls import domain_of, host_of, normalize_url, origin_of, parameters, url_digest, url_key


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("https://example.org:443/a#part", "https://example.org/a"),
        ("http://example.org:80", "http://example.org/"),
        ("http://example.org:8080/", "http://example.org:8080/"),
        ("http://example.org./a", "http://example.org/a"),
        ("http://user:secret@example.org/", "http://example.org/"),
        ("http://example.org/a/./b/../c", "http://example.org/a/c"),
        ("http://example.org/a/b/..", "http://example.org/a/"),
        ("http://example.org/../../x", "http://example.org/x"),
        ("http://example.org/%7euser/%e2%82%ac", "http://example.org/~user/%E2%82%AC"),
        ("http://example.org/größe?q=ü b", "http://example.org/gr%C3%B6%C3%9Fe?q=%C3%BC%20b"),
        ("http://example.org/100%", "http://example.org/100%25"),
        ("http://example.org\\a\\b", ""),
        ("http://example.org/a\\b", "http://example.org/a/b"),
        ("  http://exam\nple.org/a\tb ", "http://example.org/ab"),
        ("http://müller.example/", "http://xn--mller-kva.example/"),
        ("http://[2001:db8::1]:80/", "http://[2001:db8::1]/"),
        ("http://example.org/?utm_source=a&id=3&fbclid=b", "http://example.org/?id=3"),
        ("http://example.org/a;jsessionid=12AB?x=1", "http://example.org/a?x=1"),
        ("http://example.org/?PHPSESSID=abc&sid=0123456789abcdef0123", "http://example.org/"),
        ("http://example.org/?sid=7&session=2", "http://example.org/?sid=7&session=2"),
        ("http://example.org/?", "http://example.org/"),
        ("http://example.org/?b=2&a=1", "http://example.org/?b=2&a=1"),
    ],
)
def test_url_is_normalized(url: str, asked: str) -> None:
    assert normalize_url(url) == asked


@pytest.mark.parametrize(
    "url",
    ["", "mailto:a@b.c", "javascript:alert(1)", "ftp://example.org/", "http://", "http://[::bad", "http://a:99999/",
     "http:///path", "data:text/html,x", "http://a b/", "/relative", "http://xn--\N{SNOWMAN}/"],
)  # fmt: skip
def test_invalid_web_url_has_no_normal_form(url: str) -> None:
    assert normalize_url(url) == ""


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("b", "http://example.org/a/b"),
        ("../c?x=1#y", "http://example.org/c?x=1"),
        ("//other.example/d", "http://other.example/d"),
        ("?page=2", "http://example.org/a/index?page=2"),
        ("https://example.org/", "https://example.org/"),
    ],
)
def test_links_are_read_from_their_page(link: str, url: str) -> None:
    assert normalize_url(link, "http://example.org/a/index?q=1") == url


def test_the_order_of_parameters_does_not_count() -> None:
    assert (
        url_key("http://example.org/?b=2&a=1")
        == url_key("http://example.org/?a=1&b=2")
        == "http://example.org/?a=1&b=2"
    )
    assert url_digest("http://example.org/?b=2&a=1") == url_digest("http://example.org/?a=1&b=2")
    assert (
        len({url_digest(f"http{s}://{w}example.org/{a}") for s in ("", "s") for w in ("", "www.") for a in "aA"}) == 8
    )


def test_host_origin_and_domain_of_a_url() -> None:
    assert host_of("https://example.org:8443/a") == "example.org:8443"
    assert origin_of("https://example.org:8443/a?b") == "https://example.org:8443"
    assert domain_of("www.shop.example.co.uk:8080") == "example.co.uk"
    assert domain_of("somebody.github.io") == "somebody.github.io"
    assert domain_of("127.0.0.1:80") == "127.0.0.1"
    assert domain_of("localhost") == "localhost"
    assert domain_of("[::1]:8000") == "::1"
    assert parameters("http://a/?b=1&a=2&b=3&c") == ["a", "b", "c"]


@given(st.text(alphabet="abcA/.%?&=#:;äb 2eE~\\[]@", max_size=40))
def test_normalization_is_idempotent(rest: str) -> None:
    once = normalize_url(f"http://example.org/{rest}")
    assert normalize_url(once) == once
    assert normalize_url(rest, "http://example.org/a/b") == normalize_url(normalize_url(rest, "http://example.org/a/b"))
