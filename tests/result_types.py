"""Checks, in every test with a real browser, that results are as the table of commands declares them.

A pytest plugin. It wraps `Session.execute`, where all hosts of this process run their commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest.mock import patch

import pytest

from oryn.errors import LanguageError
from oryn.language import Line, parse
from oryn.language.result_schema import definitions, result_schema


@cache
def _validator(command: type) -> Any:
    import jsonschema_rs

    schema = {**result_schema(command.spec), "$defs": definitions()}  # type: ignore[attr-defined]
    return jsonschema_rs.validator_for(schema)


def check_result(line: str | Line, form: dict[str, Any]) -> None:
    """Check the JSON form of a command's answer, if it has succeeded."""
    try:
        command = (parse(line) if isinstance(line, str) else line).command
    except LanguageError:
        return
    if command is None or not form["ok"] or "elements" in form or "result" not in form:
        return
    result = json.loads(json.dumps(form["result"]))
    if command.spec.name == "observe" and result == {"changed": False}:
        return
    found = _validator(type(command)).iter_errors(result)
    errors = [f"{'/'.join(map(str, each.instance_path))}: {each.message}" for each in found]
    assert not errors, f"the result of {command.spec.name} is not {command.spec.result}: {errors[:3]}"[:500]


@pytest.fixture(scope="session", autouse=True)
def checked_results() -> Iterator[None]:
    from oryn.engine import Session
    from oryn.engine.output.answer import json_form

    original = Session.execute

    async def execute(self: Session, line: str | Line, *rest: Any, **more: Any) -> Any:
        answer = await original(self, line, *rest, **more)
        if self.browser.mode == "headless" and answer.boundary is None and answer.prerendered is None:
            check_result(line, json_form(answer))
        return answer

    with patch.object(Session, "execute", execute):
        yield
