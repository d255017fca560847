"""What other ways to find the main text choose of a page. The model takes each decision as a feature of a segment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from lxml.etree import strip_elements
from lxml.html import HtmlElement
from trafilatura import bare_extraction

from oryn.research.extraction.declarations import Declarations
from oryn.research.extraction.segments import PageSegments

_WORD = re.compile(r"\w+")
_PRIME = np.uint64(1_000_003)
SHINGLE = 4
"""Words in a row by which a part of a segment is recognised."""

CANDIDATES = ("trafilatura", "comments", "declared")
_WITHOUT_TEXT = ("style", "link", "meta")
MAX_ELEMENTS = 15_000
MAX_CHARACTERS = 1_000_000
"""A page with more elements, or more characters of text, is read without trafilatura, which would take seconds."""


class Candidates(NamedTuple):
    """The texts that were chosen, empty if there is none, in the order of `CANDIDATES`."""

    trafilatura: str
    comments: str
    declared: str


def candidates_of(tree: HtmlElement, declarations: Declarations, page: PageSegments) -> Candidates:
    """The main text and the comments that trafilatura finds (with its comparison with other algorithms), and the text
    that the page repeats in its JSON-LD. `tree` stays as it is; `page` are its segments."""
    declared = "\n".join(declarations.texts())
    characters = sum(len(segment.text) for segment in page.segments)
    if characters > MAX_CHARACTERS or sum(1 for _ in tree.iter()) > MAX_ELEMENTS:
        return Candidates("", "", declared)
    return Candidates(*_by_trafilatura(tree), declared)


def _by_trafilatura(tree: HtmlElement) -> tuple[str, str]:
    try:
        found = bare_extraction(
            _lightened(tree),
            include_comments=True,
            include_tables=True,
            deduplicate=False,
            with_metadata=False,
        )
    except Exception:  # noqa: BLE001
        # Its heuristics index and divide; what trips one of them is still a page with words, which others find.
        return "", ""
    return getattr(found, "text", None) or "", getattr(found, "comments", None) or ""


def _lightened(tree: HtmlElement) -> HtmlElement:
    """A copy without what trafilatura drops itself, but only after it has copied and searched the tree many times. It
    reads from JSON-LD whether the page is a thread."""
    copied = deepcopy(tree)
    for script in list(copied.iter("script")):
        if script.get("type") != "application/ld+json":
            script.drop_tree()
    strip_elements(copied, *_WITHOUT_TEXT, with_tail=False)
    return copied


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
    before it was found, so that a short one is not found just anywhere. What the text can't have, as it lacks a
    sequence of its words, is not looked for: the time does not grow with the number of segments times the text."""

    def __init__(self, text: str) -> None:
        words = words_of(text)
        self._text = f" {' '.join(words)} "
        self._numbers: dict[str, int] = {}
        numbered = [self._numbers.setdefault(word, len(self._numbers) + 1) for word in words]
        self._shingles = np.sort(_shingles(np.array(numbered, dtype=np.uint64)))
        self._position = 0

    def shares(self, segments: Sequence[Sequence[str]]) -> list[float]:
        """The share of each segment's words that the text contains, from 0 to 1. The segments are given as their words,
        in the order of the page."""
        if not self._numbers:
            return [0.0] * len(segments)
        return [
            self._share(words, shingle_share) if words else 0.0
            for words, shingle_share in zip(segments, self._sequence_shares(segments), strict=True)
        ]

    def _sequence_shares(self, segments: Sequence[Sequence[str]]) -> list[float]:
        """The share of each segment's sequences of words that the text has; 0 if it is too short for one."""
        lengths = np.fromiter(map(len, segments), dtype=np.int64, count=len(segments))
        number = self._numbers.get
        flat = np.fromiter((number(word, 0) for words in segments for word in words), np.uint64, int(lengths.sum()))
        found = np.zeros(len(flat) + 1)
        sequences = _shingles(flat)
        if len(self._shingles):
            places = np.minimum(np.searchsorted(self._shingles, sequences), len(self._shingles) - 1)
            found[1 : len(sequences) + 1] = self._shingles[places] == sequences
        running = np.cumsum(found)
        ends = np.cumsum(lengths)
        counts = lengths - SHINGLE + 1
        begins = ends - lengths
        hits = running[np.maximum(begins + counts, begins)] - running[begins]
        shares: list[float] = (hits / np.maximum(counts, 1)).tolist()
        return shares

    def _share(self, words: Sequence[str], shingle_share: float) -> float:
        looked_for = f" {' '.join(words)} "
        if len(words) < SHINGLE:
            near = self._position + 20 * len(looked_for) + 200
            found = self._text.find(looked_for, self._position, near + len(looked_for))
        elif shingle_share < 1:
            found = -1
        else:
            found = self._text.find(looked_for, self._position)
            if found < 0:
                found = self._text.find(looked_for)
        if found >= 0:
            # The last space is also the first one of the next.
            self._position = found + len(looked_for) - 1
            return 1.0
        return shingle_share if len(words) >= SHINGLE + 2 else 0.0


def _shingles(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A number for each sequence of `SHINGLE` words, which are given as numbers."""
    count = max(0, len(words) - SHINGLE + 1)
    found = np.zeros(count, dtype=np.uint64)
    for at in range(SHINGLE):
        found = found * _PRIME + words[at : at + count]
    return found
