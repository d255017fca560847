"""The sentence that answers is the one with the kind of value that a question asks for."""

from __future__ import annotations

import pytest

from benchmarks.question_answers import QuestionSample, answer, judgement, own
from oryn.research.documents import Passage
from oryn.research.embedding import Embedder
from oryn.research.report.summary import MIN_ANSWER, summarize
from oryn.research.text.expected_values import expected_value, sentence_strength


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What percentage of the carts cross at night?", "percentage"),
        ("What does a day ticket cost?", "amount of money"),
        ("How much is the admission?", "amount of money"),
        ("How hot must the oven be?", "temperature"),
        ("How heavy is the Tern X2?", "mass"),
        ("How fast is the train?", "speed"),
        ("How old is the mill?", "age"),
        ("How long does the tour take?", "duration"),
        ("How many minutes does the ferry take?", "duration"),
        ("How long is the Heron Bridge?", "length or duration"),
        ("How deep is Lake Immer?", "length"),
        ("At what time does the museum close? What time?", "time of day"),
        ("In which year was it built?", "year"),
        ("When was it built?", "date"),
        ("How often do trains run?", "frequency"),
        ("How many bells hang there?", "number"),
        ("How big is Brackwater?", "amount"),
        ("Who built it?", "person"),
        ("Where was she born?", "place"),
        ("Is swimming allowed?", "yes or no"),
        ("Why was the ship lost?", ""),
        ("ferns", ""),
    ],
)
def test_kinds_of_questions(question: str, kind: str) -> None:
    expected = expected_value(question)
    assert (expected.kind if expected else "") == kind


@pytest.mark.parametrize(
    ("question", "answering", "others"),
    [
        (
            "How deep is Lake Immer?",
            "Lake Immer is 201 metres deep.",
            ["In May the water level of Lake Immer rose.", "Lake Immer was first sounded in 1881.",
             "My uncle says that Lake Immer is 603 metres deep."],
        ),
        (
            "When was Ann Okafor born?",
            "Ann Okafor (12 March 1884 – 3 June 1951) was a surveyor.",
            ["A street has borne the name of Ann Okafor since 1974.", "Ann Okafor was born in Ellary."],
        ),
        (
            "Who designed the mill?",
            "The mill was designed by Gideon Holm.",
            ["The mill was designed in Ellary in 1902.", "The mill guards the approach to Vennacher."],
        ),
        (
            "Where did Ann Okafor die?",
            "Ann Okafor died in a hospital in Bergen.",
            ["Ann Okafor died in 1951.", "Ann Okafor died of pneumonia."],
        ),
        (
            "How many bells hang in the tower?",
            "In the tower hang twenty-two bells.",
            ["The tower is 22 metres high, and its bells are old.", "The bells hang in the tower."],
        ),
        (
            "What does a mooring cost?",
            "A mooring costs fourteen crowns.",
            ["A mooring is 14 metres long.", "What a mooring costs is shown at the harbour."],
        ),
        (
            "How long does a visit take?",
            "Visitors are shown around in 45 minutes.",
            ["Visitors have come since 1958.", "Visitors walk for 400 metres."],
        ),
        (
            "What percentage of the people were born abroad?",
            "17% of the people were born abroad.",
            ["8,000 of the people were born abroad.", "The people were born abroad."],
        ),
        (
            "How often does the ferry sail?",
            "The ferry sails every two hours.",
            ["The ferry sails at 9:30.", "The ferry sails to Ellary."],
        ),
    ],
)  # fmt: skip
def test_a_sentence_with_the_asked_kind_of_value_is_stronger(question: str, answering: str, others: list[str]) -> None:
    strength = sentence_strength(question, answering)
    assert strength >= MIN_ANSWER
    for other in others:
        assert sentence_strength(question, other) < strength, other


def test_without_a_kind_of_value_no_sentence_is_stronger() -> None:
    assert sentence_strength("Why was the ship lost?", "The ship was lost in 1902.") == 0


@pytest.mark.parametrize("sample", list(own()), ids=lambda sample: sample.question)
def test_the_answer_comes_first(embedder: Embedder, sample: QuestionSample) -> None:
    assert judgement(sample, answer(sample, embedder)) == "first"


def test_an_item_of_a_list_answers(embedder: Embedder) -> None:
    text = "This soup is cooked in winter.\n250 g red lentils\n2 onions\nSimmer the lentils for a while and serve them."
    soup = Passage("p", "https://norr.example/soup", "Lentil soup", text, end=len(text))
    [first, *_] = summarize([soup], "How many grams of lentils are needed?", embedder=embedder, sentences=3)
    assert first.text == "250 g red lentils"


def test_a_header_of_a_table_answers_nothing(embedder: Embedder) -> None:
    text = "The bridges have keepers and builders.\nBridge | Architect\nHeron | Ada Thorn"
    plain = Passage("p", "https://norr.example/heron", "Bridges", text, end=len(text), headers=("Bridge | Architect",))
    found = summarize([plain], "Who is the architect of the Heron bridge?", embedder=embedder, sentences=3)
    assert not any("Bridge | Architect" in each.words for each in found)
