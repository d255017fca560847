"""A test is made of rows of the history: which are steps, and what becomes of their numbers, secrets and addresses."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.errors import RecordingNotFound
from oryn.testing.draft import RecordedAct, draft_of
from oryn.testing.test_file import Preparation, RecordedTest, parse_test, render_test

BUTTON = {"target": {"kind": "button", "role": "submit", "name": "Save", "previous": "Town", "place": 2}}


def row(line: str, **more: Any) -> dict[str, Any]:
    return {"action_id": "a" * 16, "args": {"line": line}, "ok": True, **more}


def draft(*rows: dict[str, Any], **more: Any) -> tuple[RecordedTest, tuple[str, ...]]:
    acts = [act for each in rows if (act := RecordedAct.of(each)) is not None]
    found = draft_of(acts, "shop", "/home/ann/tests", **{"preparation": Preparation(), **more})
    assert parse_test(render_test(found.test)).steps
    return found.test, found.notes


def lines(test: RecordedTest) -> list[str]:
    return [step.line for step in test.steps]


def test_acts_and_checks_are_steps_and_looking_around_is_not() -> None:
    test, notes = draft(
        row("goto http://localhost:8000/a", report=['@ http://localhost:8000/a "A"']),
        *(row(line) for line in ("observe", "snapshot", "text", "screenshot", "wait 2s", "requests", "sessions")),
        row('text "Total"', report=['= result "€ 20"']),
        row('is checked "Gift"', report=['= result "yes"']),
        row("network list", action="network list"),
    )
    assert lines(test) == ["goto {{base}}/a", 'text "Total"', 'is checked "Gift"'] and not notes
    assert test.preparation.base == "http://localhost:8000"
    assert test.steps[0].expected is not None and test.steps[0].expected.render() == ['@ /a "A"']


def test_a_number_becomes_the_words_that_describe_its_element() -> None:
    test, notes = draft(row("click 7", targets=BUTTON), row("click @e3"))
    assert lines(test) == ['click button "Save"']
    assert test.steps[0].targets["target"].previous == "Town"
    assert notes == ("left out, as nothing tells which element its number was: click @e3",)


def test_what_came_late_belongs_to_the_step_before() -> None:
    test, _ = draft(
        row('click "Save"', report=['+ text "Saving"']), row("observe", meanwhile=['+ status "Saved"']), row("refresh")
    )
    expected = test.steps[0].expected
    assert expected is not None and [entry.text for entry in expected.entries] == ["Saving", "Saved"]


def test_a_recording_begins_on_the_page_where_it_began() -> None:
    test, _ = draft(row('click "Save"', report=['@ https://a.example/b "B"']), start="https://a.example/a?x=1")
    assert lines(test) == ["goto {{base}}/a?x=1", 'click "Save"']


def test_a_secret_becomes_a_reference_to_the_vault_and_is_named() -> None:
    test, notes = draft(row('type "Password" "••••"', withheld=True), row('login "ann" "••••"', withheld=True))
    assert lines(test) == ['type "Password" "{{vault:shop.password}}"', 'login "ann" "{{vault:shop.password}}"']
    assert notes == ("a secret is not in the test: store it with 'oryn vault set shop.password'",)


def test_what_can_not_be_repeated_is_left_out_and_said() -> None:
    test, notes = draft(
        row('click "Gone"', ok=False), row('type "Text" "a…', withheld=True), row('click "Save"'), row("not a line")
    )
    assert lines(test) == ['click "Save"'] and len(notes) == 1


def test_paths_are_relative_to_the_tests_folder() -> None:
    test, _ = draft(row("upload 4 files/cv.pdf", folder="/home/ann/site", targets=BUTTON))
    assert lines(test) == ['upload button "Save" ../site/files/cv.pdf']


def test_nothing_to_repeat_is_an_error() -> None:
    with pytest.raises(RecordingNotFound):
        draft(row("observe"))
