"""What a summary is made of."""

from __future__ import annotations

import numpy as np
import pytest

from oryn.research.documents import Passage
from oryn.research.embedding import Embedder
from oryn.research.report.summary import Sentence, summarize

FERNS = """Ferns
Ferns reproduce by spores, which ripen in small brown heaps under the leaf. A spore grows into a thin green plate.
The plate bears eggs and sperm, and needs a film of water between them. Without rain there is no young fern.
Photo by A. Smith, all rights reserved.
Home | Plants | Ferns | Contact
How do you grow ferns from spores?
"""
FERRY = """The ferry from Port Ellary takes seventy-six minutes since the new boat came. It leaves every two hours.
We use cookies to make this page better for all of its readers. Subscribe to our newsletter for more stories.
"""
COPY = """Ferns reproduce by spores, which ripen in small brown heaps under the leaf.
On dry walls some ferns make young plants from buds, and need neither spores nor water.
"""


def passage(text: str, url: str = "https://a.example/", name: str = "", begin: int = 0) -> Passage:
    return Passage(id=name or url, url=url, title="", text=text, begin=begin, end=begin + len(text))


PASSAGES = [
    passage(FERNS, "https://ferns.example/"),
    passage(COPY, "https://walls.example/"),
    passage(FERRY, "https://ferry.example/"),
]
TOPIC = "How do ferns reproduce?"


def texts(found: list[Sentence]) -> list[str]:
    return [each.text for each in found]


def test_says_what_the_topic_asks_for(embedder: Embedder) -> None:
    found = summarize(PASSAGES, TOPIC, embedder=embedder, sentences=3)
    assert len(found) == 3
    assert found[0].text == "Ferns reproduce by spores, which ripen in small brown heaps under the leaf."
    assert found[0].score == 1
    assert "On dry walls some ferns make young plants from buds, and need neither spores nor water." in texts(found)


def test_what_is_not_of_the_topic_is_left_out_even_where_there_is_room(embedder: Embedder) -> None:
    found = summarize(PASSAGES, TOPIC, embedder=embedder, sentences=20)
    assert not any("ferry" in text or "cookies" in text or "newsletter" in text for text in texts(found))


def test_each_sentence_stands_where_it_says(embedder: Embedder) -> None:
    by_id = {each.id: each for each in PASSAGES}
    found = summarize(PASSAGES, "ferns and ferries", embedder=embedder, sentences=20)
    assert {by_id[each.passage].url for each in found} == {each.url for each in PASSAGES}
    for each in found:
        assert by_id[each.passage].text[each.begin : each.end] == each.text
        assert 0 < each.score <= 1


def test_a_statement_is_a_whole_sentence_of_the_text_itself(embedder: Embedder) -> None:
    """No headings, menus, captions, notices or questions."""
    found = texts(summarize(PASSAGES, TOPIC, embedder=embedder, sentences=20))
    for text in ("Ferns", "Home | Plants | Ferns | Contact", "How do you grow ferns from spores?"):
        assert text not in found
    assert not any("all rights reserved" in text for text in found)


def test_a_notice_is_a_statement_where_it_is_the_topic(embedder: Embedder) -> None:
    found = texts(summarize([PASSAGES[2]], "privacy policy: how are cookies used?", embedder=embedder, sentences=1))
    assert found == ["We use cookies to make this page better for all of its readers."]


def test_nothing_is_said_twice(embedder: Embedder) -> None:
    again = passage(
        "Ferns reproduce by spores, that ripen in small brown heaps under the leaf! " + COPY, "https://again.example/"
    )
    found = texts(summarize([*PASSAGES, again], TOPIC, embedder=embedder, sentences=20))
    assert len([text for text in found if "ripen in small" in text]) == 1


def test_a_sentence_that_leans_on_another_stands_with_it(embedder: Embedder) -> None:
    tower = passage(
        "The lighthouse of Skerrow guards the harbour. It was first lit in 1814 by its keeper.\n"
        "It has been painted white and red since then."
    )
    found = summarize([tower], "In which year was the lighthouse of Skerrow lit?", embedder=embedder, sentences=1)
    assert texts(found) == ["The lighthouse of Skerrow guards the harbour. It was first lit in 1814 by its keeper."]
    both = summarize([tower], "In which year was the lighthouse of Skerrow lit?", embedder=embedder, sentences=9)
    assert "The lighthouse of Skerrow guards the harbour." not in texts(both)


