"""What other ways to find the main text choose of a page. The model takes each decision as a feature of a segment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np
from lxml.html import HtmlElement
from trafilatura import bare_extraction

from oryn.research.extraction.declarations import Declarations
from oryn.research.extraction.segments import PageSegments

_WORD = re.compile(r"\w+")
SHINGLE = 4
"""Words in a row by which a part of a segment is recognised."""

CANDIDATES = ("trafilatura", "comments", "declared")
MAX_ELEMENTS = 15_000
"""A page with more elements is read without trafilatura, which would take seconds."""


class Candidates(NamedTuple):
    """The texts that were chosen, empty if there is none, in the order of `CANDIDATES`."""

    trafilatura: str
    comments: str
    declared: str


def candidates_of(tree: HtmlElement, declarations: Declarations) -> Candidates:
    """The main text and the comments that trafilatura finds (with its comparison with other algorithms), and the text
    that the page repeats in its JSON-LD. `tree` stays as it is."""
    declared = "\n".join(declarations.texts())
    if sum(1 for _ in tree.iter()) > MAX_ELEMENTS:
        return Candidates("", "", declared)
    return Candidates(*_by_trafilatura(tree), declared)


def _by_trafilatura(tree: HtmlElement) -> tuple[str, str]:
    try:
        found = bare_extraction(
            deepcopy(tree),
            include_comments=True,
            include_tables=True,
            deduplicate=False,
            with_metadata=False,
        )
    except Exception:  # noqa: BLE001
        # Its heuristics index and divide; what trips one of them is still a page with words, which others find.
        return "", ""
    return getattr(found, "text", None) or "", getattr(found, "comments", None) or ""


def votes_of(page: PageSegments, candidates: Candidates) -> np.ndarray:
    """The share of each segment that each candidate contains: an array of segments × candidates."""
    segments = [words_of(segment.text) for segment in page.segments]
    return np.array([TextCoverage(text).shares(segments) for text in candidates], dtype=np.float32).T.reshape(
        len(segments), len(CANDIDATES)
    )


def words_of(text: str) -> list[str]:
    """The words of a text, to compare it with others."""
    return _WORD.findall(text.lower())


class TextCoverage:
    """A text that segments are looked up in. It is read from its beginning on: a segment is looked for where the one
    before it was found, so that a short one is not found just anywhere."""

    def __init__(self, text: str) -> None:
        self._words = words_of(text)
        self._text = f" {' '.join(self._words)} "
        self._shingles: set[tuple[str, ...]] | None = None
        self._position = 0

    def shares(self, segments: Sequence[Sequence[str]]) -> list[float]:
        """The share of each segment's words that the text contains, from 0 to 1. The segments are given as their words,
        in the order of the page."""
        if not self._words:
            return [0.0] * len(segments)
        return [self._share(words) if words else 0.0 for words in segments]

    def _share(self, words: Sequence[str]) -> float:
        looked_for = f" {' '.join(words)} "
        found = self._text.find(looked_for, self._position)
        if found < 0 or (len(words) < SHINGLE and found > self._position + 20 * len(looked_for) + 200):
            found = found if found >= 0 and len(words) >= SHINGLE else -1
            if found < 0 and len(words) >= SHINGLE:
                found = self._text.find(looked_for)
        if found >= 0:
            # The last space is also the first one of the next.
            self._position = found + len(looked_for) - 1
            return 1.0
        if len(words) < SHINGLE + 2:
            return 0.0
        if self._shingles is None:
            self._shingles = set(_shingles(self._words))
        own = list(_shingles(words))
        return sum(each in self._shingles for each in own) / len(own)


def _shingles(words: Sequence[str]) -> zip[tuple[str, ...]]:
    return zip(*(words[at:] for at in range(SHINGLE)), strict=False)
