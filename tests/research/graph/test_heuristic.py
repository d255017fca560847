"""Statements that are found by their form."""

from __future__ import annotations

from oryn.research.documents import Passage
from oryn.research.extractor import article_of_html
from oryn.research.graph.heuristic import heuristic_outline
from oryn.research.passages.splitter import passages


def outline(*texts: str, title: str = "Lake Immer", entity: str = "Lake Immer") -> dict[str, list[str]]:
    passages = [Passage(f"p{n}", f"http://a.example/{n}", title, text) for n, text in enumerate(texts)]
    return {
        category.name: [each.text for each in category.statements] for category in heuristic_outline(entity, passages)
    }


def test_what_it_is_and_where() -> None:
    text = "Lake Immer is a lake of the isles. The Lake Immer, cold and deep, was the king's. Lake Immer lies in hills."
    assert outline(text)["What it is"] == [
        "Lake Immer is a lake of the isles.",
        "The Lake Immer, cold and deep, was the king's.",
        "Lake Immer lies in hills.",
    ]


def test_sentences_with_years_come_by_year_and_those_of_others_do_not() -> None:
    text = "In 1902 Lake Immer froze over. In 1811 Lake Immer was drained. In 1850 the other lake was drained too."
    assert outline(text) == {"Dates": ["In 1811 Lake Immer was drained.", "In 1902 Lake Immer froze over."]}


def test_labels_are_facts_of_pages_about_it() -> None:
    text = "Depth: 201 m\n| Area | 12 km² |\nSource: http://x.example\nWho: nobody?"
    assert outline(text) == {"Facts": ["Depth: 201 m", "Area: 12 km²"]}
    assert outline(text, title="Lake Vennacher") == {}


def test_a_label_with_several_values_is_a_list() -> None:
    assert outline("Posts: 100\nPosts: 197\nDepth: 201 m") == {"Facts": ["Depth: 201 m"]}


def test_names_that_stand_near_are_counted() -> None:
    text = "Cordelia Buckle measured Lake Immer first. Lake Immer was loved by Ada Thorn and by Cordelia Buckle alike."
    assert outline(text)["Named with it"] == ["Cordelia Buckle", "Ada Thorn"]


def test_equal_statements_of_several_pages_are_merged() -> None:
    passages = [Passage(str(n), f"http://{n}.example/", "", "Lake Immer is a lake of the isles.") for n in range(3)]
    [category] = heuristic_outline("Lake Immer", passages)
    assert [each.passages for each in category.statements] == [(0, 1, 2)]


def test_nothing_is_found_in_nothing() -> None:
    assert heuristic_outline("Lake Immer", []) == ()
    assert outline("…", "", "?!") == {}
    assert outline("The and of.", entity="the") == {}


def test_the_header_of_a_table_is_no_fact() -> None:
    table = (
        "<h1>Lake Immer</h1><p>Lake Immer is a lake of the isles, and has been measured by many people.</p><table>"
        "<thead><tr><th>Property</th><th>Value</th></tr></thead><tr><td>Depth</td><td>201 m</td></tr><tr><td>Area</td>"
        "<td>12 km²</td></tr></table><table><tr><th>Lake</th><th>Fish</th></tr><tr><td>Lake Immer</td><td>Char</td>"
        "</tr><tr><td>Lake Orrin</td><td>Trout</td></tr></table>"
    )
    article = article_of_html(f"<html><title>Lake Immer</title><body>{table}</body></html>", "https://a.example/immer")
    [facts] = [
        [each.text for each in category.statements]
        for category in heuristic_outline("Lake Immer", passages(article, count=len, limit=2_000))
        if category.name == "Facts"
    ]
    assert set(facts) == {"Depth: 201 m", "Area: 12 km²", "Fish: Char"}