def test_a_long_run_of_leaning_sentences_is_not_one(embedder: Embedder) -> None:
    text = "The keeper wrote a book on storms. " + "He wrote of the winter gales with great care and much detail. " * 3
    (first, *_) = summarize([passage(text * 3)], "the keeper's book on storms", embedder=embedder, sentences=1)
    assert len(first.text.split()) <= 60


def test_of_two_that_say_nearly_the_same_the_one_of_the_better_passage_is_meant(embedder: Embedder) -> None:
    harbours = [
        passage(f"{name} harbour\nThe office listens on VHF channel {channel} by day and by night.", f"https://{name}/")
        for name, channel in (("Grayling", 68), ("Thornsea", 80))
    ]
    topic = "On which VHF channel does the harbour office of Grayling listen?"
    for ranked in (harbours, harbours[::-1]):
        found = summarize(ranked, topic, embedder=embedder, sentences=3)
        assert [each.passage for each in found] == [ranked[0].id]


def test_the_best_page_comes_first_and_a_page_in_its_own_order(embedder: Embedder) -> None:
    second = passage("Young ferns grow from plates of spores in wet shade.", "https://ferns.example/", "second", 900)
    found = summarize([second, *PASSAGES[1:], PASSAGES[0]], TOPIC, embedder=embedder, sentences=6)
    urls = {each.id: each.url for each in (*PASSAGES, second)}
    order = list(dict.fromkeys(urls[each.passage] for each in found))
    best = {url: max(each.score for each in found if urls[each.passage] == url) for url in order}
    assert order == sorted(order, key=lambda url: -best[url])
    ferns = [each.passage for each in found if urls[each.passage] == "https://ferns.example/"]
    assert ferns == sorted(ferns)  # "https://…" is before "second", as on the page
    assert "second" in ferns


def test_is_the_same_each_time(embedder: Embedder) -> None:
    first = summarize(PASSAGES, TOPIC, embedder=embedder)
    assert first == summarize(PASSAGES, TOPIC, embedder=embedder)
    assert len(first) <= 6


@pytest.mark.parametrize(
    ("found", "sentences"), [([], 6), (PASSAGES, 0), ([passage("")], 6), ([passage("1 | 2 | 3\n***")], 6)]
)
def test_nothing_to_say(embedder: Embedder, found: list[Passage], sentences: int) -> None:
    assert summarize(found, TOPIC, embedder=embedder, sentences=sentences) == []


def test_where_nothing_states_anything_what_there_is_stands(embedder: Embedder) -> None:
    found = summarize([passage("Ferns of the isles\nBread")], "ferns", embedder=embedder)
    assert texts(found) == ["Ferns of the isles"]


def test_without_a_topic_what_is_central_stands(embedder: Embedder) -> None:
    (only,) = summarize(PASSAGES, " ", embedder=embedder, sentences=1)
    assert only.passage != "https://ferry.example/"


def test_scripts_without_spaces(embedder: Embedder) -> None:
    page = passage("灯台\n灯台は一八七一年に初めて点灯された。灯台守は嵐の記録を残している。")
    found = summarize([page], "灯台", embedder=embedder)
    assert texts(found) == ["灯台は一八七一年に初めて点灯された。", "灯台守は嵐の記録を残している。"]


def test_the_walk_ends_where_nothing_is_alike() -> None:
    class OrthogonalEmbedder:
        """Vectors at right angles: no edges, and a topic that is like none of them."""

        def embed(self, given: list[str]) -> np.ndarray:
            return np.eye(len(given), dtype=np.float32)

    found = summarize(PASSAGES, TOPIC, embedder=OrthogonalEmbedder(), sentences=2)  # type: ignore[arg-type]
    assert [each.score for each in found] == [1, 1]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("How long is the Heron Bridge?", "Total length | 388 m (1,164 ft)"),
        ("When was the Heron Bridge opened?", "Opened | 2 May 1931"),
        ("How wide is the Heron Bridge?", "Width: 14.5 m"),
    ],
)
def test_rows_answer_questions(embedder: Embedder, question: str, row: str) -> None:
    text = (
        "Carries | Road and tram\nTotal length | 388 m (1,164 ft)\nWidth: 14.5 m\nOpened | 2 May 1931\n"
        "The bridge crosses the Norr near the mill. It replaced a ferry that sank in a storm."
    )
    passage = Passage(id="a", url="https://a.example/", title="Heron Bridge", text=text, end=len(text))
    assert row in [each.text for each in summarize([passage], question, embedder=embedder, sentences=2)]
    assert not any("|" in each.text for each in summarize([passage], "bridges", embedder=embedder, sentences=4))
