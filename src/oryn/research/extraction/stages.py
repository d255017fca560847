"""What the model's stages see beside the features of a page: scores of class names, the kind of the page, and, for the
second stage, the first stage's probabilities around a segment. Training and use compute them with the same code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from oryn.research.extraction.features import LEVELS, ancestors_of, running_sums, shifted
from oryn.research.extraction.layout import MEASURES, TOKEN_BUCKETS, Floats, Integers, PageLayout
from oryn.research.extraction.sections import PageSections

TOKEN_TABLES = ("own", "ancestors", "text", "heading", "higher heading")
"""The tables of weights: names of a segment's own container, of the containers around it, words of a short text, and
words of the headings above it (`sections.py`)."""
WINDOW = 5
_CHARACTERS = MEASURES.index("characters")


def token_columns(layout: PageLayout, weights: Floats) -> Floats:
    """Scores of a segment by its tokens: of its own tables of `TOKEN_TABLES`, their sum, the mean of the sum over the
    segments of the wider container, and of the headings above it; and its place in its section. `weights` has
    `TOKEN_BUCKETS` for each table."""
    own, around = _sums(layout.tokens, weights[0], weights[1])
    totals = around.tolist()
    for at, parent in enumerate(layout.parents.tolist()):
        totals[at] += totals[parent] if at else 0.0
    summed = np.array(totals)
    text, of_headings, of_higher = _sums(layout.text_tokens, *weights[2:])
    columns: list[npt.NDArray[np.float64]] = [own[layout.own], summed[layout.parents[layout.own]], text]
    total = columns[0] + columns[1] + columns[2]
    running = running_sums(total[:, None])
    wider = layout.wider[layout.own]
    mean = (running[layout.ends[wider], 0] - running[layout.begins[wider], 0]) / np.maximum(
        layout.ends[wider] - layout.begins[wider], 1
    )
    sections = PageSections(layout)
    above = sections.scores(of_headings, of_higher)
    return np.column_stack([*columns, total, mean, above, sections.places()]).astype(np.float32)


def _sums(tokens: Sequence[Sequence[int]], *tables: Floats) -> list[npt.NDArray[np.float64]]:
    """The sum of the weights of each list of tokens, by each table."""
    lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
    flat = np.fromiter(chain.from_iterable(tokens), dtype=np.int64, count=int(lengths.sum()))
    owners = np.repeat(np.arange(len(tokens)), lengths)
    return [np.bincount(owners, weights=table[flat], minlength=len(tokens)).astype(np.float64) for table in tables]


def token_rows(layout: PageLayout, segments: Sequence[int]) -> list[list[int]]:
    """The tokens of some segments as columns of one matrix, table after table: what the weights are learnt from."""
    around: list[tuple[int, ...]] = []
    for at, parent in enumerate(layout.parents.tolist()):
        around.append((*around[parent], *layout.tokens[at]) if at else layout.tokens[at])
    sections = PageSections(layout)

    def above(heading: int) -> tuple[int, ...]:
        return () if heading < 0 else layout.text_tokens[heading]

    rows = []
    for at in segments:
        container, text = int(layout.own[at]), layout.text_tokens[at]
        rows.append(
            [*layout.tokens[container]]
            + [TOKEN_BUCKETS + each for each in around[layout.parents[container]]]
            + [2 * TOKEN_BUCKETS + each for each in text]
            + [3 * TOKEN_BUCKETS + each for each in above(sections.heading[at])]
            + [4 * TOKEN_BUCKETS + each for each in above(sections.higher[at])]
        )
    return rows


def page_tokens(layout: PageLayout) -> Integers:
    """The tokens that a page has, each once: those of containers, then those of short texts."""
    found = {*chain.from_iterable(layout.tokens)}
    texts = {TOKEN_BUCKETS + each for each in chain.from_iterable(layout.text_tokens)}
    return np.array(sorted(found | texts), dtype=np.int32)


def kinds_by_tokens(layout: PageLayout, weights: Floats) -> Floats:
    """The probabilities of the kinds by a page's tokens alone. `weights` has a row for each kind, a column for each
    token, and a last one that is added."""
    tokens = page_tokens(layout)
    raw = weights[:, tokens].sum(axis=1) / np.sqrt(max(1, len(tokens))) + weights[:, -1]
    powers = np.exp(raw - raw.max())
    found: Floats = (powers / powers.sum()).astype(np.float32)
    return found


def first_features(values: Floats, tokens: Floats, kinds: Floats) -> Floats:
    """The features of the first stage; `kinds` are the probabilities of the page's kinds."""
    return np.column_stack([values, tokens, np.repeat(kinds[None, :], len(values), axis=0)]).astype(np.float32)


