"""Whole selections of a page, among which the model chooses: what the probabilities of its segments leave open is
decided for a page at once.

Segments of one region are content together or not at all, so the selection with the largest expected F1 of independent
segments is not always the best. The candidates are the segments above several thresholds, what other extractors
choose, and the first choice with or without a region of the page. Each is described by what it has and by its overlap
with the others; the trees `selection` of `content_model.npz` order them. Training and use compute them with the same
code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from oryn.research.extraction.layout import MEASURES, Floats, PageLayout

Chosen = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]

THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8)
REFERENCE_THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""A candidate's overlap with the segments above each of these is a feature."""
VOTES = ("by trafilatura", "by comments", "by declared", "by scores")
PLACES = ("main", "article", "li", "table", "footer", "nav", "aside", "header", "h2", "h3", "form", "hidden", "dd",
          "dialog", "details")  # fmt: skip
KIN = ("largest kin share", "largest kin count", "class path share", "tag path count")
COUNTED = ("heading", "price", "date", "duplicates", "question", "ends", "short")
FRAME = ("nav", "header", "footer", "noscript", "hidden", "dialog", "button")
"""Elements around what every page of a site has."""

MIN_REGION_SHARE = 0.03
MIN_REGION_WORDS = 8
MIN_KIN = 3
"""So many elements of one class beside each other are a region as well, without what stands between them."""
LIKELY = 0.25
QUOTAS = {"with": 16, "without": 16, "alone": 12, "likely": 8}
"""How many candidates there are of each change by a region: the first choice with it or without it, the region alone,
and its segments that are at least `LIKELY`."""
_SOURCES = ("first", "threshold", "vote", "vote or first", "likely vote", "all", "unframed", *QUOTAS)

_WORDS, _CHARACTERS, _LINKED, _PROSE, _PRICE = (
    MEASURES.index(name) for name in ("words", "characters", "linked", "prose", "price")
)


class _Regions(NamedTuple):
    """Regions as parts (`begins`, `ends`) that belong to a region each (`owners`)."""

    begins: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    owners: npt.NDArray[np.int64]

    def sums(self, values: npt.NDArray[np.floating]) -> Doubles:
        """The sum of the segments' values in each region."""
        running = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        found: Doubles = np.bincount(self.owners, weights=running[self.ends] - running[self.begins]).astype(np.float64)
        return found

    def mask(self, region: int, count: int) -> Chosen:
        """Which of `count` segments a region has."""
        found = np.zeros(count, dtype=bool)
        for part in np.flatnonzero(self.owners == region):
            found[self.begins[part] : self.ends[part]] = True
        return found


