"""A second look at passages that were found: those that fit the query best come first.

The index compares one vector of a passage, and its words. Here the model reads the passages again and what it makes of
each of their tokens is looked at: whether each word of the query that tells the passages apart has something near it
(late interaction; Khattab and Zaharia, "ColBERT", SIGIR 2020), and how near the best sentences are. The weights were
fitted (softmax over the candidates of a question) on two of the manuals of `benchmarks/retrieval.py`, which reports a
third.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from oryn.research.documents import Ranked
from oryn.research.index import words
from oryn.research.sentences import sentences

if TYPE_CHECKING:
    from oryn.research.embedding.embedder import Embedder, TokenVectors

Vector = npt.NDArray[np.float32]

WEIGHTS = {
    "nearness": 1.0,
    "words": 0.13,
    "telling words": 0.38,
    "plain words": -0.34,
    "best sentences": 0.43,
    "whole": -0.49,
}
"""What each sign counts. The plain words are taken off the telling ones, and the whole off the sentences: it is the
difference that tells."""

BEST = 3
"""Of a passage's sentences, the one whose nearness counts."""

# Words that a question has for being one.
_PLAIN = frozenset(
    "a an and are as at be but by can do does for from get has have how i if in into is it its me my no not of on or "
    "so such than that the their then there these they this to was we what when where which who why will with you your "
    "? . , ' \" ( ) - : ;".split()
)


def rerank(query: str, found: Sequence[Ranked], *, embedder: Embedder) -> list[Ranked]:
    """All of `found`, the best first; the score is comparable within this answer alone. It does not look at the scores
    that they come with. A passage takes some 20 ms of a processor: give it thirty, not hundreds, and call it in a
    thread."""
    if not found or not query.strip():
        return list(found)
    asked, *read = embedder.embed_tokens([query, *(each.passage.text for each in found)])
    shared = _shared_words(query, found)
    telling = _telling(asked, read)
    scored = []
    for each, tokens, share in zip(found, read, shared, strict=True):
        values = {"words": share, **_signs(asked, tokens, telling, each.passage.text)}
        scored.append(Ranked(each.passage, sum(WEIGHTS[name] * value for name, value in values.items())))
    return sorted(scored, key=lambda each: -each.score)


def _signs(asked: TokenVectors, read: TokenVectors, telling: npt.NDArray[np.float64], text: str) -> dict[str, float]:
    """What speaks for a passage, by the model's hidden states."""
    question = _unit(asked.vectors.mean(0))
    nearest = (_unit(asked.vectors[1:-1]) @ _unit(read.vectors).T).max(1) if len(asked.ids) > 2 else np.zeros(0)
    plain = telling > 0
    near = np.sort([float(each @ question) for each in _sentence_vectors(read, text)])
    return {
        "nearness": float(_unit(read.vectors.mean(0)) @ question),
        "telling words": float((nearest * telling).sum() / telling.sum()) if plain.any() else 0.0,
        "plain words": float(nearest[plain].mean()) if plain.any() else 0.0,
        "best sentences": float(near[-BEST:].mean()),
        "whole": float(_unit(read.vectors[0]) @ question),
    }


def _telling(asked: TokenVectors, read: Sequence[TokenVectors]) -> npt.NDArray[np.float64]:
    """Of each token of the query (without the marks around it) how few of the passages have it; nothing for words that
    any question has."""
    having = Counter(token for tokens in read for token in set(tokens.ids))
    rare = [math.log(1 + len(read) / (0.5 + having[token])) for token in asked.ids[1:-1]]
    content = np.array([piece not in _PLAIN for piece in asked.pieces[1:-1]])
    return np.array(rare) * (content if content.any() else 1.0)


def _sentence_vectors(read: TokenVectors, text: str) -> list[Vector]:
    """The mean of each sentence's tokens, as they stand in their passage."""
    ends = [end for _, end in sentences(text)]
    groups: dict[int, list[int]] = {}
    sentence = 0
    for token, (begin, _) in enumerate(read.offsets[1:-1], 1):
        while sentence < len(ends) - 1 and begin >= ends[sentence]:
            sentence += 1
        groups.setdefault(sentence, []).append(token)
    return [_unit(read.vectors[rows].mean(0)) for rows in groups.values()] or [_unit(read.vectors.mean(0))]


def _shared_words(query: str, found: Sequence[Ranked]) -> list[float]:
    """BM25 among those that were found, as a share of the best one's."""
    asked = words.of_query(query).numbers
    having = [dict(zip(*words.of_passage(each.passage), strict=True)) for each in found]
    rarity = {
        word: math.log(1 + (len(found) - count + 0.5) / (count + 0.5))
        for word in asked
        for count in [sum(word in each for each in having)]
    }
    scores = [sum(rarity[word] * each.get(word, 0.0) for word in asked) for each in having]
    most = max(scores) or 1.0
    return [score / most for score in scores]


def _unit(vectors: Vector) -> Vector:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12), np.float32)
