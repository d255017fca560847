"""The parts of a graph that only think: what an answer is held to, what supports a statement, the tree, the picture."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from oryn.models.structured_reply import valid_answer
from oryn.research.documents import Passage
from oryn.research.graph import GraphNode, GraphSource, KnowledgeGraph
from oryn.research.graph.knowledge import GraphStatement, StatementCategory, graph_of
from oryn.research.graph.llm_extractor import is_supported
from oryn.research.graph.schema import answer_schema, outline_of

BRIDGE = Passage("a1", "http://one.example/bridge", "The bridge", "Heron Bridge is a bridge of 1911 over the Ell.")
MILL = Passage("b2", "http://two.example/mill", "", "The mill stands near Heron Bridge <b>today</b>.")


def answer(*statements: dict[str, Any]) -> str:
    return json.dumps({"categories": [{"name": "What it is", "statements": list(statements)}]})


def refused(text: str, passages: int = 2) -> str:
    with pytest.raises(ValueError) as caught:
        outline_of(valid_answer(text, answer_schema(passages)))
    return str(caught.value)


def test_an_answer_may_stand_in_fences_and_between_words() -> None:
    said = answer({"text": "a  bridge\nof 1911", "passages": [2, 1, 2]})
    outline = outline_of(valid_answer(f"Here it is:\n```json\n{said}\n```\nAnything else?", answer_schema(2)))
    assert outline == (StatementCategory("What it is", (GraphStatement("a bridge of 1911", (1, 0)),)),)


def test_schema_violations_are_described_for_a_retry() -> None:
    assert refused("no JSON at all") == "the answer is not one JSON object"
    assert refused("[" * 100_000) == "the answer is not one JSON object"
    assert refused("{}") == "at $: 'categories' is a required property"
    assert refused(answer({"text": "a bridge", "passages": [3]})).startswith(
        "at $.categories[0].statements[0].passages"
    )
    assert "non-empty" in refused(answer({"text": "a bridge", "passages": []}))
    assert "'more' was unexpected" in refused(answer({"text": "a bridge", "passages": [1], "more": 1}))


def test_statements_that_are_empty_or_essays_are_left_out() -> None:
    said = answer(
        {"text": " ", "passages": [1]}, {"text": "x" * 500, "passages": [1]}, {"text": "fine", "passages": [1]}
    )
    assert outline_of(valid_answer(said, answer_schema(1)))[0].statements == (GraphStatement("fine", (0,)),)


@pytest.mark.parametrize(
    ("statement", "holds"),
    [
        ("It is a bridge over the Ell.", True),
        ("Heron Bridge bridges the Ell", True),
        ("built in 1911", True),
        ("built in 1912", False),
        ("the longest suspension crossing in Europe", False),
        ("Ell", True),
        ("Rhine", False),
    ],
)
def test_a_statement_needs_the_words_of_its_passages(statement: str, holds: bool) -> None:
    assert is_supported(statement, [BRIDGE.text], "Heron Bridge") is holds


def example() -> KnowledgeGraph:
    outline = (
        StatementCategory(
            "What it is", (GraphStatement("a bridge of 1911 & more", (0,)), GraphStatement("near a mill", (1, 0)))
        ),
        StatementCategory("Empty", ()),
        StatementCategory("Near <it>", (GraphStatement("the mill", (1,)),)),
    )
    root, cited = graph_of("Heron Bridge", outline, (BRIDGE, MILL))
    return KnowledgeGraph("Heron Bridge", root, cited, (BRIDGE, MILL))


def test_every_statement_has_its_sources_numbered_as_the_tree_comes_to_them() -> None:
    graph = example()
    assert graph.cited == (GraphSource(1, BRIDGE.url, "The bridge"), GraphSource(2, MILL.url, MILL.url))
    assert [child.label for child in graph.root.children] == ["What it is", "Near <it>"]
    leaves = [node for node in graph.root.walk() if not node.children]
    assert [(node.sources, node.passages) for node in leaves] == [
        ((1,), ("a1",)),
        ((1, 2), ("b2", "a1")),
        ((2,), ("b2",)),
    ]
    assert graph.root.sources == (1, 2)


def test_the_tree_as_lines() -> None:
    assert example().tree == (
        "Heron Bridge\n"
        "├─ What it is\n"
        "│  ├─ a bridge of 1911 & more [1]\n"
        "│  └─ near a mill [1] [2]\n"
        "└─ Near <it>\n"
        "   └─ the mill [2]\n"
        "\n"
        "[1] The bridge — http://one.example/bridge\n"
        "[2] http://two.example/mill — http://two.example/mill"
    )


def test_long_lines_of_the_tree_are_broken_under_their_beginning() -> None:
    from oryn.research.graph.renderers import render_tree

    leaf = GraphNode("one two three four five six seven eight", (1,), ("a1",))
    graph = KnowledgeGraph("It", GraphNode("It", (1,), (), (GraphNode("In", (1,), (), (leaf,)), leaf)))
    assert render_tree(graph, 30).splitlines() == [
        "It",
        "├─ In",
        "│  └─ one two three four five",
        "│     six seven eight [1]",
        "└─ one two three four five six",
        "   seven eight [1]",
    ]


def test_the_form_is_plain_json() -> None:
    form = json.loads(json.dumps(example().form()))
    assert form["entity"] == "Heron Bridge"
    first = form["root"]["children"][0]["children"][0]
    assert first == {"label": "a bridge of 1911 & more", "sources": [1], "passages": ["a1"]}


def test_the_picture_is_one_whose_statements_lead_to_their_pages() -> None:
    picture = ElementTree.fromstring(example().svg)
    space = "{http://www.w3.org/2000/svg}"
    links = [each.get("href") for each in picture.iter(f"{space}a")]
    assert links == [BRIDGE.url, BRIDGE.url, MILL.url]
    assert "Near <it>" in "".join(picture.itertext())


def test_no_address_of_the_picture_runs_anything() -> None:
    evil = BRIDGE.replace(url="javascript:alert(1)", title="</svg><script>alert(1)</script>")
    root, cited = graph_of("It", (StatementCategory("<i>", (GraphStatement("<script>", (0,)),)),), (evil,))
    graph = KnowledgeGraph("It", root, cited, (evil,))
    assert "javascript:" not in graph.svg and "<script" not in graph.svg
    assert 'href="javascript:' not in graph.html and "<script" not in graph.html


def test_the_page_leads_from_each_statement_to_its_passage() -> None:
    page = example().html
    for id in ("a1", "b2"):
        assert f'href="#p-{id}"' in page and f'<blockquote id="p-{id}">' in page
    assert "default-src 'none'" in page
    assert "&lt;b&gt;today&lt;/b&gt;" in page
