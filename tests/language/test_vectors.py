"""The public cases of the language: docs/spec/intent-language.md#test-cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oryn.errors import LanguageError
from oryn.language import normalize, parse, parse_script, render

CASES = [json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
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
