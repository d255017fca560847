"""A passage as a point of Qdrant's: its number, its payload, and back."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from typing import Any

from oryn.research.documents import Passage, Ranked
from oryn.research.failures import IndexFailed
from oryn.research.index.words import legal

DENSE = "dense"
WORDS = "bm25"
"""The names of a point's two vectors."""

URL = "url"
"""The key of the payload by which pages are found and forgotten."""


def number(passage: Passage) -> uuid.UUID:
    """Of the passage's `id`, and so the same whenever that is: points have UUIDs or integers for names."""
    return uuid.UUID(bytes=hashlib.sha256(passage.id.encode("utf-8", "replace")).digest()[:16])


def payload(passage: Passage) -> dict[str, Any]:
    return {key: legal(value) if isinstance(value, str) else value for key, value in passage.form().items()}


def passage_of(payload: dict[str, Any] | None) -> Passage:
    """Raises `IndexFailed` when the payload is no passage."""
    try:
        return Passage(**(payload or {}))
    except TypeError as wrong:
        raise IndexFailed(
            f"the collection has something that is no passage: {wrong}", "Use another collection, or drop this one."
        ) from wrong


def ranked(found: Iterable[tuple[dict[str, Any] | None, float]]) -> list[Ranked]:
    """What a search found, payloads and scores; equal scores in the order of the passages' `id`, since engines keep
    none."""
    each = [Ranked(passage_of(payload), score) for payload, score in found]
    return sorted(each, key=lambda one: (-one.score, one.passage.id))
