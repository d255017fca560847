"""Training of the content model: weights of tokens, the kind of a page, two stages over segments, and the order of
whole selections (`ranking.py`).

Each part is trained with what the parts before it say of pages that they have not seen. For that the pages are parted
by site; each part is predicted by models that were trained on the others. The same
predictions are the cross-validation (`evaluation.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import lightgbm
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression, SGDClassifier

from oryn.research.extraction.kind import KINDS
from oryn.research.extraction.layout import MEASURES, TOKEN_BUCKETS, Floats
from oryn.research.extraction.stages import (
    TOKEN_TABLES,
    first_features,
    kinds_by_tokens,
    page_tokens,
    second_features,
    token_columns,
    token_rows,
)
from scripts.content_model.collections import FOLDS, fold_of
from scripts.content_model.ranking import RankedPages
from scripts.content_model.samples import PageSample
from scripts.content_model.variants import UNNAMED

FOREIGN: tuple[str, ...] = ()
"""Collections that are a part each, so that they are scored by models that have not seen them at all."""
THREADS = 1
"""More threads wait for each other on a machine that has other work."""
MAX_PAGE_ROWS = 140
"""Segments of a page that a stage is trained with: of longer pages, a random choice."""
PAGE_WEIGHT = 100.0
WEIGHTS = {
    "product": 2.0, "listing": 2.0, "collection": 2.0, "forum": 1.7, "service": 1.5,
    "public": 1.5, "dragnet-dev": 1.2,
}  # fmt: skip
"""How much more a page of a kind, or of a collection without kinds, counts than others: there are fewer of these, or
each is harder to read."""
SNIPPET_WEIGHT = 4.8
"""The weight of a segment of a page of which only snippets are marked."""
_WORDS = MEASURES.index("words")
TREES: dict[str, Any] = {
    "objective": "binary", "learning_rate": 0.07, "num_leaves": 47, "max_depth": 11, "min_data_in_leaf": 80,
    "feature_fraction": 0.3, "bagging_fraction": 0.6, "bagging_freq": 1, "lambda_l2": 5.0, "max_bin": 63,
    "num_threads": THREADS, "verbosity": -1, "deterministic": True, "force_col_wise": True,
}  # fmt: skip
KIND_TREES: dict[str, Any] = TREES | {
    "objective": "multiclass", "num_class": len(KINDS), "num_leaves": 8, "min_data_in_leaf": 15, "learning_rate": 0.04,
    "bagging_fraction": 0.8,
}  # fmt: skip


@dataclass(frozen=True)
class ModelSize:
    """How many trees each part has, and with how many seeds each stage and the order of selections is trained."""

    kind: int = 150
    first: int = 210
    second: int = 180
    seeds: int = 3
    selection: int = 150
    selection_seeds: int = 2


@dataclass
class TrainedModel:
    """A trained model: `tokens` and `kind_tokens` are weights, the others boosters; a stage and the order of selections
    have one for each seed."""

    tokens: Floats
    kind_tokens: Floats
    kind: lightgbm.Booster
    first: list[lightgbm.Booster]
    second: list[lightgbm.Booster]
    selection: list[lightgbm.Booster]


@dataclass
class Unseen:
    """What models that have not seen a sample's part say of it: the kinds, and the segments to keep."""

    kinds: Floats
    chosen: npt.NDArray[np.bool_]


class StageRows:
    """Rows of segments to train a stage with, binned once."""

    def __init__(self, samples: Sequence[PageSample], values: Sequence[Floats], parts: npt.NDArray[np.int64]) -> None:
        rows, labels, weights, places = [], [], [], []
        for sample, features, part in zip(samples, values, parts, strict=True):
            picked, weight = _picked(sample)
            rows.append(features[picked])
            labels.append(sample.content[picked])
            weights.append(weight)
            places.append(np.full(len(picked), part))
        self._parts = np.concatenate(places)
        self._data = lightgbm.Dataset(
            np.vstack(rows), np.concatenate(labels), weight=np.concatenate(weights), params=TREES, free_raw_data=True
        ).construct()

    def fit(self, trees: int, seed: int, without: int | None = None) -> lightgbm.Booster:
        """A booster of all rows, or of those outside a part."""
        data = self._data if without is None else self._data.subset(np.flatnonzero(self._parts != without))
        return lightgbm.train(TREES | {"seed": seed}, data, trees)


def part_of(sample: PageSample) -> int:
    """The part that a sample is in: that of its site, or of its collection."""
    if sample.page.collection in FOREIGN:
        return FOLDS + FOREIGN.index(sample.page.collection)
    return fold_of(sample.page)


