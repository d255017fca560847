"""Which set-up the selected tests need."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.prerequisites import PREREQUISITES, PROJECT, steps_for


def test_places_and_steps_exist() -> None:
    for step, places in PREREQUISITES.items():
        assert (PROJECT / "setup" / f"{step}.sh").is_file()
        assert all((PROJECT / place).exists() for place in places)


@pytest.mark.parametrize(
    ("selected", "steps"),
    [
        (["tests"], list(PREREQUISITES)),
        (["tests/models/test_model.py"], ["model"]),
        (["tests/research"], ["ray"]),
        (["tests/engine", "tests/extension/test_tabs.py", "tests/daemon"], ["node", "display"]),
        (["tests/language"], []),
    ],
)
def test_steps_for_selected_tests(selected: list[str], steps: list[str]) -> None:
    assert steps_for([Path(PROJECT, each) for each in selected]) == steps
