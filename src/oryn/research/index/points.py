"""Converts passages to Qdrant points (id, payload) and back."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from typing import Any

from oryn.errors import IndexFailed
from oryn.research.documents import Passage, RankedPassage, TextRow
from oryn.research.index.bm25 import without_surrogates

DENSE = "dense"
WORDS = "bm25"
"""The names of a point's two vectors."""

URL = "url"
"""The key of the payload by which pages are found and forgotten."""


def number(passage: Passage) -> uuid.UUID:
    """The UUID of a point, derived from the passage's `id`: the engine accepts UUIDs or integers only."""
    return uuid.UUID(bytes=hashlib.sha256(passage.id.encode("utf-8", "replace")).digest()[:16])


def payload(passage: Passage) -> dict[str, Any]:
    """The fields of a passage as a point's payload. Lone surrogates, which the engine rejects, are replaced."""
    return {key: _storable(value) for key, value in passage.form().items()}


def _storable(value: Any) -> Any:
    match value:
        case str():
            return without_surrogates(value)
        case list():
            return [_storable(each) for each in value]
        case dict():
            return {key: _storable(each) for key, each in value.items()}
    return value


def passage_of(payload: dict[str, Any] | None) -> Passage:
    """The passage of a payload. Raises `IndexFailed` if it is none."""
    try:
        fields = dict(payload or {})
        fields["rows"] = tuple(TextRow(**row) for row in fields.get("rows", ()))
        return Passage(**fields | {"headers": tuple(fields.get("headers", ()))})
    except TypeError as wrong:
        raise IndexFailed(
            f"the collection has something that is not a passage: {wrong}", "Use another collection, or drop this one."
        ) from wrong


def ranked(found: Iterable[tuple[dict[str, Any] | None, float]]) -> list[RankedPassage]:
    """The passages that a search has found, from payloads and scores; equal scores in the order of the passages' `id`,
    since engines have no fixed order."""
    each = [RankedPassage(passage_of(payload), score) for payload, score in found]
    return sorted(each, key=lambda one: (-one.score, one.passage.id))
