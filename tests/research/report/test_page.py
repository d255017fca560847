"""A report as a page: every sentence leads to its passage, that to its page, and nothing that is said does anything."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html

from oryn.research.report import Report
from oryn.research.report.html import render_html
from tests.research.report.example import EVIL, example


@pytest.fixture
def document() -> html.HtmlElement:
    return html.document_fromstring(render_html(example()).encode(), parser=html.HTMLParser(encoding="utf-8"))


def test_every_sentence_leads_to_its_place_in_its_passage(document: html.HtmlElement) -> None:
    report = example()
    shown = document.xpath("//main/section[1]/p")
    assert len(shown) == len(report.sentences)
    for paragraph, sentence in zip(shown, report.sentences, strict=True):
        number = paragraph.xpath(".//a[@class='number']")[0]
        assert number.text == str(sentence.source)
        [mark] = document.xpath("//mark[@id=$id]", id=number.get("href").removeprefix("#"))
        assert mark.text == sentence.text
        assert mark.xpath("ancestor::article/@id") == [f"passage-{sentence.passage}"]


def test_a_passage_leads_to_where_it_stands(document: html.HtmlElement) -> None:
    report = example()
    for passage in report.passages[:2]:
        [article] = document.xpath("//article[@id=$id]", id=f"passage-{passage.id}")
        words = "".join(article.xpath("blockquote")[0].itertext()).replace(" ↗", "")
        assert words == passage.text
        places = [a.get("href") for a in article.xpath(".//a") if a.text.endswith("↗")]
        assert places
        for place in places:
            address, _, fragment = place.partition("#:~:text=")
            assert address == passage.url
            assert all(unquote(part) in " ".join(passage.text.split()) for part in fragment.split(","))


def test_sources_are_numbered_and_lead_to_their_passages(document: html.HtmlElement) -> None:
    items = document.xpath("//ol/li")
    assert [(item.get("id"), item.get("value")) for item in items] == [
        ("source-1", "1"),
        ("source-2", "2"),
        ("source-3", "3"),
    ]
    assert items[0].xpath("b/a/@href") == ["https://botany.example/ferns?x=1&y=(2)"]
    assert [span.text for span in items[0].xpath(".//span")] == [
        "botany.example",
        "Botany",
        "by Ada",
        "2026-03-01",
        "found by duckduckgo",
    ]
    assert items[0].xpath("small/a/@href") == ["#passage-a1"]
    assert items[1].xpath(".//span/text()")[-1] == "read with a browser (an empty root)"


def test_links_of_the_page_lead_somewhere(document: html.HtmlElement) -> None:
    for link in document.xpath("//a/@href"):
        if link.startswith("#"):
            assert len(document.xpath("//*[@id=$id]", id=link[1:])) == 1
        else:
            assert urlsplit(link).scheme in ("http", "https")


def test_page_text_is_escaped_in_the_report(document: html.HtmlElement) -> None:
    assert not document.xpath("//script | //img | //iframe | //form | //@onclick | //@style")
    assert "".join(document.xpath("//article[@id='passage-c1']/blockquote")[0].itertext()) == EVIL
    assert (
        document.xpath("//article[@id='passage-c1']//h3")[0].text_content().strip() == '3 "><script>alert(4)</script>'
    )
    assert document.xpath("//title/text()") == ["How do ferns <reproduce>?"]


def test_the_policy_lets_in_the_style_alone(document: html.HtmlElement) -> None:
    [policy] = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    [style] = document.xpath("//style/text()")
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"
    assert not re.search(r"url\(|@import", style)


def test_report_lists_left_out_pages(document: html.HtmlElement) -> None:
    items = [item.text_content() for item in document.xpath("//main/section[last()]/ul/li")]
    assert items == [
        "https://down.example/ answered with status 503",
        "https://bad.example/: there is no text",
        "duckduckgo refused the search",
    ]
    report: Report = example().replace(left_out=())
    assert "Left out" not in report.html


def test_the_page_says_what_it_rests_on(document: html.HtmlElement) -> None:
    assert document.xpath("//header/p/text()") == [
        "Research",
        "3 sentences from 3 sources, 3 pages read, 3 passages shown",
    ]
    assert document.xpath("//footer/text()") == [
        "Made by Oryn at 2026-11-22T15:00:00Z. Its sentences are quotations of the sources; they were ranked with "
        "the embedding model af31af31af31."
    ]
