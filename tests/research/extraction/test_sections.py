"""Sections of a page: which heading each segment stands under, and what the model sees of it."""

from __future__ import annotations

import numpy as np
from lxml.html import HtmlElement

from oryn.research.extraction.layout import TOKEN_BUCKETS, PageLayout
from oryn.research.extraction.sections import MAX_DISTANCE, PageSections
from oryn.research.extraction.segments import PageSegments
from oryn.research.extraction.stages import TOKEN_TABLES, token_columns, token_rows
from oryn.research.html.tree import parse_html

PAGE = (
    "<body><p>Menu<h1>Headlamp</h1><p>It shines for a week."
    "<div><h2>Details</h2><p>Made of ash.<h3>Size</h3><p>Nine inches.</div><p>Free of charge."
    "<h2>Reviews</h2><p>Too bright.</body>"
)


def opened(html: str) -> tuple[list[str], PageLayout]:
    tree = parse_html(html)
    assert isinstance(tree, HtmlElement)
    page = PageSegments(tree)
    return [segment.text for segment in page.segments], PageLayout(page, tree)


def above(texts: list[str], headings: np.ndarray) -> dict[str, str]:
    return {text: texts[at] if at >= 0 else "" for text, at in zip(texts, headings.tolist(), strict=True)}


def test_a_segment_stands_under_the_last_heading_and_a_heading_under_one_of_a_higher_level() -> None:
    texts, layout = opened(PAGE)
    sections = PageSections(layout)
    assert above(texts, sections.heading) == {
        "Menu": "",
        "Headlamp": "",
        "It shines for a week.": "Headlamp",
        "Details": "Headlamp",
        "Made of ash.": "Details",
        "Size": "Details",
        "Nine inches.": "Size",
        "Free of charge.": "Size",
        "Reviews": "Headlamp",
        "Too bright.": "Reviews",
    }
    assert above(texts, sections.higher)["Nine inches."] == "Details"
    assert above(texts, sections.higher)["Too bright."] == "Headlamp"
    assert above(texts, sections.higher)["It shines for a week."] == ""


def test_places_tell_the_distance_to_the_heading_and_whether_the_elements_around_it_have_the_segment() -> None:
    texts, layout = opened(PAGE)
    places = dict(zip(texts, PageSections(layout).places().tolist(), strict=True))
    assert places["Menu"][0] == np.float32(np.log1p(MAX_DISTANCE))
    assert places["Made of ash."][0] == np.float32(np.log1p(1))
    assert places["Nine inches."][1] == 1 and places["Free of charge."][1] == 0
    assert places["Free of charge."][2] == 1
    assert [places[text][4] for text in ("Menu", "Headlamp", "Nine inches.", "Too bright.")] == [0, 0, 3, 2]


def test_probabilities_are_told_of_the_headings_and_as_means_of_sections() -> None:
    texts, layout = opened("<h2>Ab</h2><p>Cd<p>Ef<h2>Gh</h2><p>Ij")
    assert texts == ["Ab", "Cd", "Ef", "Gh", "Ij"]
    told = PageSections(layout).of_probabilities(np.array([0.25, 0.5, 0.75, 1, 0], dtype=np.float32))
    assert told[:, 0].tolist() == [-1, 0.25, 0.25, -1, 1]
    assert told[:, 2].tolist() == [0.5, 0.5, 0.5, 0.5, 0.5]
    assert told[:3, 5].tolist() == [0.5] * 3 and told[3:, 5].tolist() == [0, 0]
    assert told[:3, 4].tolist() == [0, 0, 0] and told[3:, 4].tolist() == [0.5, 0.5]


def test_a_page_without_headings_has_one_section() -> None:
    _, layout = opened("<p>One<p>Two")
    sections = PageSections(layout)
    assert sections.heading.tolist() == [-1, -1] and sections.number.tolist() == [0, 0]
    assert np.isfinite(sections.places()).all()


def test_the_words_of_a_heading_have_weights_for_what_stands_under_it() -> None:
    texts, layout = opened(PAGE)
    of_heading = TOKEN_TABLES.index("heading")
    rows = dict(zip(texts, token_rows(layout, range(len(texts))), strict=True))

    def words(text: str) -> list[int]:
        low = of_heading * TOKEN_BUCKETS
        return [each - low for each in rows[text] if low <= each < low + TOKEN_BUCKETS]

    assert words("Too bright.") == list(layout.text_tokens[texts.index("Reviews")])
    weights = np.zeros((len(TOKEN_TABLES), TOKEN_BUCKETS), dtype=np.float32)
    weights[of_heading, words("Too bright.")] = 1
    scores = dict(zip(texts, token_columns(layout, weights)[:, 5].tolist(), strict=True))
    assert scores["Too bright."] == 2 and scores["Nine inches."] == 0
