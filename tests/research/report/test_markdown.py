"""A report as Markdown: exact text, and nothing that a page says is more than words."""

from __future__ import annotations

from pathlib import Path

import pytest

from oryn.research.report import Report
from oryn.research.report.markdown import escaped, render_markdown
from tests.research.report.example import example

EXPECTED = (Path(__file__).parent / "example.md").read_text("utf-8")


def test_a_report_as_markdown() -> None:
    assert render_markdown(example()) == EXPECTED
    assert example().markdown == EXPECTED


def test_nothing_is_left_out_without_a_word_of_it() -> None:
    report: Report = example().replace(left_out=())
    assert "Left out" not in report.markdown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- no item", "\\- no item"),
        ("-5 degrees", "-5 degrees"),
        ("---", "\\---"),
        ("127.0.0.1", "127.0.0.1"),
        ("+ no item", "\\+ no item"),
        ("12) no item", "12\\) no item"),
        ("3. no item", "3\\. no item"),
        ("3.5 mm", "3.5 mm"),
        ("=====", "\\====="),
        ("# no heading", "\\# no heading"),
        ("a_b*c", "a\\_b\\*c"),
        ("one\n two", "one two"),
        ("$x$ ~~y~~ | z", "\\$x\\$ \\~\\~y\\~\\~ \\| z"),
        ("![p](x)", "\\!\\[p\\](x)"),
        ("&amp; &lt;", "\\&amp; \\&lt;"),
    ],
)
def test_words_are_only_words(text: str, words: str) -> None:
    assert escaped(text) == words
