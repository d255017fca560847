"""A report with all that one can have, and what pages may try in it."""

from __future__ import annotations

from oryn.research.documents import LeftOut, Passage
from oryn.research.report import Report, ReportSource, ReportStatement

SPORES = (
    "Reproduction\nFerns have no flowers. Spores form in sori below the fronds – up to 30 million a plant. "
    "When they fall on moist ground, each grows into a prothallus."
)
COPY = "News\nSpores form in sori below the fronds – up to 30 million a plant."
EVIL = "<script>alert(1)</script> & [a link](javascript:alert(2)) *bold* `code`\n# Heading\n1. First</blockquote>"


def statement(text: str, source: int, passage: Passage, also: tuple[int, ...] = ()) -> ReportStatement:
    begin = passage.text.index(text)
    return ReportStatement(text, source, passage.id, begin, begin + len(text), also)


def example() -> Report:
    spores = Passage("a1", "https://botany.example/ferns?x=1&y=(2)", "Ferns & spores", SPORES, date="2026-03-01")
    copy = Passage("b1", "https://news.example/", "News <b>", COPY)
    evil = Passage("c1", "javascript:alert(3)", '"><script>alert(4)</script>', EVIL)
    return Report(
        topic="How do ferns <reproduce>?",
        sentences=(
            statement("Spores form in sori below the fronds – up to 30 million a plant.", 1, spores, (2,)),
            statement("When they fall on moist ground, each grows into a prothallus.", 1, spores),
            statement("<script>alert(1)</script> & [a link](javascript:alert(2)) *bold* `code`", 3, evil),
        ),
        sources=(
            ReportSource(
                1, spores.url, spores.title, "2026-03-01", "Ada", "Botany", "en", "duckduckgo", passages=("a1",)
            ),
            ReportSource(
                2, copy.url, copy.title, found_by="link", source="browser", why="an empty root", passages=("b1",)
            ),
            ReportSource(3, evil.url, evil.title, passages=("c1",)),
        ),
        passages=(spores, copy, evil),
        left_out=(
            LeftOut("FETCH_FAILED", "https://down.example/ answered with status 503", "https://down.example/"),
            LeftOut("NO_TEXT", "there is no text", "https://bad.example/"),
            LeftOut("SEARCH_REFUSED", "duckduckgo refused the search"),
        ),
        collection="passages",
        model="af31" * 16,
        made_at="2026-11-22T15:00:00Z",
        seconds={"crawl": 1.5},
        counts={"pages": 3, "left_out": 2},
    )
