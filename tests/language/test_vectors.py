"""The language's own test cases, where they are at hand: `../shared/vectors` beside the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oryn.errors import LanguageError
from oryn.language import normalize, parse, parse_script, render

VECTORS = Path(__file__).parents[3] / "shared" / "vectors" / "cases.jsonl"


def cases() -> list[Any]:
    if not VECTORS.is_file():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"no cases at {VECTORS}"), id="missing")]
    read = map(json.loads, VECTORS.read_text("utf-8").splitlines())
    return [pytest.param(case, id=case["id"]) for case in read]


@pytest.mark.parametrize("case", cases())
def test_case(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(LanguageError) as caught:
            normalize(case["raw"])
        expected = case["error"]
        assert {name: getattr(caught.value, name) for name in expected} == expected
        return
    canonical = normalize(case["raw"])
    assert canonical == case["canonical"]
    assert normalize(canonical) == canonical
    for each in parse_script(canonical):
        assert each.line is not None
        assert render(each.line) == each.line.canonical
        if each.line.command:
            assert parse(render(each.line.command)).command == each.line.command
