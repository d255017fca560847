"""What the package offers, and what its values can do."""

from __future__ import annotations

import pickle

import pytest

import oryn.language
from oryn.errors import ConflictingOptions
from oryn.language import (
    COMMANDS,
    Click,
    CssTarget,
    IdTarget,
    Observe,
    PointTarget,
    ReferenceTarget,
    RelatedTarget,
    TextTarget,
    Type,
    check_conflicts,
    command_json,
    quote,
    render,
    target_json,
)


def test_everything_offered_is_there() -> None:
    assert all(hasattr(oryn.language, name) for name in oryn.language.__all__)
    assert len(set(oryn.language.__all__)) == len(oryn.language.__all__)
    assert {command.__name__ for command in COMMANDS} <= set(oryn.language.__all__)
    wanted = {
        "parse",
        "parse_script",
        "normalize",
        "render",
        "help_text",
        "usage",
        "command_json",
        "parse_output",
        "quote",
    }
    assert wanted <= set(oryn.language.__all__)


def test_targets_render_to_canonical_text() -> None:
    related = RelatedTarget(TextTarget('a "b"'), "near", RelatedTarget(CssTarget("#a"), "inside", IdTarget(5)))
    assert render(related) == str(related) == '"a \\"b\\"" near css("#a") inside 5'
    assert render(PointTarget(1, -2.5)) == "at(1,-2.5)"
    assert render(PointTarget(0.00001, 10**9)) == "at(0.00001,1000000000)"


def test_targets_of_different_kinds_differ() -> None:
    assert IdTarget(5) != ReferenceTarget(5)
    assert len({IdTarget(5), ReferenceTarget(5), IdTarget(5)}) == 2


def test_targets_as_json() -> None:
    related = RelatedTarget(TextTarget("a"), "near", IdTarget(5))
    assert target_json(related) == {"text": "a", "relation": {"kind": "near", "to": {"id": 5}}}


def test_commands_survive_pickling() -> None:
    command = Type(RelatedTarget(TextTarget("a"), "near", IdTarget(5)), "x", enter=True)
    assert pickle.loads(pickle.dumps(command)) == command


def test_commands_match_by_position() -> None:
    match Type(IdTarget(5), "x", enter=True):
        case Type(IdTarget(number), text, enter=True):
            assert (number, text) == (5, "x")
        case _:
            pytest.fail("the pattern fits")


def test_a_command_can_be_checked_without_a_line() -> None:
    check_conflicts(Observe(full=True))
    with pytest.raises(ConflictingOptions) as caught:
        check_conflicts(Observe(full=True, minimal=True))
    assert caught.value.position is None


def test_durations_are_seconds_in_json() -> None:
    assert command_json(Click(IdTarget(5), timeout=0.5))["arguments"]["timeout"] == 0.5


def test_quote() -> None:
    assert quote('a"b\\c\n\r\t') == '"a\\"b\\\\c\\n\\r\\t"'