class Training:
    """Trains all parts, step by step. After `run`, `unseen` has what was said of each sample unseen."""

    def __init__(self, samples: Sequence[PageSample], size: ModelSize) -> None:
        self.samples = list(samples)
        self.size = size
        self.parts = np.array([part_of(each) for each in samples])
        self.unseen: list[Unseen] = []

    def run(self, *, final: bool = True, validated: bool = False) -> TrainedModel | None:
        """Train, and return the model that has seen all samples, None if not `final`. If `validated`, `unseen` is
        filled."""
        numbers = sorted(set(self.parts.tolist()))
        matrix = TokenMatrix(self.samples)
        by_part = {part: matrix.fit(self.parts != part) for part in numbers}
        tokens = [
            token_columns(each.layout, by_part[part]) for each, part in zip(self.samples, self.parts, strict=True)
        ]
        by_tokens = self._kinds_by_tokens(numbers)
        kinds = self._kinds(numbers, by_tokens)
        first_values = [
            first_features(each.values, *said) for each, *said in zip(self.samples, tokens, kinds, strict=True)
        ]
        first_rows = StageRows(self.samples, first_values, self.parts)
        first = self._outside(first_rows, first_values, self.size.first, 1)
        second_values = [
            second_features(values, probabilities, each.layout)
            for values, probabilities, each in zip(first_values, first, self.samples, strict=True)
        ]
        first_model = (
            [first_rows.fit(self.size.first, 7 * seed + 1) for seed in range(self.size.seeds)] if final else []
        )
        del first_rows
        rows = StageRows(self.samples, second_values, self.parts)
        second = self._outside(rows, second_values, self.size.second, 101)
        ranked = RankedPages(self.samples, second, kinds, (self.parts >= FOLDS).tolist())
        if validated:
            self.unseen = [
                Unseen(*each)
                for each in zip(kinds, ranked.unseen(self.size.selection, self.size.selection_seeds), strict=True)
            ]
        if not final:
            return None
        return TrainedModel(
            tokens=matrix.fit(np.ones(len(self.samples), dtype=bool)),
            kind_tokens=fit_kind_tokens(self.samples),
            kind=fit_kind(self.samples, by_tokens),
            first=first_model,
            second=[rows.fit(self.size.second, 7 * seed + 101) for seed in range(self.size.seeds)],
            selection=ranked.fit(self.size.selection, self.size.selection_seeds),
        )

    def _kinds_by_tokens(self, numbers: Sequence[int]) -> list[Floats]:
        found: list[Any] = [None] * len(self.samples)
        for part in numbers:
            weights = fit_kind_tokens([each for each, own in zip(self.samples, self.parts, strict=True) if own != part])
            for at in np.flatnonzero(self.parts == part).tolist():
                found[at] = kinds_by_tokens(self.samples[at].layout, weights)
        return found

    def _kinds(self, numbers: Sequence[int], by_tokens: Sequence[Floats]) -> list[Floats]:
        found: list[Any] = [None] * len(self.samples)
        for part in numbers:
            others = np.flatnonzero(self.parts != part).tolist()
            model = fit_kind([self.samples[at] for at in others], [by_tokens[at] for at in others])
            places = np.flatnonzero(self.parts == part).tolist()
            rows = [np.concatenate([self.samples[at].kind_values, by_tokens[at]]) for at in places]
            said = np.asarray(model.predict(np.vstack(rows), num_threads=THREADS)).astype(np.float32)
            for at, each in zip(places, said, strict=True):
                found[at] = each
        return found

    def _outside(self, rows: StageRows, values: Sequence[Floats], trees: int, seed: int) -> list[Floats]:
        found: list[Any] = [None] * len(self.samples)
        for part in sorted(set(self.parts.tolist())):
            models = [rows.fit(trees, 7 * at + seed, without=part) for at in range(self.size.seeds)]
            places = np.flatnonzero(self.parts == part).tolist()
            said = predict(models, np.vstack([values[at] for at in places]))
            for at, each in zip(
                places, np.split(said, np.cumsum([len(values[at]) for at in places])[:-1]), strict=True
            ):
                found[at] = each
        return found


