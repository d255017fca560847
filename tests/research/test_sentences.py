"""Where sentences end."""

from __future__ import annotations

import pytest
import sentencex
from hypothesis import given, settings
from hypothesis import strategies as st

from oryn.research.text.sentences import sentences


def cut(text: str, language: str = "en") -> list[str]:
    return [text[begin:end] for begin, end in sentences(text, language)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t ", []),
        ("One.", ["One."]),
        ("Dr. J. R. Smith came. He left.", ["Dr. J. R. Smith came.", "He left."]),
        ("It is 3.5 m deep. That is all.", ["It is 3.5 m deep.", "That is all."]),
        ("Born on Jan. 3, 1950. Died young.", ["Born on Jan. 3, 1950.", "Died young."]),
        ("Lee et al. agree (see p. 4). So be it.", ["Lee et al. agree (see p. 4).", "So be it."]),
        ("He came at 5 p.m. on Monday. Mr. Fox left.", ["He came at 5 p.m. on Monday.", "Mr. Fox left."]),
        ('"Yes." He nodded. "I did," he said.', ['"Yes."', "He nodded.", '"I did," he said.']),
        ("She asked “Why?” He said “No!” and left.", ["She asked “Why?”", "He said “No!” and left."]),
        ("Wait… what? Really?! Yes.", ["Wait… what?", "Really?!", "Yes."]),
        ("The v1.2.3 release... It works.", ["The v1.2.3 release...", "It works."]),
        ("Visit https://a.example/b.html?c=d. It is good.", ["Visit https://a.example/b.html?c=d.", "It is good."]),
        ("It stopped in 1998.[12] Then it went on.", ["It stopped in 1998.[12]", "Then it went on."]),
        ("日本語です。次の文。", ["日本語です。", "次の文。"]),
        ("कैसे हो। अच्छा।", ["कैसे हो।", "अच्छा।"]),
        ("A heading\nIts first line. Its second.", ["A heading", "Its first line.", "Its second."]),
        ("no full stop\r\nnor here\u2028at all", ["no full stop", "nor here", "at all"]),
        ("Ends.\u00a0 \u3000Begins.", ["Ends.", "Begins."]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_rules_are_those_of_the_language() -> None:
    text = "Die Firma hat z. B. Siemens und ca. 3.000 Leute. Am 3. Oktober war frei."
    assert cut(text, "de") == ["Die Firma hat z. B. Siemens und ca. 3.000 Leute.", "Am 3. Oktober war frei."]
    assert cut("One came. Two left.", "") == cut("One came. Two left.", "xx-Nowhere") == ["One came.", "Two left."]


def test_what_the_library_panics_at_is_kept_from_it(capfd: pytest.CaptureFixture[str]) -> None:
    assert cut("A\u00a0B. Smith came\u2028\u00a0C\u00a0. Then") == ["A\u00a0B. Smith came", "C\u00a0.", "Then"]
    assert cut("half \ud83d a pair. Then.") == ["half \ud83d a pair.", "Then."]
    assert capfd.readouterr().err == ""


def test_a_panic_makes_a_line_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    PanicException = type("PanicException", (BaseException,), {})

    def panic(language: str, text: str) -> None:
        raise PanicException("end byte index 76 is not a char boundary")

    monkeypatch.setattr(sentencex, "get_sentence_boundaries", panic)
    assert cut("One. Two.\nThree.") == ["One. Two.", "Three."]


def test_other_exits_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(language: str, text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sentencex, "get_sentence_boundaries", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sentences("One.")


PIECES = [
    "U.S. ",
    "Mr. ",
    "e.g. ",
    ". ",
    "! ",
    "?",
    "…",
    "。",
    '"',
    "“",
    "”",
    "(",
    ")",
    "\n",
    "\u00a0",
    "\u2028",
    "A",
    "b",
]


@pytest.mark.slow
@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)), st.sampled_from(["en", "de", "ja", ""]))
def test_sentences_are_all_of_the_text_but_white_space(text: str, language: str) -> None:
    at = 0
    for begin, end in sentences(text, language):
        assert begin >= at
        assert not text[at:begin].strip()
        assert text[begin:end] == text[begin:end].strip() != ""
        at = end
    assert not text[at:].strip()
