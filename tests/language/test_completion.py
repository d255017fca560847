from __future__ import annotations

import pytest

from oryn.language.command import ValueSource
from oryn.language.completion import split_words, suggestions
from oryn.language.targets import ROLES
from oryn.language.vocabulary import LINE_VOCABULARY, api_vocabulary

VALUES: dict[ValueSource, list[str]] = {
    "elements": ['"Sign in"', '"Sign up"'],
    "sessions": ["work", "default"],
    "devices": ["iPhone 15", "iPhone 15 Pro", "Pixel 7"],
    "commands": ["click", "targets"],
    "connections": ["slow-3g"],
    "intents": ["compare"],
    "packs": ["shop"],
    "tools": ["find_plant"],
}


def offered(line: str) -> list[str]:
    *before, partial = split_words(line)
    return [each.text for each in suggestions(before, partial, LINE_VOCABULARY, VALUES.__getitem__)]


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
        ('type "Sign in" "', []),
        ("scroll ", ["up", "down", "left", "right", *ROLES, '"Sign in"', '"Sign up"', "until"]),
        ("scroll d", ["down"]),
        ("is v", ["visible"]),
        ("is visible s", ["search", "submit"]),
        ("click em", ["email"]),
        ("click email ", ["near", "inside", "after", "before", "contains"]),
        ("click email near se", ["search"]),
        ("click email near search ", ["near", "inside", "after", "before", "contains"]),
        ("drag email ", ["near", "inside", "after", "before", "contains", "to"]),
        ("drag email to ur", ["url"]),
        ("click --timeout 5s em", ["email"]),
        ("wait i", ["idle", "items"]),
        ("wait visible em", ["email"]),
        ("extract ta", ["tables"]),
        ("dismiss ba", ["banner"]),
        ("output j", ["json"]),
        ("help ta", ["targets"]),
        ("session w", ["work"]),
        ("session close ", ["work", "default"]),
        ("session new ", []),
        ("device iph", ["iPhone 15", "iPhone 15 Pro"]),
        ("device iPhone 15 ", ["Pro"]),
        ("throttle s", ["slow-3g"]),
        ("throttle o", ["off"]),
        ("pack l", ["load"]),
        ("pack load ", ["shop"]),
        ("run c", ["compare"]),
        ("tool call f", ["find_plant"]),
    ],
)
def test_completion_offers_the_possible_next_words(line: str, expected: list[str]) -> None:
    assert offered(line) == expected


def test_an_empty_line_offers_every_verb_once() -> None:
    verbs = offered("")
    assert len(verbs) == len(set(verbs))
    assert {"goto", "observe", "click", "help", "exit"} <= set(verbs)


def test_values_are_only_requested_where_they_are_possible() -> None:
    def none(source: ValueSource) -> list[str]:
        raise AssertionError(source)

    for line in ("cli", "observe --f", "cookies ", "goto ", "screenshot --format "):
        *before, partial = split_words(line)
        suggestions(before, partial, LINE_VOCABULARY, none)


def test_a_path_is_any_file() -> None:
    for line in ("state save ", "upload 3 ", "state save x.json --", "pdf "):
        *before, partial = split_words(line)
        found = suggestions(before, partial, api_vocabulary(), VALUES.__getitem__)
        assert any(each.is_path for each in found) != line.endswith("--"), line


def test_every_position_of_every_command_can_be_completed() -> None:
    for verb, each in api_vocabulary().verbs.items():
        for spec in each.commands:
            words = [verb, *spec.path[1:]]
            for argument in spec.arguments:
                for partial in ("", "-", "x"):
                    assert isinstance(suggestions(words, partial, api_vocabulary(), VALUES.__getitem__), list)
                words += [argument.lead] if argument.lead else []
                words.append((*argument.kind.words, "x")[0])
