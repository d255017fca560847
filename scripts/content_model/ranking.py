"""Training of the order of whole selections: which of a page's candidates has the largest page F1.

The candidates are those of probabilities by models that have not seen the page. The order is learnt by LambdaMART
(Burges, "From RankNet to LambdaRank to LambdaMART: An Overview", 2010) with the F1 in per cent as the gain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import lightgbm
import numpy as np
import numpy.typing as npt

from oryn.research.extraction.content import best_selection, candidates_for
from oryn.research.extraction.layout import Floats
from oryn.research.extraction.votes import SHINGLE
from scripts.content_model.collections import fold_of
from scripts.content_model.samples import PageSample
from scripts.content_model.variants import UNNAMED

FOLDS = 5
THREADS = 1
TREES: dict[str, Any] = {
    "objective": "lambdarank", "label_gain": list(range(101)), "lambdarank_truncation_level": 10,
    "learning_rate": 0.04, "num_leaves": 31, "min_data_in_leaf": 200, "feature_fraction": 0.3, "bagging_fraction": 0.6,
    "bagging_freq": 1, "lambda_l2": 5.0, "max_bin": 63, "num_threads": THREADS, "verbosity": -1, "deterministic": True,
    "force_col_wise": True,
}  # fmt: skip
_WORD = re.compile(r"\w+")
_PRIME = np.uint64(1_000_003)


class RankedPages:
    """The candidates of all samples with their scores. `foreign` says which samples are of a collection that is a part
    of its own."""

    def __init__(
        self,
        samples: Sequence[PageSample],
        probabilities: Sequence[Floats],
        kinds: Sequence[Floats],
        foreign: Sequence[bool],
    ) -> None:
        self._samples, self._probabilities, self._kinds = samples, probabilities, kinds
        self._columns = {name: at for at, name in enumerate(samples[0].names)}
        self._folds = [
            each.page.collection if own else fold_of(each.page, FOLDS)
            for each, own in zip(samples, foreign, strict=True)
        ]
        self._features: dict[int, Floats] = {}
        self._gains: dict[int, npt.NDArray[np.int64]] = {}
        for at, sample in enumerate(samples):
            if sample.variant == UNNAMED or not sample.page.text:
                continue
            found = candidates_for(sample.layout, sample.values, self._columns, probabilities[at], kinds[at])
            if len(found.masks) > 1:
                self._features[at] = found.features
                self._gains[at] = np.rint(100 * f1_of_masks(sample.texts, sample.page.text, found.masks)).astype(int)

    def fit(self, trees: int, seeds: int, without: int | str | None = None) -> list[lightgbm.Booster]:
        """A booster for each seed, by all pages but those of a fold."""
        pages = [at for at in self._features if without is None or self._folds[at] != without]
        data = lightgbm.Dataset(
            np.vstack([self._features[at] for at in pages]),
            np.concatenate([self._gains[at] for at in pages]),
            group=[len(self._gains[at]) for at in pages],
            params=TREES,
        ).construct()
        return [lightgbm.train(TREES | {"seed": 7 * seed + 201}, data, trees) for seed in range(seeds)]

    def unseen(self, trees: int, seeds: int) -> list[npt.NDArray[np.bool_]]:
        """The segments of each sample that are kept by an order that has not seen its fold."""
        found: list[Any] = [None] * len(self._samples)
        for fold in dict.fromkeys(self._folds):
            boosters = self.fit(trees, seeds, without=fold)

            def order(values: Floats, boosters: Sequence[lightgbm.Booster] = boosters) -> Floats:
                mean: Floats = np.mean([each.predict(values, num_threads=THREADS) for each in boosters], axis=0)
                return mean

            for at, sample in enumerate(self._samples):
                if self._folds[at] == fold:
                    found[at] = best_selection(
                        sample.layout, sample.values, self._columns, self._probabilities[at], self._kinds[at], order
                    )
        return found


def f1_of_masks(texts: Sequence[str], marked: str, masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """The page F1 of each choice of texts, as `benchmarks/extraction_scores.py` counts it."""
    numbers: dict[str, int] = {}

    def numbered(text: str) -> npt.NDArray[np.uint64]:
        return np.array([numbers.setdefault(word, len(numbers) + 1) for word in _WORD.findall(text)], dtype=np.uint64)

    own = [numbered(text) for text in texts]
    flat = np.concatenate([*own, np.zeros(0, dtype=np.uint64)])
    owners = np.repeat(np.arange(len(own)), [len(each) for each in own])
    expected = _shingles(numbered(marked))
    unique, counts = np.unique(expected, return_counts=True)
    found = np.zeros(len(masks))
    for at, mask in enumerate(masks):
        got = _shingles(flat[mask[owners]])
        if not len(got) or not len(expected):
            found[at] = float(len(got) == len(expected))
            continue
        said, times = np.unique(got, return_counts=True)
        place = np.minimum(np.searchsorted(unique, said), len(unique) - 1)
        hits = float(np.minimum(times, counts[place])[unique[place] == said].sum())
        found[at] = 2 * hits / (len(got) + len(expected))
    return found


def _shingles(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A number for each sequence of `SHINGLE` words; a shorter text is one sequence."""
    length = min(SHINGLE, len(words))
    found = np.zeros(max(0, len(words) - length + 1) if length else 0, dtype=np.uint64)
    for at in range(length):
        found = found * _PRIME + words[at : at + len(found)]
    return found
