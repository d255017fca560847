"""Suggestions for a text that fits nothing, and the form in which texts are compared."""

from __future__ import annotations

import pytest

from oryn.core.suggestions import similar_names
from oryn.core.text_folding import fold


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("Sing in", "Sign in"),
        ("Log in now", "Log in"),
        ("Delete enviroment", "Delete the environment"),
        ("Delete", "Delete the environment"),
        ("Setting", "Settings"),
        ("Create new account", "Create account"),
        ("Entfernen", "Konto entfernen"),
        ("Cafe\u0301 Zentral", "Café Zentrale"),
    ],
)
def test_what_shares_words_is_suggested(wanted: str, name: str) -> None:
    assert similar_names(wanted, ["Home", name, "Help"]) == [name]


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("Iron", "Delete the environment"),
        ("Order", "Border radius"),
        ("Send", "End session"),
        ("Plan for two", "Transfer it now"),
        ("Total", "Portal"),
        ("Sign up", "Design"),
        ("No", "Now"),
        ("", "Save"),
        ("Save", ""),
    ],
)
def test_what_shares_but_letters_is_not(wanted: str, name: str) -> None:
    assert similar_names(wanted, [name]) == []


def test_the_most_similar_comes_first_and_each_name_once() -> None:
    found = similar_names("Save draft", ["Save", "Save drafts", "save", "Draft", "Save all", "Open"])
    assert found == ["Save drafts", "Save", "Draft"]


@pytest.mark.parametrize(
    ("page", "typed"),
    [
        ("Zusammen\u00adfassung", "Zusammenfassung"),
        ("Daten\u200bschutz", "Datenschutz"),
        ("\u200eShalom\u200f", "shalom"),
        ("Don\u2019t save\u2026", "don't save..."),
        ("\u201eHallo\u201c", '"hallo"'),
        ("Cafe\u0301", "caf\u00e9"),
        ("12\u00a0€", "12 €"),
        ("2019\u20132024", "2019-2024"),
        ("\uff26\uff35\uff2c\uff2c", "full"),
        ("\u2764\ufe0f Like", "\u2764 like"),
    ],
)
def test_a_text_is_compared_as_people_read_and_type_it(page: str, typed: str) -> None:
    assert fold(page) == fold(typed)


def test_joined_pictures_are_not_their_parts() -> None:
    assert fold("\U0001f468\u200d\U0001f4bb") != fold("\U0001f468\U0001f4bb")
