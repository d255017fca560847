"""Answers of chat models that follow a JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from oryn.models.endpoint import ChatMessage, SilentListener

if TYPE_CHECKING:
    from oryn.errors import ResearchError
    from oryn.models.model import ChatModel

MAX_ATTEMPTS = 3

T = TypeVar("T")


async def structured_reply(
    model: ChatModel,
    instructions: str,
    text: str,
    schema: Mapping[str, Any],
    read: Callable[[Any], T],
    *,
    error: type[ResearchError],
) -> T:
    """What `read` makes of the model's answer to `text`, which holds to `schema`. The model gets the reason if it does
    not. `instructions` are for the model alone; `read` may raise `ValueError` with a reason.

    Raises `ModelError`, and `error` if the model refuses, or no answer of `MAX_ATTEMPTS` can be used."""
    messages = [ChatMessage("system", instructions), ChatMessage("user", text)]
    wrong = ""
    for _ in range(MAX_ATTEMPTS):
        reply = await model.reply(messages, SilentListener(), schema=schema)
        if reply.refused:
            raise error("the model would not answer")
        try:
            return read(valid_answer(reply.text, schema))
        except ValueError as reason:
            wrong = str(reason)
            messages += [
                ChatMessage("assistant", reply.text or "…"),
                ChatMessage("user", f"That can't be used: {wrong}."),
            ]
    raise error(f"the model's answer does not hold to the schema: {wrong}")


def object_schema(**properties: Any) -> dict[str, Any]:
    """A JSON Schema of an object that has all of these properties and no others, as endpoints with structured output
    demand."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def valid_answer(text: str, schema: Mapping[str, Any]) -> Any:
    """The JSON object in a text, from the first brace to the last: models like to add words and fences around it.
    Raises `ValueError` with a reason from which a model can correct the answer."""
    begin, end = text.find("{"), text.rfind("}")
    try:
        answer = json.loads(text[begin : end + 1])
    except (ValueError, RecursionError):
        raise ValueError("the answer is not one JSON object") from None
    wrong = best_match(Draft202012Validator(schema).iter_errors(answer))
    if wrong is not None:
        raise ValueError(f"at {wrong.json_path}: {wrong.message[:200]}")
    return answer
