"""Sitemaps and feeds."""

from __future__ import annotations

import gzip

import pytest

from oryn.research.crawling import sitemap_parser
from oryn.research.crawling.sitemap_parser import Listing, gunzip, parse_listing

AT = "http://example.org/sitemap.xml"
A, B = "http://example.org/a", "http://example.org/b"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


@pytest.mark.parametrize(
    "body",
    [
        f"<?xml version='1.0'?><urlset xmlns='{NAMESPACE}'><url><loc> {A} </loc><lastmod>2026</lastmod></url>"
        f"<url><loc>{B}#x</loc></url><url><loc>{A}</loc></url></urlset>",
        f"\n\ufeff<urlset><url><loc>{A}</loc></url><url><loc>/b</loc></url></urlset>",
        f"<urlset><url><loc>{A}</loc></url><url><loc>{B}</loc></url><url><loc",
        f"{A}\n\n  {B}\nnothing\n",
        f"<rss version='2.0'><channel><link>http://example.org/</link><item><link>{A}</link></item>"
        f"<item><title>&amp;</title><link>{B}</link></item></channel></rss>",
        f"<feed xmlns='http://www.w3.org/2005/Atom'><link href='http://example.org/'/><entry><link href='{A}'/>"
        f"<link rel='edit' href='/edit'/></entry><entry><link rel='alternate' href='b'/></entry></feed>",
        f'{{"version": "1.1", "items": [{{"url": "{A}"}}, {{"id": "1"}}, {{"url": "{B}"}}]}}',
    ],
    ids=["sitemap", "bare sitemap", "broken sitemap", "text", "rss", "atom", "json"],
)
def test_pages_are_listed(body: str) -> None:
    assert parse_listing(body.encode(), AT) == Listing(pages=(A, B))
    assert parse_listing(gzip.compress(body.encode()), AT) == Listing(pages=(A, B))


def test_sitemaps_are_listed() -> None:
    entries = f"<sitemap><loc>{A}</loc></sitemap><sitemap><loc>{B}</loc></sitemap>"
    body = f"<sitemapindex xmlns='{NAMESPACE}'>{entries}</sitemapindex>"
    assert parse_listing(body.encode(), AT) == Listing(sitemaps=(A, B))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body><a href='/x'>not here</a>",
        b"{",
        b'{"items": 3}',
        b'{"items": [1]}',
        b"\x1f\x8bnot gzip",
        b"<",
        b"\xff\xfe",
    ],
)
def test_what_lists_nothing(body: bytes) -> None:
    assert parse_listing(body, AT) == Listing()


def test_entities_are_not_followed() -> None:
    body = f"<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><urlset><url><loc>&e;</loc></url><url><loc>{A}</loc></url></urlset>"
    assert parse_listing(body.encode(), AT).pages == (A,)


def test_no_more_is_taken_than_the_protocol_lets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap_parser, "MAX_URLS", 3)
    monkeypatch.setattr(sitemap_parser, "MAX_BYTES", 1000)
    body = "".join(f"<url><loc>http://example.org/{each}</loc></url>" for each in range(9))
    assert len(parse_listing(f"<urlset>{body}</urlset>".encode(), AT).pages) == 3
    assert len(gunzip(gzip.compress(bytes(5000)))) == 1000


def test_the_links_of_llms_txt() -> None:
    text = b"# Norr\n\n> Bridges.\n\n- [Heron](/heron.md): the long one\n- [Kestrel](https://k.example/a b)\n"
    assert parse_listing(text, "http://example.org/llms.txt").pages == ("http://example.org/heron.md",)
