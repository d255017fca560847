from __future__ import annotations

import pytest

from oryn.hosts.completion import Suggestion, suggestions
from oryn.language.commands import COMMANDS

TEXTS = ['"Sign in"', '"Sign up"', '"' + "x" * 200 + '"']


def offered(line: str) -> list[str]:
    specs = [command.spec for command in COMMANDS]
    return [suggestion.text for suggestion in suggestions(line, specs, lambda: TEXTS)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("got", ["goto"]),
        ("GOT", ["goto"]),
        ("goto", []),
        ("@agent1 got", ["goto"]),
        ("cookies ", ["list", "get", "set", "delete", "clear"]),
        ("cookies s", ["set"]),
        ("cookies nothing", []),
        ("nothing ", []),
        ("observe --f", ["--full"]),
        ("scan --f", ["--full"]),
        ("screenshot --format ", ["png", "jpeg", "webp"]),
        ("screenshot --format j", ["jpeg"]),
        ('click "', ['"Sign in"', '"Sign up"']),
        ('click "sign i', ['"Sign in"']),
        ('goto "', []),
        ('type "Sign in" "', ['"Sign in"', '"Sign up"']),
    ],
)
def test_completion_offers_the_possible_next_words(line: str, expected: list[str]) -> None:
    assert offered(line) == expected


def test_an_empty_line_offers_every_verb_once() -> None:
    verbs = offered("")
    assert len(verbs) == len(set(verbs))
    assert {"goto", "observe", "click", "help", "exit"} <= set(verbs)


def test_a_suggestion_takes_the_place_of_the_word_that_is_being_written() -> None:
    specs = [command.spec for command in COMMANDS]
    (suggestion,) = suggestions('click "sign i', specs, lambda: TEXTS)
    assert (suggestion.text, suggestion.replaces) == ('"Sign in"', len('"sign i'))
    assert isinstance(suggestion, Suggestion)
