"""Which of several matches is taken (docs/spec/intent-language.md#resolution)."""

from __future__ import annotations

from typing import Any

from oryn.engine.page.ranking import best


def match(number: int, kind: str = "button", **facts: Any) -> dict[str, Any]:
    state = {"visible": True, "enabled": True, "in_viewport": True, "focused": False, "checked": None, "value": None}
    fit = {
        "tier": "exact", "source": "name", "excess": 0, "interactive": True, "drawn_by_label": False, "in_dialog": True,
    }  # fmt: skip
    for name, value in facts.items():
        (state if name in state else fit)[name] = value
    return {"id": number, "type": kind, "role": "generic", "text": "x", "modifiers": [], "state": state, "match": fit}


def best_ids(verb: str, *matches: dict[str, Any]) -> list[int]:
    return [element["id"] for element in best(matches, verb)]


def test_each_fact_decides_before_the_next() -> None:
    assert best_ids("click", match(1, visible=False), match(2, tier="contains", excess=9)) == [2]
    assert best_ids("click", match(1, interactive=False), match(2, enabled=False)) == [2]
    assert best_ids("click", match(1, enabled=False), match(2, tier="case")) == [2]
    assert best_ids("click", match(1, in_dialog=False), match(2, tier="contains")) == [2]
    assert best_ids("click", match(1, tier="contains"), match(2, in_viewport=False)) == [2]
    assert best_ids("click", match(1, in_viewport=False), match(2)) == [2]
    assert best_ids("click", match(1, tier="contains", excess=7), match(2, tier="contains", excess=3)) == [2]


def test_the_right_kind_for_the_verb() -> None:
    field, button, link = match(1, "input"), match(2, "button"), match(3, "link")
    assert best_ids("click", field, button) == [2]
    assert best_ids("type", field, button, link) == [1]
    assert best_ids("type", match(1, "button"), match(2, "input", tier="contains", excess=8)) == [2]
    assert best_ids("hover", field, button) == [1, 2]
    widget = {**match(4, "generic"), "role": "combobox"}
    assert best_ids("select", match(1, "generic"), button, widget) == [4]
    assert best_ids("click", match(1, "generic"), widget) == [1, 4]


def test_a_box_that_its_label_draws_is_there_for_the_verbs_that_are_for_boxes() -> None:
    box, cell = match(1, "checkbox", visible=False, drawn_by_label=True), match(2, "generic")
    assert best_ids("check", box, cell) == best_ids("uncheck", box, cell) == [1]
    assert best_ids("click", box, cell) == [2]
    assert best_ids("click", box, match(2, tier="contains", excess=9)) == [1]
    assert best_ids("check", match(1, "checkbox", visible=False), cell) == [2]


def test_a_field_is_meant_before_the_box_around_it() -> None:
    outer = {**match(1, "generic", field_types=["input"], excess=0), "role": "combobox"}
    assert best_ids("select", outer, match(2, "input", excess=3)) == [2]
    assert best_ids("type", match(1, "generic", field_types=["generic"], distance=1.0), match(2, "generic")) == [2]
    assert best_ids("check", match(1, "checkbox", field_types=["radio"]), match(2, "radio")) == [2]
    assert best_ids("check", outer, match(2, "generic")) == [1, 2]
    assert best_ids("select", outer, match(2, "input", tier="contains")) == [1]
    assert best_ids("click", outer, match(2, "input")) == [1, 2]


def test_a_relation_decides_between_equal_texts() -> None:
    assert best_ids("click", match(1, distance=200.0), match(2, distance=10.0, in_viewport=False)) == [2]


def test_equals_stay_in_document_order() -> None:
    assert best_ids("click", match(5), match(9), match(11, visible=False)) == [5, 9]
    assert best_ids("click") == []
