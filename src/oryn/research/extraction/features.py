"""The features of a page's segments, from which the model decides (`content_model.py`): an array of a row for each
segment and a column for each name in `FEATURES`.

Sums over any element are differences of running sums over the segments, so the features of all segments at all levels
of their ancestors are a few NumPy expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from oryn.research.extraction.layout import MEASURES, TAG_FLAGS, Floats, Integers, PageLayout
from oryn.research.extraction.votes import CANDIDATES

LEVELS = 6
"""How many ancestors, each with more segments than the one before, have features of their own."""
REGION_SHARES = (0.1, 0.3, 0.6)
"""The innermost ancestors with at least these shares of the page's text have features as well."""
NEIGHBOURS = (-3, -2, -1, 1, 2, 3)
KIN_LEVELS = 4
_COLUMN = {name: at for at, name in enumerate(MEASURES)}
Columns = Iterator[tuple[str, Any]]


class PageFeatures:
    """The features of a page, computed once. `votes` are those of `votes.votes_of`; `in_top` says which segments are
    in the element with the best of Readability's scores."""

    def __init__(self, layout: PageLayout, votes: Floats) -> None:
        self.layout = layout
        self.votes = votes
        self.characters: Floats = layout.measures[:, _COLUMN["characters"]]
        self.total = float(self.characters.sum()) or 1.0
        self.scores = readability_scores(layout)
        top = int(self.scores.argmax()) if len(self.scores) else 0
        self.in_top = np.zeros(len(layout.own), dtype=np.float32)
        if len(self.scores) and self.scores[top] > 0:
            self.in_top[layout.begins[top] : layout.ends[top]] = 1
        weighed = np.column_stack([votes, self.in_top]) * self.characters[:, None]
        self._running = running_sums(np.column_stack([np.ones(len(layout.own)), layout.measures, weighed]))
        self.levels = ancestors_of(layout.own, layout.wider, LEVELS)
        columns = [
            column
            for group in (
                self._segment(), self._flags(), self._position(), self._neighbours(),
                self._ancestors(), self._repetition(), self._kin(), self._votes(),
            )
            for column in group
        ]  # fmt: skip
        self.names = [name for name, _ in columns]
        self.values: Floats = np.column_stack([values for _, values in columns]).astype(np.float32)

    def sums(self, containers: Integers, column: int) -> npt.NDArray[np.float64]:
        """The sum of a column of the running sums within containers; column 0 counts the segments."""
        found: npt.NDArray[np.float64] = self._running[:, column]
        return found[self.layout.ends[containers]] - found[self.layout.begins[containers]]

    def _segment(self) -> Columns:
        measures = self.layout.measures
        length = np.maximum(self.characters, 1)
        for name, column in _COLUMN.items():
            values = measures[:, column]
            if name in ("linked", "digits", "strong", "code"):
                yield f"{name} share", values / length
            elif name == "capitals":
                yield "capitals share", values / np.minimum(length, 200)
            elif name in ("characters", "words", "duplicates"):
                yield name, np.log1p(values)
            elif name != "prose":
                yield name, values
        yield "mean word", length / np.maximum(measures[:, _COLUMN["words"]], 1)

    def _flags(self) -> Columns:
        flags = self.layout.flags[self.layout.own] if len(self.layout.own) else self.layout.flags
        for at, name in enumerate(TAG_FLAGS):
            yield f"in {name}", (flags >> at) & 1

    def _position(self) -> Columns:
        count = len(self.layout.own)
        before = self._running[:-1, 1 + _COLUMN["characters"]]
        yield "position", np.arange(count) / max(1, count)
        yield "segments before", np.log1p(np.arange(count))
        yield "segments after", np.log1p(np.arange(count)[::-1])
        yield "characters before", before / self.total
        yield "depth", self.layout.depths[self.layout.own] if count else before
        headline = _first(self.layout.has("h1")[self.layout.own] & (self.characters > 0)) if count else 0
        yield "after headline", np.clip(np.arange(count) - headline, -50, 200)
        last = _first(self.layout.has("h1")[self.layout.own][::-1]) if count else 0
        yield "after last headline", np.clip(np.arange(count) - (count - 1 - last), -50, 200)
        voted = np.flatnonzero(self.votes[:, 0] > 0.7)
        first, end = (voted[0], voted[-1]) if len(voted) else (count, count)
        yield "from first of trafilatura", np.clip(np.arange(count) - first, -60, 60)
        yield "from last of trafilatura", np.clip(np.arange(count) - end, -60, 60)
        yield "page segments", np.full(count, np.log1p(count))
        yield "page characters", np.full(count, np.log1p(self.total))
        for name in ("linked", "prose", "commas", "code", "price", "question"):
            yield f"page {name}", np.full(count, self.layout.measures[:, _COLUMN[name]].sum() / self.total)
        for at, name in enumerate((*CANDIDATES, "scored")):
            votes = self.in_top if name == "scored" else self.votes[:, at]
            yield f"page {name}", np.full(count, float((votes * self.characters).sum()) / self.total)

    def _neighbours(self) -> Columns:
        measures, layout = self.layout.measures, self.layout
        length = np.maximum(self.characters, 1)
        values_by_name = {
            "characters": np.log1p(self.characters),
            "linked": measures[:, _COLUMN["linked"]] / length,
            "ends": measures[:, _COLUMN["ends"]],
            "heading": measures[:, _COLUMN["heading"]],
            "trafilatura": self.votes[:, 0],
            "scored": self.in_top,
        }
        paths = layout.paths[layout.own] if len(layout.own) else layout.paths
        for offset in NEIGHBOURS:
            for name, values in values_by_name.items():
                yield f"{name} {offset:+}", shifted(values, offset)
            yield f"same path {offset:+}", shifted(paths, offset) == paths
        for width in (4, 10):
            for name in ("prose", "linked"):
                yield f"{name} around {width}", self._window(1 + _COLUMN[name], width)

    def _window(self, column: int, width: int) -> npt.NDArray[np.float64]:
        count = len(self.characters)
        low, high = np.maximum(np.arange(count) - width, 0), np.minimum(np.arange(count) + width + 1, count)
        within = self._running[high] - self._running[low]
        return within[:, column] / np.maximum(within[:, 1 + _COLUMN["characters"]], 1)

    def _ancestors(self) -> Columns:
        layout = self.layout
        regions = [self._region(share) for share in REGION_SHARES]
        named = [(f"level {at}", self.levels[at]) for at in range(LEVELS)]
        named += [(f"region {share}", region) for share, region in zip(REGION_SHARES, regions, strict=True)]
        best = float(self.scores.max()) if len(self.scores) else 1.0
        for name, containers in named:
            within = self._running[layout.ends[containers]] - self._running[layout.begins[containers]]
            count = np.maximum(within[:, 0], 1)
            characters = np.maximum(within[:, 1 + _COLUMN["characters"]], 1)
            yield f"{name} segments", np.log1p(count)
            yield f"{name} characters", np.log1p(characters)
            yield f"{name} share", characters / self.total
            yield f"{name} mean", np.log1p(characters / count)
            for measure in ("linked", "prose", "digits", "commas"):
                yield f"{name} {measure}", within[:, 1 + _COLUMN[measure]] / characters
            for measure in ("heading", "date", "price", "hidden"):
                yield f"{name} {measure}", within[:, 1 + _COLUMN[measure]] / count
            for at, candidate in enumerate((*CANDIDATES, "scored")):
                if candidate != "declared":
                    yield f"{name} {candidate}", within[:, 1 + len(MEASURES) + at] / characters
            yield f"{name} score", self.scores[containers] / max(best, 1e-6)
            yield f"{name} depth", layout.depths[containers]
            span = np.maximum(layout.ends[containers] - layout.begins[containers], 1)
            yield f"{name} within", (np.arange(len(layout.own)) - layout.begins[containers]) / span

    def _region(self, share: float) -> Integers:
        """The innermost ancestor of each segment with that share of the page's text."""
        enough = (
            self.sums(np.arange(len(self.layout.parents), dtype=np.int32), 1 + _COLUMN["characters"])
            >= share * self.total
        )
        region = self.layout.own.copy()
        for _ in range(64):
            small = ~enough[region] & (region != 0)
            if not small.any():
                break
            region[small] = self.layout.wider[region[small]]
        region[~enough[region]] = 0
        return region

    def _repetition(self) -> Columns:
        layout = self.layout
        for name, keys in (("tag path", layout.tags), ("class path", layout.paths)):
            if not len(layout.own):
                continue
            _, group = np.unique(keys[layout.own], return_inverse=True)
            count = np.bincount(group)
            characters = np.bincount(group, weights=self.characters)
            yield f"{name} count", np.log1p(count[group])
            yield f"{name} share", (characters / self.total)[group]
            yield f"{name} mean", np.log1p(characters / count)[group]
            for measure in ("linked", "ends", "duplicates"):
                values = np.bincount(group, weights=layout.measures[:, _COLUMN[measure]])
                yield f"{name} {measure}", (values / (characters if measure == "linked" else count))[group]
            voted = np.bincount(group, weights=self.votes[:, 0] * self.characters)
            yield f"{name} trafilatura", (voted / np.maximum(characters, 1))[group]
            spread = np.zeros(len(count))
            spread[group] = np.arange(len(group))
            first = np.full(len(count), len(group))
            np.minimum.at(first, group, np.arange(len(group)))
            yield f"{name} spread", ((spread - first) / max(1, len(group)))[group]

    def _kin(self) -> Columns:
        """Elements that repeat beside each other: posts, cards, rows."""
        layout = self.layout
        _, group = np.unique(layout.kin, return_inverse=True)
        count = np.bincount(group)
        everything = np.arange(len(layout.parents), dtype=np.int32)
        sizes = self.sums(everything, 1 + _COLUMN["characters"])
        characters = np.bincount(group, weights=sizes)
        linked = np.bincount(group, weights=self.sums(everything, 1 + _COLUMN["linked"]))
        most = np.zeros(len(layout.own))
        container = layout.own
        for level in range(KIN_LEVELS):
            here = group[container] if len(container) else container
            yield f"kin {level} count", np.log1p(count[here])
            yield f"kin {level} share", characters[here] / self.total
            yield f"kin {level} mean", np.log1p(characters[here] / count[here])
            yield f"kin {level} linked", linked[here] / np.maximum(characters[here], 1)
            container = layout.parents[container]
        container = layout.own
        share = np.zeros(len(layout.own))
        for _ in range(24):
            here = group[container] if len(container) else container
            better = (count[here] > 2) & (characters[here] / self.total > share)
            share = np.where(better, characters[here] / self.total, share)
            most = np.where(better, count[here], most)
            container = layout.parents[container]
        yield "largest kin share", share
        yield "largest kin count", np.log1p(most)

    def _votes(self) -> Columns:
        for at, name in enumerate(CANDIDATES):
            yield f"by {name}", self.votes[:, at]
        yield "by scores", self.in_top
        yield "votes", self.votes[:, 0] + self.in_top


