"""Text as the model's tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from oryn.research.failures import EmbeddingModelMissing

LONGEST = 65_536
"""Characters that are looked at. A token of prose has 4 or 5, so this is far beyond any limit; what it bounds is the
time that a text of megabytes takes."""

Token = TypeVar("Token")


class Read(NamedTuple):
    """A text's tokens: their ids, what they are written as, where they stand in the text."""

    ids: list[int]
    pieces: list[str]
    offsets: list[tuple[int, int]]


class Tokens:
    """A `tokenizer.json`, neither padding nor cutting as that file says: how long texts are is for the model to say.
    Raises `EmbeddingModelMissing` for what is no tokenizer. Safe to use in several threads."""

    def __init__(self, definition: bytes, place: str) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_buffer(definition)
        except Exception as error:  # The library raises no class of its own, here a bare Exception or ValueError.
            raise EmbeddingModelMissing(f"tokenizer.json of {place} is not one: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def count(self, text: str) -> int:
        """The tokens of a text, the two that stand around it included; of more than `LONGEST` characters, as many as
        that."""
        if len(text) > LONGEST:
            return LONGEST
        return len(self._tokenizer.encode(_legal(text)).ids)

    def ids(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """Each text's ids. A longer one is cut to `limit`, its last token (the mark of the end) kept."""
        found = self._tokenizer.encode_batch_fast([_legal(text[:LONGEST]) for text in texts])
        return [_cut(each.ids, limit) for each in found]

    def read(self, texts: Sequence[str], limit: int) -> list[Read]:
        """The same, with what each token is written as and where it stands in the text."""
        found = self._tokenizer.encode_batch([_legal(text[:LONGEST]) for text in texts])
        return [
            Read(*(_cut(each, limit) for each in (encoding.ids, encoding.tokens, encoding.offsets)))
            for encoding in found
        ]


def _cut(tokens: list[Token], limit: int) -> list[Token]:
    return tokens if len(tokens) <= limit else [*tokens[: limit - 1], tokens[-1]]


def _legal(text: str) -> str:
    """Without lone surrogates, which have no UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
