"""Reads what an endpoint answers: events of a stream, or one piece of JSON. Pure.

What compatible endpoints leave out or add is borne: no usage, no `[DONE]`, content as a list of parts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from oryn.errors import ModelFailed, ModelUnreachable
from oryn.models.failures import refusal_of
from oryn.models.usage import Usage
from oryn.records import Record

DONE = "[DONE]"

LONGEST = 1_000_000
"""Characters of a reply: a model that goes on and on is none to wait for."""


class Reply(Record):
    """What a model said. `refused` where it, or its endpoint's filter, would not; `cut` where it had no room for more.
    `usage` is None where the endpoint does not tell."""

    text: str
    refused: bool = False
    cut: bool = False
    usage: Usage | None = None


class Reading:
    """One reply as its events come."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._refused = False
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._done = False

    def feed(self, data: str) -> str:
        """Take an event's data; the text that it adds. Raises `ModelError`."""
        if data.strip() == DONE:
            self._done = True
            return ""
        if not data.strip():
            return ""
        event = _object(data)
        if event.get("error"):
            raise refusal_of(200, event)
        self._usage = _usage(event) or self._usage
        choice = _first(event)
        self._finish = choice.get("finish_reason") or self._finish
        return self._add(choice.get("delta"))

    def whole(self, body: str) -> str:
        """Take an answer that is no stream; its text. Raises `ModelError`."""
        answer = _object(body)
        if answer.get("error"):
            raise refusal_of(200, answer)
        choice = _first(answer)
        if not isinstance(choice.get("message"), dict):
            raise ModelFailed("the endpoint answered JSON without a message", "Is it one for chat completions?")
        self._usage, self._done = _usage(answer), True
        self._finish = choice.get("finish_reason")
        return self._add(choice["message"])

    def end(self) -> Reply:
        """All of it. Raises `ModelUnreachable` where the stream broke off."""
        if not self._done and self._finish is None:
            raise ModelUnreachable("the endpoint's answer broke off", again=True)
        refused = self._refused or self._finish == "content_filter"
        return Reply("".join(self._parts), refused, self._finish == "length", self._usage)

    def _add(self, said: Any) -> str:
        if not isinstance(said, dict):
            return ""
        refusal = _text(said.get("refusal"))
        self._refused = self._refused or bool(refusal)
        text = _text(said.get("content")) + refusal
        self._length += len(text)
        if self._length > LONGEST:
            raise ModelFailed(f"the model's reply is longer than {LONGEST} characters")
        self._parts.append(text)
        return text


def _object(data: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ModelFailed("the endpoint answered something else than JSON", "Is it one for chat completions?")
    return found


def _first(event: Mapping[str, Any]) -> dict[str, Any]:
    """The first choice; some events, such as that of the usage, have none."""
    choices = event.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) and first.get("index", 0) == 0 else {}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _usage(event: Mapping[str, Any]) -> Usage | None:
    told = event.get("usage")
    if not isinstance(told, dict):
        return None
    prompt, completion = told.get("prompt_tokens"), told.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return Usage(prompt, completion)
