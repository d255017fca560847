"""Passages and queries as sparse vectors, so that their inner product, each word weighted by how rare it is (the index
does that: "idf"), is BM25.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, §3.4. Stemming, stop words and
the numbers of the words are the engine's own, for English; words of other languages stand as they are stemmed there,
which is the same for passages and queries.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from qdrant_edge import Bm25, Bm25Config, SparseVector, TokenizerType

from oryn.research.documents import Passage

AVERAGE_WORDS = 110
"""Words of a passage that are left once the stop words are gone: half of `passages()`' 220."""

# Scripts that put no spaces between words: kana, CJK ideographs, hangul, Thai. The engine's tokenizer for them is three
# times as slow as the other, and loses numbers: it is for these texts alone.
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


class Words(NamedTuple):
    """A sparse vector."""

    numbers: list[int]
    weights: list[float]


def of_passage(passage: Passage) -> Words:
    """Its title and its text, longer ones weighted down."""
    text = f"{passage.title}\n{passage.text}"
    return _words(_model(text).embed_document(text))


def of_query(query: str) -> Words:
    """Each word of a query once. Empty when it has none but stop words."""
    return _words(_model(query).embed_query(query))


def _words(vector: SparseVector) -> Words:
    return Words(vector.indices, vector.values)


def _model(text: str) -> Bm25:
    return _bm25(_UNSPACED.search(text) is not None)


@cache
def _bm25(unspaced: bool) -> Bm25:
    tokenizer = TokenizerType.Multilingual if unspaced else TokenizerType.Word
    return Bm25(Bm25Config(language="english", ascii_folding=True, avg_len=AVERAGE_WORDS, tokenizer=tokenizer))
