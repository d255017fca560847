"""An extractive summary: sentences of the passages as they stand there, each traceable to its place.

TextRank (Mihalcea and Tarau 2004, https://aclanthology.org/W04-3252/) with the cosines of sentence vectors for edges,
its walk led to the topic (Otterbacher, Erkan and Radev 2005, https://aclanthology.org/H05-1115/), then what repeats a
chosen sentence is put back (maximal marginal relevance, Carbonell and Goldstein 1998).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from oryn.research.documents import Document, Passage
from oryn.research.sentences import sentences as spans_of

if TYPE_CHECKING:
    from oryn.research.embedding import Embedder

Numbers = npt.NDArray[np.float64]

DAMPING = 0.5
"""How often the walk goes on to a like sentence, rather than back to what the topic is about."""
NOVELTY = 0.3
"""What being unlike the chosen sentences weighs against the rank."""
SAME = 0.9
"""From this cosine on, two sentences say the same."""
LEAD = 0.25
"""What the sentences of the last passage are less worth: of two that say the same of different things, the one whose
passage fits better is meant."""
FAR = 0.5
"""What is not half as near to the topic as the nearest is not chosen, so that a narrow question has a short answer."""
LONG = 60
"""Words that a sentence may have together with what it leans on."""
MOST = 600
"""Sentences that are looked at; those of the passages that fit best come first."""

_STATEMENT = re.compile(r"""[.!…。！।۔．]["'”’»」』)\]]*(?:\[\d+\])*$""")
_LETTER = re.compile(r"[^\W\d_]")
_WIDE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_LEANING = re.compile(r"(?:and|but|so|or|he|she|it|they|this|that|these|those|his|her|their|its|however|also)\b", re.I)
_FURNITURE = re.compile(
    r"\b(?:all rights reserved|terms of (?:use|service)|privacy policy|cookie (?:policy|settings)|click here|read more"
    r"|(?:use|uses|accept|our) (?:all )?cookies|sign (?:up|in) (?:for|to)|log in|subscribe to|share (?:this|on)"
    r"|enable javascript|follow us|(?:photo|image|picture)s? (?:by|credit)|getty images|advertisement)\b|©",
    re.I,
)


class Sentence(Document):
    """A sentence of a passage, with the one before it where it leans on that: `text` is what stands at `begin` to `end`
    of the text of the passage whose id is `passage`. `score` is its rank against the best (1)."""

    text: str
    passage: str
    begin: int
    end: int
    score: float = 0.0


def summarize(passages: Sequence[Passage], topic: str, *, embedder: Embedder, sentences: int = 6) -> list[Sentence]:
    """At most so many sentences that say most about the topic, none what another says. The passages are given with the
    best first. The page with the best sentence comes first, and a page's sentences stand in its own order. The same
    passages always give the same."""
    found = _candidates(passages, topic)
    if not found or sentences < 1:
        return []
    vectors = embedder.embed([each.text for each in found] + [topic]).astype(np.float64)
    alike = vectors[:-1] @ vectors[:-1].T
    near = np.maximum(vectors[:-1] @ vectors[-1], 0) if topic.strip() else np.ones(len(found))
    place = {passage.id: number for number, passage in reversed(list(enumerate(passages)))}
    near *= 1 - LEAD * np.array([place[each.passage] for each in found]) / len(passages)
    ranks = _walk(alike, near**2)
    chosen = _unlike(found, alike, np.where(near < FAR * near.max(), -np.inf, ranks), sentences)
    return _in_order([found[index].replace(score=round(float(ranks[index]), 6)) for index in chosen], passages)


def _candidates(passages: Sequence[Passage], topic: str) -> list[Sentence]:
    """What states something; where nothing does, whatever the passages have."""
    every: dict[str, Sentence] = {}
    for passage in passages:
        for begin, end in _units(passage.text):
            text = passage.text[begin:end]
            every.setdefault(" ".join(text.casefold().split()), Sentence(text, passage.id, begin, end))
    about_furniture = _FURNITURE.search(topic) is not None
    stating = [each for each in every.values() if _states(each.text) and (about_furniture or not _furniture(each.text))]
    return (stating or [each for each in every.values() if _LETTER.search(each.text)])[:MOST]


def _units(text: str) -> Iterator[tuple[int, int]]:
    """The sentences. One that leans on the one before stands with it: "It was lit in 1814." alone says nothing."""
    unit, before = 0, 0
    for begin, end in spans_of(text):
        leans = _LEANING.match(text, begin) is not None and "\n" not in text[before:begin]
        if not (leans and before and len(text[unit:end].split()) <= LONG):
            unit = begin
        before = end
        yield unit, end


def _states(text: str) -> bool:
    """Whether it is a whole sentence of some length, mostly of letters. Headings, captions, menus, tables and lists are
    not, nor are questions."""
    words = len(text.split()) + len(_WIDE.findall(text)) // 2
    letters = len(_LETTER.findall(text))
    return 5 <= words <= 80 and letters > 0.6 * len(text.replace(" ", "")) and _STATEMENT.search(text) is not None


def _furniture(text: str) -> bool:
    """Whether it is of the page rather than of what the page is about."""
    return len(text) < 300 and _FURNITURE.search(text) is not None


def _walk(alike: Numbers, bias: Numbers) -> Numbers:
    """PageRank by power iteration, the best brought to 1."""
    edges = np.maximum(alike, 0)
    np.fill_diagonal(edges, 0)
    start = bias / bias.sum() if bias.sum() > 0 else np.full(len(bias), 1 / len(bias))
    out = edges.sum(axis=1, keepdims=True)
    steps = np.where(out > 0, edges / np.where(out > 0, out, 1), start)
    ranks = start
    for _ in range(100):
        following = (1 - DAMPING) * start + DAMPING * (ranks @ steps)
        settled = np.abs(following - ranks).sum() < 1e-10
        ranks = following
        if settled:
            break
    return ranks / ranks.max()  # type: ignore[no-any-return]


def _unlike(found: Sequence[Sentence], alike: Numbers, ranks: Numbers, most: int) -> list[int]:
    """The best by rank less likeness to what is chosen; the first of equal ones. What stands in a chosen one is not."""
    chosen: list[int] = []
    nearest = np.zeros(len(ranks))
    while len(chosen) < most:
        worth = np.where(nearest < SAME, (1 - NOVELTY) * ranks - NOVELTY * nearest, -np.inf)
        best = int(worth.argmax())
        if worth[best] == -np.inf:
            break
        chosen.append(best)
        nearest = np.maximum(nearest, alike[best])
        nearest[[index for index, each in enumerate(found) if _overlap(each, found[best])]] = 1
    return chosen


def _overlap(one: Sentence, other: Sentence) -> bool:
    return one.passage == other.passage and one.begin < other.end and other.begin < one.end


def _in_order(chosen: list[Sentence], passages: Sequence[Passage]) -> list[Sentence]:
    of = {passage.id: passage for passage in reversed(passages)}
    best: dict[str, float] = {}
    for each in chosen:
        url = of[each.passage].url
        best[url] = max(best.get(url, 0), each.score)

    def place(each: Sentence) -> tuple[float, str, int, int]:
        passage = of[each.passage]
        return -best[passage.url], passage.url, passage.begin + each.begin, passage.number

    return sorted(chosen, key=place)
