"""Passages and queries as sparse vectors whose inner product, each word weighted by its rarity (the index does that:
"idf"), is BM25.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, §3.4. Stemming, stop words
and the numbers of the words are the engine's own, for English; words of other languages stay as they are stemmed
there, which is the same for passages and queries."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from qdrant_edge import Bm25, Bm25Config, SparseVector, TokenizerType

from oryn.research.documents import Passage

AVERAGE_WORDS = 110
"""The average number of words in a passage without stop words: half of the 220 of `passages()`."""

# Runs of scripts that put no spaces between words (Thai, kana, ideographs), or put much into one (hangul).
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]{2,}")

# What stands within a word and is no part of it: where it may be broken (a soft hyphen), where it may not.
_WITHIN = dict.fromkeys(map(ord, "\xad\u200c\u200d\u2060\ufeff"))


class SparseWords(NamedTuple):
    """A sparse vector: the numbers of words, and their weights."""

    numbers: list[int]
    weights: list[float]


def of_passage(passage: Passage) -> SparseWords:
    """The words of a passage's title and text, normalized by its length."""
    return _words(_bm25().embed_document(_spaced(f"{passage.title}\n{passage.text}")))


def of_query(query: str) -> SparseWords:
    """Each word of a query once. Empty if it has only stop words."""
    return _words(_bm25().embed_query(_spaced(query)))


def _words(vector: SparseVector) -> SparseWords:
    return SparseWords(vector.indices, vector.values)


def _spaced(text: str) -> str:
    """Every two neighbours of such a run are a word, as in Lucene's CJKBigramFilter: what a word is there depends on
    the words around it, and a query has others around it than a passage."""
    if text.isascii():
        return text
    text = without_surrogates(text).translate(_WITHIN)
    return _UNSPACED.sub(lambda run: " ".join(map("".join, pairwise(run[0]))), text)


def without_surrogates(text: str) -> str:
    """A text without lone surrogates, which UTF-8 can't encode and the engine refuses."""
    return text.encode("utf-8", "replace").decode()


@cache
def _bm25() -> Bm25:
    return Bm25(Bm25Config(language="english", ascii_folding=True, avg_len=AVERAGE_WORDS, tokenizer=TokenizerType.Word))
