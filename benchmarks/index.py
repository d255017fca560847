"""How quickly passages go into the embedded index, how quickly they are found, and how surely.

usage: python -m benchmarks.index [--count 100000] [--queries 200]

The vectors are given: made up, 384 dimensions, in clusters as texts' are, the same every time. The texts are made up
too: 180 words of a vocabulary whose frequencies fall as words' do (Zipf). A passage counts as put in once it can be
found: the last of all is looked for before the clock stops. Recall is against exact search: every vector's cosine and
every passage's BM25 by NumPy, fused as the index does.

Last line: passages put in a second, median and 95th percentile of a hybrid search, recall@10.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import statistics
import tempfile
import time
from array import array
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oryn.research.documents import Passage, RankedPassage
from oryn.research.index import EmbeddedIndex, Mode, bm25
from oryn.research.index.interface import candidate_count, fuse

DIMENSIONS = 384
WORDS = 180
QUERY_WORDS = 6
VOCABULARY = 50_000
MODEL = "made-up"
LIMIT = 10
UPSERT = 1000
"""Passages in one call."""


class SyntheticData:
    """Passages and queries that are made up."""

    def __init__(self, count: int, queries: int) -> None:
        chance = np.random.default_rng(0)
        # Texts' vectors have far fewer directions that matter than dimensions, and gather by subjects.
        directions = chance.standard_normal((64, DIMENSIONS), np.float32)
        subjects = chance.standard_normal((max(10, count // 50), 64), np.float32)
        vectors = np.empty((count + queries, DIMENSIONS), np.float32)
        for begin in range(0, len(vectors), UPSERT):
            rows = vectors[begin : begin + UPSERT]
            about = subjects[chance.integers(0, len(subjects), len(rows))]
            about = about + 0.6 * chance.standard_normal(about.shape, np.float32)
            rows[:] = about @ directions + chance.standard_normal(rows.shape, np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        self.vectors, self.query_vectors = vectors[:count], vectors[count:]
        self._chance = chance
        self._words = np.array([f"w{number:x}" for number in range(VOCABULARY)])
        share = 1 / np.arange(1, VOCABULARY + 1)
        self._sums = np.cumsum(share / share.sum())
        self.queries = [self._text(QUERY_WORDS) for _ in range(queries)]

    def passages(self, begin: int, end: int) -> list[Passage]:
        return [
            Passage(id=str(number), url=f"https://made.example/{number // 5}", title="", text=self._text(WORDS))
            for number in range(begin, end)
        ]

    def _text(self, words: int) -> str:
        return " ".join(self._words[np.searchsorted(self._sums, self._chance.random(words)).clip(0, VOCABULARY - 1)])


class Exact:
    """Search without an index: every vector's cosine, and BM25 of every passage that has a word of the queries."""

    def __init__(self, made: SyntheticData) -> None:
        self._data = made
        self._asked = [bm25.of_query(query).numbers for query in made.queries]
        self._postings = {word: (array("q"), array("d")) for each in self._asked for word in each}

    def add(self, begin: int, passages: list[Passage]) -> None:
        for number, passage in enumerate(passages, begin):
            for word, weight in zip(*bm25.of_passage(passage), strict=True):
                if found := self._postings.get(word):
                    found[0].append(number)
                    found[1].append(weight)

    def search(self, query: int, limit: int) -> set[str]:
        many = candidate_count(limit)
        cosines = self._data.vectors @ self._data.query_vectors[query]
        shared = np.zeros(len(cosines))
        for word in self._asked[query]:
            numbers, weights = self._postings[word]
            rarity = math.log(1 + (len(cosines) - len(numbers) + 0.5) / (len(numbers) + 0.5))
            shared[np.array(numbers)] += rarity * np.array(weights)
        return {each.passage.id for each in fuse(_best(cosines, many), _best(shared, many), limit)}


def _best(scores: npt.NDArray[np.floating], many: int) -> list[RankedPassage]:
    best = np.argsort(-scores, kind="stable")[:many]
    return [
        RankedPassage(Passage(id=str(each), url="", title="", text=""), float(scores[each]))
        for each in best
        if scores[each]
    ]


async def put(index: EmbeddedIndex, made: SyntheticData, exact: Exact, count: int) -> float:
    """The seconds that it took until the last passage was found."""
    took, told = 0.0, time.monotonic()
    for begin in range(0, count, UPSERT):
        passages = made.passages(begin, min(begin + UPSERT, count))
        exact.add(begin, passages)
        started = time.perf_counter()
        await index.upsert("made", passages, made.vectors[begin : begin + UPSERT], model=MODEL)
        took += time.perf_counter() - started
        if time.monotonic() > told + 30:
            told = time.monotonic()
            print(f"  {begin:,} in {took:.0f} s", flush=True)
    started = time.perf_counter()
    (last,) = await index.search("made", "", made.vectors[count - 1], model=MODEL, limit=1, mode="dense")
    if last.passage.id != str(count - 1):
        raise SystemExit("the last passage is not found")
    return took + time.perf_counter() - started


async def look(index: EmbeddedIndex, made: SyntheticData, mode: Mode) -> tuple[list[float], list[set[str]]]:
    """Milliseconds of each search, and what it found."""
    took, found = [], []
    for query, vector in zip(made.queries, made.query_vectors, strict=True):
        started = time.perf_counter()
        best = await index.search("made", query, vector, model=MODEL, limit=LIMIT, mode=mode)
        took.append(1000 * (time.perf_counter() - started))
        found.append({each.passage.id for each in best})
    return took, found


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    asked = parser.parse_args()
    made = SyntheticData(asked.count, asked.queries)
    exact = Exact(made)
    before = _memory()
    with tempfile.TemporaryDirectory() as folder:
        index = EmbeddedIndex(folder)
        seconds = await put(index, made, exact, asked.count)
        # With the texts of the last batch and the postings of the exact search.
        print(f"{asked.count:,} passages: {seconds:.1f} s to put in, {_memory() - before:,.0f} MB of memory more")
        for mode in ("dense", "bm25"):
            took, _ = await look(index, made, mode)
            print(f"{mode:6} median {statistics.median(took):6.1f} ms  p95 {_percentile(took):6.1f} ms")
        took, found = await look(index, made, "hybrid")
        started = time.perf_counter()
        await index.close()
        closed = time.perf_counter()
        index = EmbeddedIndex(folder)
        await index.search("made", made.queries[0], made.query_vectors[0], model=MODEL)
        print(f"closed in {closed - started:.1f} s, opened in {time.perf_counter() - closed:.1f} s, "
              f"{_size(Path(folder)):,.0f} MB on the disk")  # fmt: skip
        await index.close()
    right = [len(best & exact.search(number, LIMIT)) / LIMIT for number, best in enumerate(found)]
    print(
        f"{asked.count / seconds:,.0f} a second, hybrid search {statistics.median(took):.1f} ms "
        f"(p95 {_percentile(took):.1f} ms), recall@{LIMIT} {statistics.fmean(right):.4f}"
    )


def _percentile(took: list[float]) -> float:
    return statistics.quantiles(took, n=20)[-1]


def _memory() -> float:
    """This process's, in MB, without the pages of files that the system can take back."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["RssAnon"].split()[0]) / 1024


def _size(folder: Path) -> float:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*")) / 1e6


if __name__ == "__main__":
    asyncio.run(main())
