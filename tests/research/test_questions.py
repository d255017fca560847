"""What questions ask for, and which rows answer them."""

from __future__ import annotations

import pytest

from oryn.research.text.questions import (
    Row,
    answer_strength,
    is_about_another,
    missing_names,
    names_in,
    row_of,
    subject_of,
)


@pytest.mark.parametrize(
    ("question", "label", "value"),
    [
        ("How long is the Heron Bridge?", "Length", "388 m"),
        ("Who designed the Heron Bridge?", "Architect", "Ada Holm"),
        ("When was the Heron Bridge opened?", "Opened", "2 May 1931"),
        ("How many people live in Aldermoor?", "Population", "4,812"),
        ("What is the postal code of Aldermoor?", "Postal code", "7714"),
        ("How long does the tart bake?", "Baking time", "45 min"),
    ],
)
def test_a_row_answers_by_its_label(question: str, label: str, value: str) -> None:
    right = answer_strength(question, Row("", label, value))
    assert right >= 0.5
    for other in ("Carries", "Colour", "Publisher"):
        assert answer_strength(question, Row("", other, "12 trams of 1955")) < right


@pytest.mark.parametrize(
    ("question", "value"),
    [("How long is the Heron Bridge?", "unknown"), ("When was the Heron Bridge opened?", "by the queen")],
)
def test_a_value_of_another_kind_is_no_answer(question: str, value: str) -> None:
    assert answer_strength(question, Row("", "Length opened", value)) == 0


def test_parts_of_rows() -> None:
    assert row_of("Length | 388 m") == Row("", "Length", "388 m")
    assert row_of("| Width: 14.5 m |") == Row("", "Width", "14.5 m")
    assert row_of("Heron Bridge | Length | 388 m") == Row("Heron Bridge", "Length", "388 m")
    assert row_of("Heron Bridge | 388 m | 1931 | Road") is None


@pytest.mark.parametrize(
    ("subject", "topic"),
    [
        ("Kestrel Bridge", "How long is the Heron Bridge?"),
        ("the Kestrel Bridge – Bridges of the world", "Heron Bridge"),
        ("Lake Orrin", "How deep is Lake Immer?"),
        ("Tern 50", "What is the top speed of the Tern 40?"),
        ("Pierre Curie", "Where was Marie Curie born?"),
    ],
)
def test_another_thing_of_the_kind(subject: str, topic: str) -> None:
    assert is_about_another(subject, topic)


@pytest.mark.parametrize(
    ("subject", "topic"),
    [
        ("Heron Bridge", "How long is the Heron Bridge?"),
        ("Old Heron Bridge (Norrby)", "How long is the Heron Bridge?"),
        ("Norr Council", "How long is the Heron Bridge?"),
        ("Bridges of the Norr", "How long is the Heron Bridge?"),
        ("Apollo 11", "Apollo Program"),
        ("President Biden", "When was Joe Biden born?"),
        ("Curie", "Where was Marie Curie born?"),
        ("Kestrel Bridge", "How long is the bridge?"),
        ("", "How long is the Heron Bridge?"),
    ],
)
def test_not_another_thing(subject: str, topic: str) -> None:
    assert not is_about_another(subject, topic)


def test_what_mentions_the_thing_may_be_about_it() -> None:
    topic = "How long is the Heron Bridge?"
    assert is_about_another("Kestrel Bridge", topic, "It is 212 m long.")
    assert not is_about_another("Kestrel Bridge", topic, "It is shorter than the Heron Bridge, which has 388 m.")


def test_names_and_subjects() -> None:
    assert names_in("How long is the Heron Bridge in Norrby?") == [("heron", "bridge"), ("norrby",)]
    assert subject_of("The Kestrel Bridge is 212 m long.") == "Kestrel Bridge"
    assert subject_of("It is 212 m long.") == ""
    assert subject_of("Trams cross it.") == ""


def test_names_that_texts_do_not_mention() -> None:
    topic = "Is the Heron Bridge longer than the Kestrel Bridge?"
    assert missing_names(topic, ["The Heron Bridge has 388 m."]) == ("Kestrel Bridge",)
    assert missing_names(topic, ["The Kestrel and the Heron Bridge"]) == ()
    assert missing_names("How do ferns reproduce?", []) == ()
    assert missing_names("When does Skerrow open?", ["Opened in May."]) == ("Skerrow",)
