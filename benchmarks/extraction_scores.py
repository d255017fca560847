"""Scores of main text: precision and recall of 4-token shingles, as the article extraction benchmark counts them, and
snippets that must be in it or must not."""

from __future__ import annotations

import random
import re
import statistics
from collections import Counter
from collections.abc import Callable, Sequence

SHINGLE = 4
SAMPLES = 2000
Score = tuple[float | None, float | None]


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """How often each sequence of four words stands in a text; a shorter text is one sequence."""
    words = re.findall(r"\w+", text)
    return Counter(tuple(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1)) if words)


def score(truth: str, found: str) -> Score:
    """Precision and recall; None where a side has no words, as the benchmark's own script leaves those out."""
    expected, got = shingles(truth), shingles(found)
    hits = (expected & got).total()
    return hits / got.total() if got else None, hits / expected.total() if expected else None


def page_f1(precision: float | None, recall: float | None) -> float:
    """F1 of a page; 1 if there was nothing to find and nothing was found."""
    if precision is None or recall is None:
        return 1.0 if precision is recall else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def means(scores: Sequence[Score]) -> tuple[float, float, float]:
    """F1, precision, recall."""
    precision, recall = (
        statistics.fmean([value for each in scores if (value := each[side]) is not None] or [0.0]) for side in (0, 1)
    )
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0, precision, recall


class SnippetScore:
    """Counts over pages which snippets a text has: by their characters, and by their words in order. A snippet has
    straight quotes where the page has others, marks of lists (`- Python`), and its own ends of lines, so many can't be
    found by their characters in any text of the page."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, text: str, inside: Sequence[str], outside: Sequence[str]) -> None:
        """Count the snippets of a page: those that must be inside its main text, and those that must be outside."""
        words = _in_words(text)
        for snippet in inside:
            self._counts["inside"] += snippet in text
            self._counts["inside by words"] += _in_words(snippet) in words
        for snippet in outside:
            self._counts["outside"] += snippet in text
            self._counts["outside by words"] += _in_words(snippet) in words
        self._counts["expected"] += len(inside)

    def __bool__(self) -> bool:
        return self._counts["expected"] > 0

    def __str__(self) -> str:
        return f"snippets F1 {self.f1():.4f} (by words {self.f1(' by words'):.4f})"

    def f1(self, by: str = "") -> float:
        """F1 of the snippets: by their characters, or ` by words`."""
        inside, outside = self._counts[f"inside{by}"], self._counts[f"outside{by}"]
        return 2 * inside / max(1, inside + self._counts["expected"] + outside)


def _in_words(text: str) -> str:
    words = re.findall(r"[^\W_]+", text.lower())
    return f" {' '.join(words)} "


def interval(values: Sequence[Score], mean: Callable[[list[Score]], float]) -> tuple[float, float]:
    """The 95 % interval of a mean."""
    chance = random.Random(0)
    drawn = sorted(mean(chance.choices(values, k=len(values))) for _ in range(SAMPLES))
    return drawn[int(0.025 * SAMPLES)], drawn[int(0.975 * SAMPLES)]