def second_features(first: Floats, probabilities: Floats, layout: PageLayout) -> Floats:
    """The features of the second stage: those of the first, and its probabilities of the segment, its neighbours, its
    path, the elements around it and the headings above it."""
    characters = layout.measures[:, _CHARACTERS].astype(np.float64)
    total = max(1.0, float(characters.sum()))
    weighed = probabilities * characters
    running = running_sums(np.column_stack([characters, weighed, probabilities, probabilities > 0.5]))
    columns: list[npt.NDArray[np.floating]] = [probabilities]
    columns += [shifted(probabilities, offset) for offset in range(-WINDOW, WINDOW + 1) if offset]
    count = len(probabilities)
    for width in (2, 8):
        low, high = np.maximum(np.arange(count) - width, 0), np.minimum(np.arange(count) + width + 1, count)
        within = running[high] - running[low]
        columns += [within[:, 1] / np.maximum(within[:, 0], 1), within[:, 2] / (high - low)]
    columns += [running[:-1, 1] / total, (running[-1, 1] - running[:-1, 1]) / total]
    containers = ancestors_of(layout.own, layout.wider, LEVELS + 2)
    for container in containers:
        within = running[layout.ends[container]] - running[layout.begins[container]]
        size = np.maximum(layout.ends[container] - layout.begins[container], 1)
        columns += [within[:, 1] / np.maximum(within[:, 0], 1), within[:, 2] / size]
        columns.append(within[:, 1] / max(1.0, float(running[-1, 1])))
    for keys in (layout.tags[layout.own], layout.paths[layout.own]):
        _, group = np.unique(keys, return_inverse=True)
        sizes = np.bincount(group)
        columns += [
            (np.bincount(group, weights=probabilities) / sizes)[group],
            (np.bincount(group, weights=weighed) / np.maximum(np.bincount(group, weights=characters), 1))[group],
        ]
        best = np.zeros(len(sizes))
        np.maximum.at(best, group, probabilities)
        columns.append(best[group])
    columns += _page_columns(probabilities, characters)
    columns.append(PageSections(layout).of_probabilities(probabilities))
    return np.column_stack([first, *columns]).astype(np.float32)


def _page_columns(probabilities: Floats, characters: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float64]]:
    count = len(probabilities)
    total = max(1.0, float(characters.sum()))
    chosen = np.flatnonzero(probabilities > 0.5)
    first, last = (chosen[0], chosen[-1]) if len(chosen) else (count, -1)
    ranks = np.argsort(np.argsort(-probabilities)) / max(1, count)
    place = np.arange(count)
    return [
        np.full(count, float((probabilities * characters).sum()) / total),
        np.full(count, float(probabilities.max(initial=0))),
        np.full(count, float(np.mean(probabilities > 0.5))),
        np.full(count, float(np.mean(np.abs(probabilities - 0.5)))),
        ranks,
        np.clip(place - first, -60, 60).astype(np.float64),
        np.clip(place - last, -60, 60).astype(np.float64),
    ]


def chosen_by_expected_f1(
    probabilities: Floats, words: Floats, limits: tuple[float, float] = (0.2, 0.7)
) -> npt.NDArray[np.bool_]:
    """Which segments to choose so that the expected F1 over words is the largest: those above a threshold, that of the
    page. `limits` bound the threshold."""
    order = np.argsort(-probabilities, kind="stable")
    expected = np.cumsum((probabilities * words)[order])
    chosen = np.cumsum(words[order])
    f1 = 2 * expected / np.maximum(chosen + float((probabilities * words).sum()), 1e-9)
    best = int(np.argmax(f1)) if len(f1) else 0
    threshold = float(np.clip(probabilities[order[best]], limits[0], limits[1])) if len(f1) else 0.5
    return probabilities >= threshold
