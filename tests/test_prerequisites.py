"""Which set-up the selected tests need, and which layer a test is in."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.layers import LAYERS, NEEDS, PROJECT, cases_too_many, layer_of, steps_for

STEPS = [need.step for need in NEEDS.values() if need.step]


def test_the_steps_and_layers_exist() -> None:
    assert all((PROJECT / "setup" / f"{step}.sh").is_file() for step in STEPS)
    assert {need.layer for need in NEEDS.values()} <= {*LAYERS}


@pytest.mark.parametrize(
    ("selected", "steps"),
    [
        (["tests"], STEPS),
        (["tests/models/test_local_model.py"], ["model"]),
        (["tests/research"], ["ray"]),
        (
            ["tests/engine", "tests/extension/test_tabs.py", "tests/daemon"],
            ["node", "display", "webkit", "playwright", "prometheus"],
        ),
        (["tests/language"], []),
    ],
)
def test_steps_for_selected_tests(selected: list[str], steps: list[str]) -> None:
    assert steps_for([Path(PROJECT, each) for each in selected]) == steps


def test_a_layer_needs_no_step_of_those_after_it() -> None:
    assert steps_for([PROJECT / "tests"], "fast") == ["typescript"]
    assert steps_for([PROJECT / "tests"], "usual") == ["typescript", "node", "display"]


async def test_a_test_without_needs_is_fast(request: pytest.FixtureRequest) -> None:
    assert layer_of(request.node) == "fast"


@pytest.mark.parametrize(
    "marks",
    [pytest.param(0, marks=(pytest.mark.node, pytest.mark.firefox)), pytest.param(1, marks=pytest.mark.packages)],
)
def test_the_highest_marker_decides(request: pytest.FixtureRequest, marks: int) -> None:
    assert layer_of(request.node) == "all"


def test_the_usual_layer_leaves_out_cases_but_no_test() -> None:
    def left_out(*nodeids: str) -> list[str]:
        items = cast("Any", [SimpleNamespace(nodeid=each) for each in nodeids])
        return [each.nodeid for each in cases_too_many(items)]

    assert left_out("a::one", "a::two", "b::one") == []
    assert left_out("a::one[1]", "a::two[1]", "a::one[2]", "a::one[3]") == []
    assert left_out(*(f"a::one[{index}]" for index in range(7))) == [f"a::one[{index}]" for index in (1, 2, 4, 5)]
