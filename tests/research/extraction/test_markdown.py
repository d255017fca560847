"""Markdown has the words of the text, and what a page says stays words in it."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from oryn.research.extraction import article_of
from oryn.research.extraction.blocks import Block, TextRun
from oryn.research.extraction.markdown import markdown_of, text_of, with_title

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def paragraph(*runs: TextRun) -> Block:
    return Block("paragraph", runs)


def test_every_kind_of_block() -> None:
    page = (
        "<article><p>The harbour <b>froze</b> over on <i>Tuesday</i>, as <a href='/a b(1)'>the port</a> said at noon that day.</p>"
        "<h2>Before you go</h2><ul><li>Keep away.<ol><li>From the lane.</li><li>From the pier.</li></ol></li><li>Take a rope.</li></ul>"
        "<blockquote><p>We walked to the lighthouse.</p></blockquote><pre>pier --open 3\n  now</pre>"
        "<table><tr><th>Day</th><th>Ice|cm</th></tr><tr><td>Monday</td><td>7</td></tr></table>"
        "<p>Forecasters expect the frost to last until the weekend, when wind from the south should bring rain.</p></article>"
    )  # fmt: skip
    found = article_of(page, "https://linden.example/x")
    assert found.markdown == (
        "The harbour **froze** over on *Tuesday*, as [the port](https://linden.example/a%20b%281%29) said at noon that day.\n\n"
        "## Before you go\n\n- Keep away.\n  1. From the lane.\n  2. From the pier.\n- Take a rope.\n\n"
        "> We walked to the lighthouse.\n\n```\npier --open 3\n  now\n```\n\n"
        "| Day | Ice\\|cm |\n| --- | --- |\n| Monday | 7 |\n\n"
        "Forecasters expect the frost to last until the weekend, when wind from the south should bring rain."
    )
    assert found.text.split("\n")[1:6] == [
        "Before you go", "Keep away.", "From the lane.", "From the pier.", "Take a rope.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        "# no heading", "####### seven", "- no item", "+ no item", "1. no item", "12) no item", "> no quote", "=====", "---", "***",
        "```", "~~~ fence", "*no emphasis*", "__no emphasis__", "`no code`", "[no link](https://x.example)", "![no picture](https://x.example)",
        "[no]: https://x.example", "<b>no markup</b>", "<https://x.example>", "&amp; no entity", "~~no strike~~", "back\\slash", "| no | row |",
        "    no code", "[a][b]",
    ],
)  # fmt: skip
def test_page_text_is_escaped_in_markdown(said: str) -> None:
    rendered = RENDERER.render(markdown_of([paragraph(TextRun(said))]))
    assert re.fullmatch(r"<p>[^<]*</p>\n", rendered)
    assert unescape(rendered[3:-5]).strip() == said.strip()


def test_a_link_text_closes_no_link() -> None:
    made = markdown_of([paragraph(TextRun("a](https://evil.example) [b", href="https://x.example/)"))])
    rendered = RENDERER.render(made)
    assert rendered.count("<a ") == 1 and 'href="https://x.example/%29"' in rendered


def test_only_links_to_pages_are_links() -> None:
    assert markdown_of([paragraph(TextRun("x", href="javascript:alert(1)"))]) == "x"


def test_code_that_has_fences_is_fenced_with_more() -> None:
    assert markdown_of([Block("code", (TextRun("```\nx\n```"),))]) == "````\n```\nx\n```\n````"


WORDS = st.text(alphabet=st.sampled_from("ab #-+*_`~[]()<>!&|\\.1=:>\"'"), min_size=1, max_size=12)
RUNS = st.builds(
    TextRun,
    WORDS,
    strong=st.booleans(),
    emphasis=st.booleans(),
    href=st.sampled_from(["", "", "https://x.example/a(b) c"]),
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=4))
def test_any_words_are_the_same_words_in_markdown(said: list[str]) -> None:
    blocks = [paragraph(TextRun(" ".join(each.split()))) for each in said if each.strip()]
    rendered = RENDERER.render(markdown_of(blocks))
    assert re.sub(r"</?p>|\n", "", rendered).count("<") == 0
    assert unescape(re.sub(r"<[^>]*>", "", rendered)).split() == text_of(blocks).split()


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(RUNS, min_size=1, max_size=5))
def test_any_runs_make_one_paragraph_whose_links_are_theirs(runs: list[TextRun]) -> None:
    rendered = RENDERER.render(markdown_of([paragraph(*runs)]))
    assert set(re.findall(r"</?(\w+)", rendered)) <= {"p", "em", "strong", "a"}
    assert set(re.findall(r'href="([^"]*)"', rendered)) <= {"https://x.example/a%28b%29%20c"}


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("The oil is pressed.", "# Linden oil\n\nThe oil is pressed."),
        ("# Linden oil\n\nIt is pressed.", "# Linden oil\n\nIt is pressed."),
        ("## Linden oil\n\nIt is pressed.", "# Linden oil\n\nIt is pressed."),
        ("Linden oil\n\nIt is pressed.", "# Linden oil\n\nIt is pressed."),
        ("Home › Oils\n\n# Linden oil\n\nIt is pressed.", "# Linden oil\n\nHome › Oils\n\nIt is pressed."),
        ("# Linden oil of Aldermere\n\nIt is pressed.", "# Linden oil of Aldermere\n\nIt is pressed."),
        ("# Uses\n\nIt is pressed.", "# Linden oil\n\n# Uses\n\nIt is pressed."),
        ("```\n# Linden oil\n```", "# Linden oil\n\n```\n# Linden oil\n```"),
        ("", "# Linden oil"),
    ],
)
def test_markdown_begins_with_its_title_once(markdown: str, expected: str) -> None:
    assert with_title(markdown, " Linden  oil ") == expected


def test_a_title_is_text_in_markdown() -> None:
    assert with_title("It is pressed.", "*Oil* <b>") == "# \\*Oil\\* \\<b>\n\nIt is pressed."
    assert with_title("It is pressed.", "") == "It is pressed."
