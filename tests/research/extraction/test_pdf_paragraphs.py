"""Printed lines made into paragraphs."""

from __future__ import annotations

import pytest

from oryn.research.extraction.pdf_paragraphs import paragraphs

FULL = "A line that is as long as lines of this paper usually are, or nearly so, or a little"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([FULL, "more than that."], [f"{FULL} more than that."]),
        ([FULL, "The End."], [f"{FULL} The End."]),
        (["Short.", FULL, "Then."], ["Short.", f"{FULL} Then."]),
        ([f"{FULL} hyphen-", "ated words."], [f"{FULL} hyphenated words."]),
        ([f"{FULL} Anglo-", "American ones."], [f"{FULL} Anglo-American ones."]),
        ([FULL, "• one thing", "• another"], [FULL, "• one thing", "• another"]),
        ([FULL, "1. First", "2) Second"], [FULL, "1. First", "2) Second"]),
        ([FULL, "", FULL], [FULL, FULL]),
        (["A Title", FULL], ["A Title", FULL]),
        (["eﬃcient ﬁre", ""], ["efficient fire"]),
        ([], []),
        (["", "  "], []),
    ],
)
def test_lines(lines: list[str], expected: list[str]) -> None:
    assert paragraphs(["\n".join(lines)]) == expected


def test_a_paragraph_goes_on_over_a_page() -> None:
    assert paragraphs([f"{FULL}\n{FULL}", "goes on here."]) == [f"{FULL} {FULL} goes on here."]


def test_numbers_of_pages_in_the_text_stay() -> None:
    page = "\n".join(["Top line of it", "Another line of it", FULL, "12", FULL, "Some line.", "Last line."])
    assert "12" in "\n".join(paragraphs([page]))


def test_heads_need_three_pages() -> None:
    page = f"The same head\n{FULL}\n{FULL}\n{FULL}\n{FULL}"
    assert "The same head" in "\n".join(paragraphs([page, page]))
