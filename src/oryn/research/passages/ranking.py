"""Reranks passages: those that match the query best come first.

The index compares one vector of a passage, and its words. Here the model reads the passages again, and its hidden
states of their tokens are compared: whether each word of the query that distinguishes the passages has something
near it (late interaction; Khattab and Zaharia, "ColBERT", SIGIR 2020), and how near the best sentences are. The
weights were fitted (softmax over the candidates of a question) on two of the manuals of `benchmarks/retrieval.py`,
which reports a third."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from oryn.research.documents import RankedPassage
from oryn.research.index import bm25
from oryn.research.text.sentences import sentences

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
"""The weight of each feature. Negative ones make differences: between rare and plain words, and between the best
sentences and the whole passage."""

BEST_SENTENCES = 3
"""The number of sentences of a passage whose similarity counts."""

# Words that a question has for being one.
_PLAIN = frozenset(
    "a an and are as at be but by can do does for from get has have how i if in into is it its me my no not of on or "
    "so such than that the their then there these they this to was we what when where which who why will with you your "
    "? . , ' \" ( ) - : ;".split()
)


def rerank(query: str, found: Sequence[RankedPassage], *, embedder: Embedder) -> list[RankedPassage]:
    """All passages of `found`, the best first; scores are comparable within this result only, and do not depend on the
    scores before. Takes some 20 ms of CPU time for each passage: pass about thirty, and call it in a thread."""
    if not found or not query.strip():
        return list(found)
    query_tokens, *read = embedder.embed_tokens([query, *(each.passage.text for each in found)])
    shared = _shared_words(query, found)
    rarity = _token_rarity(query_tokens, read)
    scored = []
    for each, tokens, share in zip(found, read, shared, strict=True):
        values = {"words": share, **_features(query_tokens, tokens, rarity, each.passage.text)}
        scored.append(RankedPassage(each.passage, sum(WEIGHTS[name] * value for name, value in values.items())))
    return sorted(scored, key=lambda each: -each.score)


def _features(
    query_tokens: TokenVectors, read: TokenVectors, rarity: npt.NDArray[np.float64], text: str
) -> dict[str, float]:
    """The features of a passage, by the hidden states of the model."""
    question = _unit(query_tokens.vectors.mean(0))
    nearest = (
        (_unit(query_tokens.vectors[1:-1]) @ _unit(read.vectors).T).max(1) if len(query_tokens.ids) > 2 else np.zeros(0)
    )
    plain = rarity > 0
    near = np.sort([float(each @ question) for each in _sentence_vectors(read, text)])
    return {
        "nearness": float(_unit(read.vectors.mean(0)) @ question),
        "telling words": float((nearest * rarity).sum() / rarity.sum()) if plain.any() else 0.0,
        "plain words": float(nearest[plain].mean()) if plain.any() else 0.0,
        "best sentences": float(near[-BEST_SENTENCES:].mean()),
        "whole": float(_unit(read.vectors[0]) @ question),
    }


def _token_rarity(query_tokens: TokenVectors, read: Sequence[TokenVectors]) -> npt.NDArray[np.float64]:
    """How rare each token of the query (without its markers) is among the passages; 0 for words that any question
    has."""
    having = Counter(token for tokens in read for token in set(tokens.ids))
    rare = [math.log(1 + len(read) / (0.5 + having[token])) for token in query_tokens.ids[1:-1]]
    content = np.array([piece not in _PLAIN for piece in query_tokens.pieces[1:-1]])
    return np.array(rare) * (content if content.any() else 1.0)


def _sentence_vectors(read: TokenVectors, text: str) -> list[Vector]:
    """The mean of each sentence's tokens in the context of their passage."""
    ends = [end for _, end in sentences(text)]
    groups: dict[int, list[int]] = {}
    sentence = 0
    for token, (begin, _) in enumerate(read.offsets[1:-1], 1):
        while sentence < len(ends) - 1 and begin >= ends[sentence]:
            sentence += 1
        groups.setdefault(sentence, []).append(token)
    return [_unit(read.vectors[rows].mean(0)) for rows in groups.values()] or [_unit(read.vectors.mean(0))]


def _shared_words(query: str, found: Sequence[RankedPassage]) -> list[float]:
    """BM25 among the passages, as a share of the best score."""
    query_words = bm25.of_query(query).numbers
    having = [dict(zip(*bm25.of_passage(each.passage), strict=True)) for each in found]
    rarity = {
        word: math.log(1 + (len(found) - count + 0.5) / (count + 0.5))
        for word in query_words
        for count in [sum(word in each for each in having)]
    }
    scores = [sum(rarity[word] * each.get(word, 0.0) for word in query_words) for each in having]
    best = max(scores) or 1.0
    return [score / best for score in scores]


def _unit(vectors: Vector) -> Vector:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12), np.float32)