class TokenMatrix:
    """The tokens of all marked segments as one sparse matrix."""

    def __init__(self, samples: Sequence[PageSample]) -> None:
        indices: list[npt.NDArray[np.int32]] = []
        lengths: list[int] = []
        labels, weights, places = [], [], []
        for at, sample in enumerate(samples):
            picked, weight = _picked(sample)
            for row in token_rows(sample.layout, picked.tolist()):
                unique = np.fromiter(set(row), dtype=np.int32)
                indices.append(unique)
                lengths.append(len(unique))
            labels.append(sample.content[picked])
            weights.append(weight)
            places.append(np.full(len(picked), at))
        starts = np.concatenate([[0], np.cumsum(lengths)])
        flat = np.concatenate(indices)
        self._matrix = csr_matrix(
            (np.full(len(flat), _SCALE, dtype=np.float32), flat, starts),
            shape=(len(lengths), len(TOKEN_TABLES) * TOKEN_BUCKETS),
        )
        self._labels = np.concatenate(labels) > 0.5
        self._weights = np.concatenate(weights)
        self._places = np.concatenate(places)

    def fit(self, chosen: npt.NDArray[np.bool_]) -> Floats:
        """The weights of a logistic regression over the segments of the samples that are chosen."""
        rows = np.flatnonzero(chosen[self._places])
        model = SGDClassifier(loss="log_loss", alpha=3e-6, max_iter=5, tol=None, random_state=0, average=True)
        weights = self._weights[rows] / self._weights[rows].mean()
        model.fit(self._matrix[rows], self._labels[rows], sample_weight=weights)
        found: npt.NDArray[np.float64] = model.coef_[0].reshape(len(TOKEN_TABLES), TOKEN_BUCKETS) * _SCALE
        return found.astype(np.float16).astype(np.float32)


_SCALE = 0.25


def _picked(sample: PageSample) -> tuple[npt.NDArray[np.int64], Floats]:
    """The segments of a sample to train with, and their weights."""
    marked = np.flatnonzero(~np.isnan(sample.content))
    weight = _weights(sample)[marked]
    if len(marked) > MAX_PAGE_ROWS:
        chance = np.random.default_rng(crc32(sample.page.name.encode()))
        picked = np.sort(chance.choice(len(marked), MAX_PAGE_ROWS, replace=False))
        weight = weight[picked] * (weight.sum() / weight[picked].sum())
        marked = marked[picked]
    return marked, weight


def _weights(sample: PageSample) -> Floats:
    """A page counts as much as another of its kind or collection; a segment by its length, as scores count words."""
    length = (sample.layout.measures[:, _WORDS] + 2) ** 0.8
    if sample.page.text is None:
        return np.full(len(length), SNIPPET_WEIGHT, dtype=np.float32)
    scale = (
        PAGE_WEIGHT * WEIGHTS.get(sample.page.kind or sample.page.collection, 1.0) * (0.5 if sample.variant else 1.0)
    )
    return (scale * length / max(1.0, float(length.sum()))).astype(np.float32)


def fit_kind_tokens(samples: Sequence[PageSample]) -> Floats:
    """The weights of tokens for the kinds of pages: a logistic regression."""
    marked = [each for each in samples if each.page.kind and each.variant in ("", UNNAMED)]
    rows = [page_tokens(each.layout) for each in marked]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    values = np.concatenate([np.full(len(row), 1 / np.sqrt(max(1, len(row))), dtype=np.float32) for row in rows])
    matrix = csr_matrix((values, np.concatenate(rows), starts), shape=(len(rows), 2 * TOKEN_BUCKETS))
    model = LogisticRegression(C=10, max_iter=200).fit(matrix, [KINDS.index(each.page.kind) for each in marked])
    found = np.column_stack([model.coef_, model.intercept_])
    return found.astype(np.float16).astype(np.float32)


def fit_kind(samples: Sequence[PageSample], by_tokens: Sequence[Floats]) -> lightgbm.Booster:
    """The model of the kind of a page, by its features and what its tokens say."""
    marked = [at for at, each in enumerate(samples) if each.page.kind and each.variant in ("", UNNAMED)]
    values = np.vstack([np.concatenate([samples[at].kind_values, by_tokens[at]]) for at in marked])
    labels = [KINDS.index(samples[at].page.kind) for at in marked]
    data = lightgbm.Dataset(values, labels, params=KIND_TREES)
    return lightgbm.train(KIND_TREES, data, ModelSize().kind)


def predict(boosters: Sequence[lightgbm.Booster], values: npt.NDArray[Any]) -> Floats:
    """The mean probability of boosters, taken before the logistic function."""
    raw: npt.NDArray[np.float64] = np.mean(
        [each.predict(values, raw_score=True, num_threads=THREADS) for each in boosters], axis=0
    )
    return (1 / (1 + np.exp(-raw))).astype(np.float32)
