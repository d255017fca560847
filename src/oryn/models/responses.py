"""Parses the responses of an endpoint: events of a stream, a JSON body, or an error; and counts the used tokens and
their cost. Pure: `model` maps the exceptions of `httpx`.

It accepts what compatible endpoints leave out or add: no usage, no `[DONE]`, content as a list of parts. The text of an
endpoint's error is quoted and shortened; `model` removes the key from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from math import ceil
from typing import Any

from oryn.core.records import Record
from oryn.core.retry_after import retry_after
from oryn.core.text_safety import quoted, shortened
from oryn.errors import (
    ContextTooLong,
    ModelError,
    ModelFailed,
    ModelNotFound,
    ModelRateLimited,
    ModelUnauthorized,
    ModelUnreachable,
)

_BYTES_PER_TOKEN = 4
"""The approximate size of a token of English text and of JSON, in the encodings of today's models."""
_TOKENS_PER_MESSAGE = 4


class Usage(Record):
    """The tokens of one request or of several. `estimated`: the endpoint did not report them, and Oryn
    estimated them."""

    prompt: int = 0
    completion: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.prompt + other.prompt, self.completion + other.completion, self.estimated or other.estimated)


class Prices(Record):
    """Prices of a million tokens, in any currency; None if a price is not known."""

    prompt: float | None = None
    completion: float | None = None

    def cost(self, usage: Usage) -> float | None:
        """Return the cost of a usage; None if a price is missing."""
        if self.prompt is None or self.completion is None:
            return None
        return (usage.prompt * self.prompt + usage.completion * self.completion) / 1_000_000


def estimated_tokens(texts: Iterable[str]) -> int:
    """Return the approximate number of tokens of messages with these texts."""
    return sum(ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN) + _TOKENS_PER_MESSAGE for text in texts)


MAX_QUOTED_CHARACTERS = 300
"""The maximum length of an endpoint's text in an error."""

_TOO_LONG = ("context_length_exceeded", "context length", "context window", "context size", "prompt is too long")
_TRANSIENT = frozenset({408, 409, 425, 500, 502, 503, 504, 529})
"""Statuses after which a retry may succeed."""


def error_from_response(
    status: int, body: Mapping[str, Any] | str, headers: Mapping[str, str] | None = None
) -> ModelError:
    """Return the error of a response from its status, its JSON or text, and its headers (names in lower case)."""
    code, message = _error_fields(body)
    detail = f": {quoted(shortened(message, MAX_QUOTED_CHARACTERS))}" if message else ""
    answered = f"the endpoint answered HTTP {status}" if status != 200 else "the endpoint broke off with an error"
    if code == "insufficient_quota":
        return ModelRateLimited(f"the account has no money left{detail}", "Only its owner can change that.")
    if any(word in f"{code} {message}".lower() for word in _TOO_LONG):
        return ContextTooLong(f"the conversation is longer than the model's context{detail}")
    if status in (401, 403):
        return ModelUnauthorized(f"the endpoint does not take the key{detail}")
    if status == 404 and (code == "model_not_found" or "model" in message.lower()):
        return ModelNotFound(f"the endpoint has no such model{detail}")
    if status == 404:
        return ModelNotFound(
            f"the endpoint has no such address{detail}", "Its address ends where /chat/completions begins."
        )
    if status == 429:
        wait = retry_after(headers or {}, datetime.now(UTC))
        wants = f"no request for {wait:g} s" if wait else "fewer requests"
        return ModelRateLimited(f"the endpoint wants {wants}{detail}", again=True, wait=wait)
    return ModelFailed(f"{answered}{detail}", again=status in _TRANSIENT or status == 200)


def _error_fields(body: Mapping[str, Any] | str) -> tuple[str, str]:
    """The code and the message of an error, in the various forms of endpoints."""
    if isinstance(body, str):
        return "", " ".join(body.split())
    error = body.get("error", body)
    if not isinstance(error, dict):
        return "", str(error)
    message = error.get("message") or error.get("detail") or ""
    return str(error.get("code") or ""), str(message)


DONE = "[DONE]"

MAX_REPLY_CHARACTERS = 1_000_000
"""The maximum length of a reply, which limits a model that does not stop."""


class ModelReply(Record):
    """The reply of a model. `refused`: the model, or a filter of its endpoint, declined; `cut`: the reply reached the
    limit of tokens. `usage` is None if the endpoint does not report it."""

    text: str
    refused: bool = False
    cut: bool = False
    usage: Usage | None = None


class ReplyParser:
    """Parses one reply, from the events of a stream or from one JSON body."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._refused = False
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._done = False

    def feed(self, data: str) -> str:
        """Add the data of an event; returns the text that it adds. Raises `ModelError`."""
        if data.strip() == DONE:
            self._done = True
            return ""
        if not data.strip():
            return ""
        event = _object(data)
        if event.get("error"):
            raise error_from_response(200, event)
        self._usage = _usage(event) or self._usage
        choice = _first(event)
        self._finish = choice.get("finish_reason") or self._finish
        return self._add(choice.get("delta"))

    def whole(self, body: str) -> str:
        """Add a response that is not a stream; returns its text. Raises `ModelFailed` if it is not JSON or has no
        message, or else the `ModelError` that it reports."""
        answer = _object(body)
        if answer.get("error"):
            raise error_from_response(200, answer)
        choice = _first(answer)
        if not isinstance(choice.get("message"), dict):
            raise ModelFailed("the endpoint answered JSON without a message", "Is it one for chat completions?")
        self._usage, self._done = _usage(answer), True
        self._finish = choice.get("finish_reason")
        return self._add(choice["message"])

    def end(self) -> ModelReply:
        """Return the complete reply. Raises `ModelUnreachable` if the stream has ended early."""
        if not self._done and self._finish is None:
            raise ModelUnreachable("the endpoint's answer broke off", again=True)
        refused = self._refused or self._finish == "content_filter"
        return ModelReply("".join(self._parts), refused, self._finish == "length", self._usage)

    def _add(self, message: Any) -> str:
        if not isinstance(message, dict):
            return ""
        refusal = _text(message.get("refusal"))
        self._refused = self._refused or bool(refusal)
        text = _text(message.get("content")) + refusal
        self._length += len(text)
        if self._length > MAX_REPLY_CHARACTERS:
            raise ModelFailed(f"the model's reply is longer than {MAX_REPLY_CHARACTERS} characters")
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
    """The first choice of an event; some events, such as that of the usage, have none."""
    choices = event.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) and first.get("index", 0) == 0 else {}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _usage(event: Mapping[str, Any]) -> Usage | None:
    usage = event.get("usage")
    if not isinstance(usage, dict):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return Usage(prompt, completion)
