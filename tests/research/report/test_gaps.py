"""A report says first what it could not find, and counts what it cites."""

from __future__ import annotations

from oryn.research.documents import LeftOut, Passage
from oryn.research.report import Report
from oryn.research.report.report import build_report
from oryn.research.report.summary import Sentence

HERON = "The Heron Bridge has 388 m."
CITED = Passage("a", "https://a.example/", "Bridges", HERON, end=len(HERON))
UNCITED = Passage("b", "https://b.example/", "Ferries", "Ferries cross the river.", end=24)


def report(topic: str, *left_out: LeftOut) -> Report:
    summary = [Sentence(HERON, "a", 0, len(HERON))]
    return build_report(topic, summary, [CITED, UNCITED], [CITED, UNCITED], {}, left_out=left_out)


def test_a_name_that_nothing_mentions_stands_before_the_summary() -> None:
    made = report("Is the Heron Bridge longer than the Kestrel Bridge?")
    assert made.not_found == ("Kestrel Bridge",)
    gap = "Not found: nothing that is cited here mentions “Kestrel Bridge”."
    assert 0 < made.markdown.index(gap) < made.markdown.index(HERON)
    assert 0 < made.html.index(gap) < made.html.index(f"<p>{HERON}")


def test_pages_and_searches_that_failed_are_said_first() -> None:
    made = report(
        "Heron Bridge",
        LeftOut("FETCH_FAILED", "status 503", "https://down.example/"),
        LeftOut("SEARCH_REFUSED", "duckduckgo refused the search"),
    )
    assert made.gaps == (
        "Not read: 1 page, listed under “Left out”.",
        "Not searched: duckduckgo refused the search.",
    )


def test_nothing_is_missing() -> None:
    made = report("How long is the Heron Bridge?")
    assert made.gaps == ()
    assert "Not " not in made.markdown


def test_counts_are_of_what_is_cited() -> None:
    made = report("Heron Bridge")
    assert [each.url for each in made.sources] == [CITED.url, UNCITED.url]
    assert made.cited == made.counts["cited"] == 1
    assert "1 sentence from 1 source, 2 passages shown" in made.html