class PageSelections:
    """The candidates of a page. `masks` has a row for each and a column for each segment, the first choice first;
    `features` a row for each. `values` are the features of the segments and `columns` the place of each by its name,
    `dropped` are segments that no other candidate has; `alone` leaves the first choice as the only one."""

    def __init__(
        self,
        layout: PageLayout,
        values: Floats,
        columns: Mapping[str, int],
        probabilities: Floats,
        kinds: Floats,
        first: Chosen,
        dropped: Chosen,
        *,
        alone: bool = False,
    ) -> None:
        self._layout = layout
        self._kinds = kinds
        self._probabilities: Doubles = probabilities.astype(np.float64)
        self._words: Doubles = layout.measures[:, _WORDS].astype(np.float64)
        self._total = max(1.0, float(self._words.sum()))
        self._expected = self._probabilities * self._words
        self._votes: Doubles = values[:, [columns[name] for name in VOTES]].astype(np.float64)
        hints = [columns[f"in {name}"] for name in PLACES] + [columns[name] for name in KIN]
        self._hints: Doubles = values[:, hints].astype(np.float64)
        self.first = first
        self._unframed: Chosen = ~layout.has(*FRAME)[layout.own]
        masks: list[Chosen] = []
        sources: list[int] = []
        seen: set[bytes] = set()
        for source, mask in [("first", first), *([] if alone else self._proposed(dropped))]:
            key = mask.tobytes()
            if key not in seen and mask.any():
                seen.add(key)
                masks.append(mask)
                sources.append(_SOURCES.index(source))
        self.masks: Chosen = np.array(masks, dtype=bool).reshape(len(masks), len(first))
        self.features: Floats = self._features(np.array(sources)) if masks else np.zeros((0, 0), dtype=np.float32)

    def _proposed(self, dropped: Chosen) -> list[tuple[str, Chosen]]:
        found = [("threshold", self._probabilities >= threshold) for threshold in THRESHOLDS]
        for votes in (self._votes > 0.5).T:
            found += [
                ("vote", votes),
                ("vote or first", votes | self.first),
                ("likely vote", votes & (self._probabilities > 0.1)),
            ]
        found += [("all", np.ones(len(self.first), dtype=bool)), ("unframed", self._unframed)]
        return [(source, mask & ~dropped) for source, mask in found + self._by_regions()]

    def _regions(self) -> _Regions:
        """Elements with enough of the page's words, each once, and rows of kin elements."""
        layout = self._layout
        keys = layout.begins.astype(np.int64) * (1 + len(self.first)) + layout.ends
        _, outermost = np.unique(keys, return_index=True)
        spans = np.column_stack([layout.begins, layout.ends]).astype(np.int64)[outermost]
        _, first, kin, sizes = np.unique(
            layout.kin[outermost], return_index=True, return_inverse=True, return_counts=True
        )
        rows = np.flatnonzero(sizes[kin] >= MIN_KIN)
        # In the order of the page: that of their keys, which are hashes of strings, is another in each process.
        _, row_of = np.unique(first[kin[rows]], return_inverse=True)
        regions = _Regions(
            np.concatenate([spans[:, 0], spans[rows, 0]]),
            np.concatenate([spans[:, 1], spans[rows, 1]]),
            np.concatenate([np.arange(len(spans)), len(spans) + row_of]),
        )
        words = regions.sums(self._words)
        large = (words >= max(MIN_REGION_SHARE * self._total, MIN_REGION_WORDS)) & (words < self._total)
        chosen = large[regions.owners]
        return _Regions(*(each[chosen] for each in regions))

    def _by_regions(self) -> list[tuple[str, Chosen]]:
        """The changes by regions with the largest expected F1, of each of `QUOTAS`."""
        regions = self._regions()
        if not len(regions.owners):
            return []
        likely = self._probabilities > LIKELY
        words, shared = regions.sums(self._words), regions.sums(self._words * self.first)
        expected, expected_shared = regions.sums(self._expected), regions.sums(self._expected * self.first)
        own, own_expected = float(self._words[self.first].sum()), float(self._expected[self.first].sum())
        proposals = {
            "with": (own + words - shared, own_expected + expected - expected_shared, shared < 0.97 * words),
            "without": (own - shared, own_expected - expected_shared, shared > 0.03 * words),
            "alone": (words, expected, words > 0.08 * self._total),
            "likely": (
                regions.sums(self._words * likely),
                regions.sums(self._expected * likely),
                words > 0.08 * self._total,
            ),
        }
        found: list[tuple[str, Chosen]] = []
        for change, (size, hits, possible) in proposals.items():
            f1 = np.where(possible & (words > 0), 2 * hits / np.maximum(size + float(self._expected.sum()), 1e-9), -1.0)
            for region in np.argsort(-f1, kind="stable")[: QUOTAS[change]]:
                if f1[region] < 0:
                    break
                mask = regions.mask(int(region), len(self.first))
                found.append((change, _changed(change, self.first, mask, likely)))
        return found

    def _features(self, sources: npt.NDArray[np.int64]) -> Floats:
        page = self._page()
        return np.column_stack(
            [np.repeat(page[None, :], len(self.masks), axis=0), sources, self._descriptions(), self._overlaps()]
        ).astype(np.float32)

    def _page(self) -> Doubles:
        """The features of the page, the same for all its candidates."""
        measures = self._layout.measures
        probabilities, words, total = self._probabilities, self._words, self._total
        order = np.argsort(-probabilities, kind="stable")
        f1 = 2 * np.cumsum(self._expected[order]) / (np.cumsum(words[order]) + float(self._expected.sum()) + 1e-9)
        characters = max(1.0, float(measures[:, _CHARACTERS].sum()))
        return np.array(
            [
                np.log1p(len(words)),
                np.log1p(total),
                probabilities[order[int(f1.argmax())]],
                float(self._expected.sum()) / total,
                f1.max(),
                float((probabilities * (1 - probabilities)) @ words) / total,
                probabilities.max(),
                *self._kinds,
                *(self._votes.T @ words / total),
                measures[:, _LINKED].sum() / characters,
                measures[:, _PROSE].sum() / characters,
                measures[:, _PRICE].mean(),
                float(words[self.first].sum()) / total,
            ]
        )

    def _descriptions(self) -> Doubles:
        """What each candidate has, and what it leaves out."""
        masks, words, probabilities = self.masks.astype(np.float64), self._words, self._probabilities
        measures, count = self._layout.measures.astype(np.float64), len(self.first)
        size = masks @ words
        number = np.maximum(masks.sum(axis=1), 1)
        characters = np.maximum(masks @ measures[:, _CHARACTERS], 1)
        by_words = np.column_stack([self._votes, self._hints, probabilities * (1 - probabilities)])
        hits = masks @ self._expected
        expected = float(self._expected.sum())
        votes = self._votes * words[:, None]
        shared = masks @ (words * self.first)
        runs = (self.masks[:, 1:] & ~self.masks[:, :-1]).sum(axis=1) + 1
        left = self._total - size
        return np.column_stack(
            [
                masks @ (by_words * words[:, None]) / np.maximum(size, 1e-9)[:, None],
                masks @ measures[:, [_LINKED, _PROSE]] / characters[:, None],
                masks @ measures[:, [MEASURES.index(name) for name in COUNTED]] / number[:, None],
                size / self._total,
                np.log1p(size),
                number / count,
                np.log1p(size / number),
                hits / np.maximum(size, 1e-9),
                masks @ probabilities / number,
                2 * hits / np.maximum(size + expected, 1e-9),
                hits / max(expected, 1e-9),
                self.masks.argmax(axis=1) / count,
                1 - (1 + self.masks[:, ::-1].argmax(axis=1)) / count,
                runs / number,
                np.log1p(runs),
                shared / np.maximum(size, 1),
                shared / max(1.0, float(words[self.first].sum())),
                masks @ votes / np.maximum(votes.sum(axis=0), 1),
                (expected - hits) / np.maximum(left, 1e-9),
                np.where(self.masks, 0, probabilities).max(axis=1),
                np.where(self.masks, probabilities, 1).min(axis=1),
            ]
        )

    def _overlaps(self) -> Doubles:
        """The F1 of each candidate as if others were the main text, how far that is from the first choice's, and how
        far the means are from the best candidate's."""
        references = [self._probabilities >= threshold for threshold in REFERENCE_THRESHOLDS]
        references += [self._votes[:, 0] > 0.5, self._votes[:, 3] > 0.5, self._unframed]
        references.append(np.ones(len(self.first), dtype=bool))
        hints = self._f1(np.array(references))
        among = self._f1(self.masks)
        means = np.column_stack(
            [hints[:, : len(REFERENCE_THRESHOLDS)].mean(axis=1), among.mean(axis=1), np.median(among, axis=1)]
        )
        found = np.column_stack([hints, means])
        return np.column_stack([found, found - found[0], means - means.max(axis=0)])

    def _f1(self, proposed: Chosen) -> Doubles:
        # Words count in eighths: single precision adds them without error up to two million.
        words = self._words.astype(np.float32)
        masks, others = self.masks.astype(np.float32), proposed.astype(np.float32)
        shared = ((masks * words) @ others.T).astype(np.float64)
        sizes = (masks @ words)[:, None] + (others @ words)[None, :]
        found: Doubles = 2 * shared / np.maximum(sizes.astype(np.float64), 1e-9)
        return found


def _changed(change: str, first: Chosen, region: Chosen, likely: Chosen) -> Chosen:
    """The first choice after a change by a region."""
    if change == "with":
        return first | region
    if change == "without":
        return first & ~region
    return region & likely if change == "likely" else region
