"""The form that a language model's answer is held to, and the reading of it. Pure."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from oryn.engine.escape import shortened
from oryn.research.graph.knowledge import Category, Statement

MOST_CATEGORIES = 8
MOST_STATEMENTS = 8
"""In one category."""
LONGEST_STATEMENT = 400
"""Characters; what is longer is no statement, and left out."""
LONGEST_NAME = 60


def answer_schema(passages: int) -> dict[str, Any]:
    """The JSON Schema (2020-12) of an answer about so many passages, which are numbered from 1. It has no keyword that
    endpoints which hold a model to a schema don't know, such as the length of text."""
    number = {"type": "integer", "minimum": 1, "maximum": passages}
    statement = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "passages": {"type": "array", "items": number, "minItems": 1, "maxItems": 5},
        },
        "required": ["text", "passages"],
        "additionalProperties": False,
    }
    category = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "statements": {"type": "array", "items": statement, "minItems": 1, "maxItems": MOST_STATEMENTS},
        },
        "required": ["name", "statements"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"categories": {"type": "array", "items": category, "minItems": 1, "maxItems": MOST_CATEGORIES}},
        "required": ["categories"],
        "additionalProperties": False,
    }


def read_answer(text: str, schema: dict[str, Any]) -> tuple[Category, ...]:
    """The outline that an answer gives, its passages by places from 0. Raises `ValueError` with what is wrong, in words
    that a model can mend it by."""
    try:
        answer = json.loads(_object_in(text))
    except (ValueError, RecursionError):
        raise ValueError("the answer is not one JSON object") from None
    wrong = best_match(Draft202012Validator(schema).iter_errors(answer))
    if wrong is not None:
        raise ValueError(f"at {wrong.json_path}: {wrong.message[:200]}")
    return tuple(
        Category(
            shortened(_line(category["name"]) or "Other", LONGEST_NAME),
            tuple(
                Statement(_line(each["text"]), tuple(dict.fromkeys(number - 1 for number in each["passages"])))
                for each in category["statements"]
                if 0 < len(_line(each["text"])) <= LONGEST_STATEMENT
            ),
        )
        for category in answer["categories"]
    )


def _object_in(text: str) -> str:
    """From the first brace to the last: models like to say something before, after, and to put fences around it."""
    begin, end = text.find("{"), text.rfind("}")
    return text[begin : end + 1]


def _line(text: str) -> str:
    return " ".join(text.split())
