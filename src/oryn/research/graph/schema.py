"""The JSON schema of a language model's answer, and its parser. Pure."""

from __future__ import annotations

from typing import Any

from oryn.core.text_safety import shortened
from oryn.research.graph.knowledge import GraphStatement, StatementCategory

MAX_CATEGORIES = 8
MAX_STATEMENTS = 8
"""The maximum number of statements in one category."""
MAX_STATEMENT_CHARACTERS = 400
"""The maximum length of a statement; longer ones are left out."""
MAX_NAME_CHARACTERS = 60


def answer_schema(passages: int) -> dict[str, Any]:
    """The JSON Schema (2020-12) of an answer about `passages` passages, which are numbered from 1. It only has keywords
    that all endpoints with structured output support; the length of text is none of them."""
    from oryn.models.structured_reply import object_schema

    number = {"type": "integer", "minimum": 1, "maximum": passages}
    statement = object_schema(
        text={"type": "string"}, passages={"type": "array", "items": number, "minItems": 1, "maxItems": 5}
    )
    category = object_schema(
        name={"type": "string"},
        statements={"type": "array", "items": statement, "minItems": 1, "maxItems": MAX_STATEMENTS},
    )
    return object_schema(categories={"type": "array", "items": category, "minItems": 1, "maxItems": MAX_CATEGORIES})


def outline_of(answer: Any) -> tuple[StatementCategory, ...]:
    """The statements by category in an answer that holds to the schema; passages are referred to by their index."""
    return tuple(
        StatementCategory(
            shortened(_line(category["name"]) or "Other", MAX_NAME_CHARACTERS),
            tuple(
                GraphStatement(_line(each["text"]), tuple(dict.fromkeys(number - 1 for number in each["passages"])))
                for each in category["statements"]
                if 0 < len(_line(each["text"])) <= MAX_STATEMENT_CHARACTERS
            ),
        )
        for category in answer["categories"]
    )


def _line(text: str) -> str:
    return " ".join(text.split())
