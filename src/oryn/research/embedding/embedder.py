"""The embedder: texts in, unit vectors out.

Measured on passages of the evaluation pages, one thread: 25 a second one at a time, 19 in batches of 32, whose hidden
states and attention no longer fit the processor's caches and take 1.8 GB. Short sentences gain by batches (150 a second
one by one, 250 together). So a batch holds as many tokens as one passage of full length, and what runs at the same time
is batches, one a thread: that uses two processors better than two threads within one operation do (42 against 40), and
nobody spins while nobody asks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from oryn.errors import EmbeddingModelMissing
from oryn.research.embedding.model import ModelFiles, TextTokenizer, model_in_folder, packaged_model

if TYPE_CHECKING:
    from oryn.research.onnx_runtime import InferenceSession

Vectors = npt.NDArray[np.float32]
MAX_THREADS = 8
"""The maximum number of threads: more of them wait for memory longer than they gain."""


class TokenVectors(NamedTuple):
    """A text as the model reads it: the ids of its tokens with the start and end markers, the tokens as text, their
    offsets in the text, and their hidden states, one row each, not normalized."""

    ids: list[int]
    pieces: list[str]
    offsets: list[tuple[int, int]]
    vectors: Vectors


class Embedder:
    """A loaded model with its tokenizer, created by `Embedder.load()`. Safe to use in several threads at once.

    `hash` (SHA-256, hexadecimal) identifies the model, `dimensions` is the length of a vector (384), `limit` the number
    of tokens of a text that are read (256); the rest has no part in its vector."""

    def __init__(self, files: ModelFiles, threads: int | None = None) -> None:
        self.hash = files.hash
        self.limit = files.limit
        self.threads = threads or min(MAX_THREADS, _processors())
        self._tokens = TextTokenizer(files.tokenizer, files.place)
        self._session = _session(files)
        self._inputs = {each.name for each in self._session.get_inputs()}
        self.dimensions = self._run([[0]]).shape[1]

    @classmethod
    def load(cls, path: Path | str | None = None, *, threads: int | None = None) -> Self:
        """The model of the package, pinned by its hash, or that of a folder with `model.onnx` and `tokenizer.json`.
        `threads`: None uses as many as there are processors, at most 8. Uses no network, now or later. Raises
        `EmbeddingModelMissing`."""
        try:
            return cls(packaged_model() if path is None else model_in_folder(Path(path)), threads)
        except ImportError as error:
            raise EmbeddingModelMissing(f"the package {error.name} is not installed") from error

    def count(self, text: str) -> int:
        """The number of tokens of a text, the 2 markers included. `embed` truncates a text of more than `limit`."""
        return self._tokens.count(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The unit vectors of `texts` as an array of `float32` with the shape `(len(texts), dimensions)`. An empty text
        has a vector too."""
        ids = self._tokens.ids(texts, self.limit)
        vectors = np.empty((len(ids), self.dimensions), np.float32)

        def fill(rows: list[int]) -> None:
            vectors[rows] = self._run([ids[row] for row in rows])

        self._in_batches(ids, fill)
        return vectors

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """The hidden state of each token, for each text: to compare texts more closely than by one vector."""
        read = self._tokens.read(texts, self.limit)
        vectors: list[Vectors] = [np.empty(0, np.float32)] * len(read)

        def fill(rows: list[int]) -> None:
            hidden, _ = self._hidden([read[row].ids for row in rows])
            for row, states in zip(rows, hidden, strict=True):
                vectors[row] = states[: len(read[row].ids)]

        self._in_batches([each.ids for each in read], fill)
        return [TokenVectors(*each, states) for each, states in zip(read, vectors, strict=True)]

    def _in_batches(self, ids: list[list[int]], fill: Callable[[list[int]], None]) -> None:
        batches = list(_batches(ids, self.limit))
        if len(batches) < 2 or self.threads < 2:
            for rows in batches:
                fill(rows)
        else:
            with ThreadPoolExecutor(min(self.threads, len(batches)), "embedding") as pool:
                list(pool.map(fill, batches))

    def _run(self, batch: list[list[int]]) -> Vectors:
        """The mean of each text's hidden states, normalized to length 1."""
        hidden, mask = self._hidden(batch)
        pooled = np.einsum("rtd,rt->rd", hidden, mask.astype(np.float32))
        vectors: Vectors = pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        return vectors

    def _hidden(self, batch: list[list[int]]) -> tuple[Vectors, npt.NDArray[np.int64]]:
        """The hidden states of each text's tokens, and the mask of those that are no padding."""
        shape = len(batch), max(map(len, batch))
        ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, each in enumerate(batch):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros(shape, np.int64)}
        return self._session.run(None, {name: feed[name] for name in self._inputs})[0], mask


def _batches(ids: list[list[int]], budget: int) -> Iterator[list[int]]:
    """Rows of texts of near the same length, whose padded tokens are within the budget: the longest first, so that no
    thread ends with a long one while the others have nothing left."""
    rows: list[int] = []
    for row in sorted(range(len(ids)), key=lambda row: -len(ids[row])):
        if rows and (len(rows) + 1) * len(ids[rows[0]]) > budget:
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows


def _session(files: ModelFiles) -> InferenceSession:
    from oryn.research.onnx_runtime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = InferenceSession(files.model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # Its many classes have no other base.
        raise EmbeddingModelMissing(f"model.onnx of {files.place} can't be loaded: {error}") from error
    names: set[str] = {each.name for each in session.get_inputs()}
    if not {"input_ids"} <= names <= {"input_ids", "attention_mask", "token_type_ids"}:
        raise EmbeddingModelMissing(f"model.onnx of {files.place} does not take tokens: its inputs are {sorted(names)}")
    return session


def _processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
