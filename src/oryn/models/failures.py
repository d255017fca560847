"""Answers that are none, as errors of ours. Pure: what `httpx` raises is mapped in `model`.

What an endpoint says stands quoted and shortened; that the key stands in none of it is `model`'s care.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from oryn.engine.escape import quoted, shortened
from oryn.errors import (
    ContextTooLong,
    ModelError,
    ModelFailed,
    ModelNotFound,
    ModelRateLimited,
    ModelUnauthorized,
)
from oryn.retry_after import retry_after

SHOWN = 300
"""Characters of what an endpoint says."""

_TOO_LONG = ("context_length_exceeded", "context length", "context window", "context size", "prompt is too long")
_PASSING = frozenset({408, 409, 425, 500, 502, 503, 504, 529})
"""Statuses of what may be otherwise in a moment."""


def refusal_of(status: int, body: Mapping[str, Any] | str, headers: Mapping[str, str] | None = None) -> ModelError:
    """The error that an answer is: its status, its JSON or its text, its headers (names in small letters)."""
    code, message = _told(body)
    said = f": {quoted(shortened(message, SHOWN))}" if message else ""
    answered = f"the endpoint answered HTTP {status}" if status != 200 else "the endpoint broke off with an error"
    if code == "insufficient_quota":
        return ModelRateLimited(f"the account has no money left{said}", "Only its owner can change that.")
    if any(word in f"{code} {message}".lower() for word in _TOO_LONG):
        return ContextTooLong(f"the conversation is longer than the model's context{said}")
    if status in (401, 403):
        return ModelUnauthorized(f"the endpoint does not take the key{said}")
    if status == 404 and (code == "model_not_found" or "model" in message.lower()):
        return ModelNotFound(f"the endpoint has no such model{said}")
    if status == 404:
        return ModelNotFound(
            f"the endpoint has no such address{said}", "Its address ends where /chat/completions begins."
        )
    if status == 429:
        wait = retry_after(headers or {}, datetime.now(UTC))
        wants = f"no request for {wait:g} s" if wait else "fewer requests"
        return ModelRateLimited(f"the endpoint wants {wants}{said}", again=True, wait=wait)
    return ModelFailed(f"{answered}{said}", again=status in _PASSING or status == 200)


def _told(body: Mapping[str, Any] | str) -> tuple[str, str]:
    """The code and the message of an error, in the forms that endpoints have for it."""
    if isinstance(body, str):
        return "", " ".join(body.split())
    error = body.get("error", body)
    if not isinstance(error, dict):
        return "", str(error)
    message = error.get("message") or error.get("detail") or ""
    return str(error.get("code") or ""), str(message)
