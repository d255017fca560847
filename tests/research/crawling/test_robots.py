"""What one robots.txt says."""

from __future__ import annotations

import pytest

from oryn.research.crawling.robots import MAX_ROBOTS_BYTES, RobotsRules

ORIGIN = "http://example.org"


@pytest.mark.parametrize(
    ("file", "pause"),
    [
        ("", 0),
        ("User-agent: *\nCrawl-delay: 2.5", 2.5),
        ("User-agent: *\nCrawl-delay: 9\n\nUser-agent: Oryn\nCrawl-delay: 3", 3),
        ("User-agent: *\nRequest-rate: 2/10s", 5),
        ("User-agent: *\nRequest-rate: 1/1m\nCrawl-delay: 5", 60),
        ("User-agent: *\nCrawl-delay: soon", 0),
        ("User-agent: *\nCrawl-delay: -5", 0),
        ("User-agent: other\nCrawl-delay: 7", 0),
    ],
)
def test_pauses(file: str, pause: float) -> None:
    assert RobotsRules.of(file.encode(), "oryn", ORIGIN).pause == pause


def test_a_file_may_be_anything() -> None:
    for body in (b"", b"\xff\xfe\x00", b"<html><body>Not here</body></html>", b"Disallow: /", b"User-agent: *\nAllow"):
        assert RobotsRules.of(body, "oryn", ORIGIN).allow(f"{ORIGIN}/a")


def test_marks_capitals_and_ends_of_patterns() -> None:
    rules = RobotsRules.of(
        b"\xef\xbb\xbfUSER-AGENT: *\r\nDISALLOW: /*.cgi$\r\nDisallow: /a\r\nAllow: /a/b", "oryn", ORIGIN
    )
    allowed = {"/x.cgi": False, "/x.cgi?y": True, "/a": False, "/abc": False, "/a/b/c": True, "/A": True}
    assert {path: rules.allow(ORIGIN + path) for path in allowed} == allowed


def test_rules_beyond_the_size_limit_are_ignored() -> None:
    body = b"User-agent: *\nDisallow: /a\n" + b"#" * MAX_ROBOTS_BYTES + b"\nDisallow: /b\n"
    rules = RobotsRules.of(body, "oryn", ORIGIN)
    assert not rules.allow(f"{ORIGIN}/a") and rules.allow(f"{ORIGIN}/b")


def test_sitemaps_are_tidy() -> None:
    rules = RobotsRules.of(
        b"Sitemap: HTTP://EXAMPLE.org:80/x.xml#y\nSitemap: /rel.xml\nSitemap: mailto:a@b", "oryn", ORIGIN
    )
    assert rules.sitemaps == (f"{ORIGIN}/x.xml", f"{ORIGIN}/rel.xml")
