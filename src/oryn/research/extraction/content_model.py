"""The model that decides which segments of a page are content, and what kind of page it is: `content_model.npz`, which
`python -m scripts.content_model` makes. Its trees run in ONNX Runtime (https://onnxruntime.ai)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import IO, Any, Self

import numpy as np

from oryn.research.extraction.layout import Floats, PageLayout
from oryn.research.extraction.stages import first_features, kinds_by_tokens, second_features, token_columns
from oryn.research.onnx_runtime import InferenceSession, SessionOptions

FILE = "content_model.npz"
INPUT = "features"


class ContentModel:
    """The parts of the model: weights of tokens, and trees of the kind, of the two stages and of selections. `card`
    says what it was trained with, and under which licences."""

    def __init__(self, parts: Any) -> None:
        self.card = str(parts["card"])
        self._tokens = parts["tokens"].astype(np.float32)
        self._kind_tokens = parts["kind_tokens"].astype(np.float32)
        self._kind = _session(parts["kind"])
        self._first = _session(parts["first"])
        self._second = _session(parts["second"])
        self._selection = _session(parts["selection"])

    @classmethod
    def read(cls, file: IO[bytes]) -> Self:
        """The model of a file in NumPy's format for several arrays."""
        with np.load(file, allow_pickle=False) as parts:
            return cls(parts)

    def kinds(self, values: Floats, layout: PageLayout) -> Floats:
        """The probabilities of `kind.KINDS`, by the page's features and tokens."""
        both = np.concatenate([values, kinds_by_tokens(layout, self._kind_tokens)])
        raw = _run(self._kind, both[None, :])[0]
        powers = np.exp(raw - raw.max())
        found: Floats = (powers / powers.sum()).astype(np.float32)
        return found

    def probabilities(self, values: Floats, layout: PageLayout, kinds: Floats) -> Floats:
        """The probability of each segment to be content, by the segments' features."""
        first = first_features(values, token_columns(layout, self._tokens), kinds)
        return _logistic(
            _run(self._second, second_features(first, _logistic(_run(self._first, first)[:, 0]), layout))[:, 0]
        )

    def order(self, features: Floats) -> Floats:
        """The worth of each candidate of a page, by `PageSelections.features`: the largest is the best."""
        found: Floats = _run(self._selection, features)[:, 0]
        return found


@cache
def content_model() -> ContentModel:
    """The model of this version, read once."""
    with (files("oryn.research.extraction") / FILE).open("rb") as file:
        return ContentModel.read(file)


def _session(part: Any) -> InferenceSession:
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return InferenceSession(part.tobytes(), options, providers=["CPUExecutionProvider"])


def _run(session: InferenceSession, values: Floats) -> Floats:
    found: Floats = session.run(None, {INPUT: np.ascontiguousarray(values, dtype=np.float32)})[0]
    return found


def _logistic(raw: Floats) -> Floats:
    found: Floats = (1 / (1 + np.exp(-raw))).astype(np.float32)
    return found
