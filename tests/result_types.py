"""Checks, in every test with a real browser, that results are as the table of commands declares them.

A pytest plugin. It wraps `Session.execute`, where all hosts of this process run their commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from unittest.mock import patch

import fastjsonschema
import pytest

from oryn.errors import LanguageError
from oryn.language import Line, parse
from oryn.language.result_schema import definitions, result_schema


@cache
def _validator(command: type) -> Callable[[Any], Any]:
    schema = {**result_schema(command.spec), "$defs": definitions()}  # type: ignore[attr-defined]
    return fastjsonschema.compile(schema, use_default=False)


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
    try:
        _validator(type(command))(result)
    except fastjsonschema.JsonSchemaValueException as error:
        pytest.fail(f"the result of {command.spec.name} is not {command.spec.result}: {error.message}"[:500])


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