def running_sums(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Running sums of columns, with a first row of zeros."""
    return np.vstack([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0, dtype=np.float64)])


def ancestors_of(own: Integers, wider: Integers, levels: int) -> list[Integers]:
    """The container of each segment, and its ancestors with more segments."""
    found = [own]
    while len(found) < levels:
        found.append(wider[found[-1]])
    return found


def shifted(values: npt.NDArray[Any], offset: int) -> npt.NDArray[Any]:
    """The values of the neighbours at an offset; 0 beyond the page."""
    result = np.zeros_like(values)
    if abs(offset) < len(values):
        if offset > 0:
            result[:-offset] = values[offset:]
        else:
            result[-offset:] = values[:offset]
    return result


def readability_scores(layout: PageLayout) -> npt.NDArray[np.float64]:
    """The scores of containers as Readability counts them (https://github.com/mozilla/readability): commas and length
    of the paragraphs within, half of them for a grandparent, less the share of links."""
    scores = np.zeros(len(layout.parents))
    characters = layout.measures[:, _COLUMN["characters"]]
    linked = layout.measures[:, _COLUMN["linked"]]
    worth = np.where(characters >= 25, 1 + layout.measures[:, _COLUMN["commas"]] + np.minimum(characters // 100, 3), 0)
    parents = layout.wider[layout.own]
    np.add.at(scores, parents, worth)
    np.add.at(scores, layout.wider[parents], worth / 2)
    sums = running_sums(np.column_stack([characters, linked]))
    within = sums[layout.ends] - sums[layout.begins]
    return scores * (1 - within[:, 1] / np.maximum(within[:, 0], 1))


def _first(where: npt.NDArray[np.bool_]) -> int:
    found = np.flatnonzero(where)
    return int(found[0]) if len(found) else 0
