"""A report as plain JSON."""

from __future__ import annotations

import json

from tests.research.report.example import SPORES, example


def test_a_report_is_json() -> None:
    form = json.loads(json.dumps(example().form()))
    assert form["topic"] == "How do ferns <reproduce>?"
    assert form["sentences"][0] == {
        "text": "Spores form in sori below the fronds – up to 30 million a plant.",
        "source": 1,
        "passage": "a1",
        "begin": 36,
        "end": 100,
        "also": [2],
    }
    assert form["sources"][1] == {
        "number": 2,
        "url": "https://news.example/",
        "title": "News <b>",
        "found_by": "link",
        "source": "browser",
        "why": "an empty root",
        "passages": ["b1"],
    }
    assert form["passages"][0]["text"] == SPORES
    assert form["left_out"][2] == {"code": "SEARCH_REFUSED", "message": "duckduckgo refused the search"}
    assert form["counts"] == {"pages": 3, "left_out": 2}


def test_sources_and_passages_are_found_by_what_sentences_say() -> None:
    report = example()
    for sentence in report.sentences:
        passage = report.passage(sentence.passage)
        assert passage.text[sentence.begin : sentence.end] == sentence.text
        assert report.source(sentence.source).url == passage.url
