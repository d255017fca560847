"""Hints for models, which have arguments where a line has options."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.engine import Answer
from oryn.engine.output.answer import PrerenderedAnswer
from oryn.errors import OrynError
from oryn.language.commands.research import WebExtract, WebSearch
from oryn.mcp.results import with_arguments_named


@pytest.mark.parametrize(
    ("command", "hint", "named"),
    [
        (WebSearch("fern"), "Use another source: --source wikipedia.", "Use another source: source wikipedia."),
        (WebExtract(("https://a.example",)), "Use --no-llm, or --browser always.", "Use no_llm, or browser always."),
        (
            WebSearch("fern"),
            "Only the user can allow it: --allow-private.",
            "Only the user can allow it: --allow-private.",
        ),
    ],
)
def test_options_are_named_as_arguments(command: Any, hint: str, named: str) -> None:
    answer = with_arguments_named(Answer(error=OrynError("no", hint)), command)
    assert answer.error is not None and answer.error.hint == named
    form = {"ok": False, "error": {"message": "no", "hint": hint}}
    there = Answer(
        error=OrynError("no", hint), prerendered=PrerenderedAnswer(f"error search: no\n\n# hint\n{hint}", form)
    )
    with_arguments_named(there, command)
    assert there.prerendered is not None and there.prerendered.text.endswith(named)
    assert there.prerendered.form == {"ok": False, "error": {"message": "no", "hint": named}}
