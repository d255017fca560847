"""What pages say to crawlers."""

from __future__ import annotations

import pytest

from oryn.research.crawling.links import MAX_LINKS, page_directives
from tests.research.crawling.memory_web import page

AT = "http://example.org/a/b"


def links(html: str) -> tuple[str, ...]:
    return page_directives(page(AT, html), "oryn").links


def test_links_come_tidy_and_once_in_their_order() -> None:
    html = "<a href=c>1</a><a href='/d#x'>2</a><area href=c?utm_source=z><a href=' /d '>3</a><a name=x><a href=#y>"
    assert links(html) == ("http://example.org/a/c", "http://example.org/d")


def test_other_ways_to_link() -> None:
    html = (
        "<link rel=next href=/2><link rel=canonical href=/b><link rel=stylesheet href=/s.css>"
        "<iframe src=/frame></iframe><meta http-equiv=refresh content='5; URL=/later'>"
    )
    assert set(links(html)) == {f"http://example.org/{each}" for each in ("2", "b", "frame", "later")}


def test_a_base_counts() -> None:
    assert links("<base href='/else/'><a href=x>") == ("http://example.org/else/x",)
    assert links("<base href='mailto:x'><a href=x>") == ("http://example.org/a/x",)


def test_what_no_crawler_is_to_follow() -> None:
    assert links("<a rel='nofollow noopener' href=/no><a href=/yes>") == ("http://example.org/yes",)
    assert links("<a href=javascript:x><a href=mailto:a@b.c><a href='http://[bad'>") == ()


@pytest.mark.parametrize(
    ("html", "headers", "follow", "index"),
    [
        ("<p>x", {}, True, True),
        ("<meta name=robots content='NoIndex,follow'>", {}, True, False),
        ("<meta name=ROBOTS content=nofollow>", {}, False, True),
        ("<meta name=robots content=none>", {}, False, False),
        ("<meta name=oryn content=noindex>", {}, True, False),
        ("<meta name=googlebot content=noindex>", {}, True, True),
        ("<p>x", {"X-Robots-Tag": "noindex, nofollow"}, False, False),
        ("<p>x", {"x-robots-tag": "Oryn: noindex"}, True, False),
        ("<p>x", {"x-robots-tag": "googlebot: noindex"}, True, True),
        ("<p>x", {"x-robots-tag": "nofollow, unavailable_after: 25 Jun 2030"}, False, True),
    ],
)
def test_robots_tags(html: str, headers: dict[str, str], follow: bool, index: bool) -> None:
    said = page_directives(page(AT, html, headers=headers), "oryn")
    assert (said.follow, said.index) == (follow, index)


def test_feeds() -> None:
    html = (
        "<link rel=alternate type=application/rss+xml href=/rss>"
        "<link rel='alternate' type='application/atom+xml' href=/atom>"
        "<link rel=alternate type=application/feed+json href=/json><link rel=alternate hreflang=de href=/de>"
    )
    assert page_directives(page(AT, html), "oryn").feeds == tuple(
        f"http://example.org/{each}" for each in ("rss", "atom", "json")
    )


def test_other_documents_than_html_have_no_links() -> None:
    assert page_directives(page(AT, "<a href=/x>", content_type="text/plain"), "oryn").links == ()
    assert links("") == () == links("\0\x01")


def test_a_page_has_no_more_than_so_many() -> None:
    assert len(links("".join(f"<a href=/{each}>" for each in range(MAX_LINKS + 9)))) == MAX_LINKS
