"""How well passages are found: by vectors alone, by words alone, by both, and by both with a second look.

usage: python -m benchmarks.retrieval [--manual perl] [--questions 1000] [--keep FOLDER]      (perl, python or debian)

Questions that people asked, with the answers that people gave to them (`_judged_questions.py`: lists of frequently
asked questions within their manuals, fetched by name), through the real embedder, the real index and `rerank`. The
weights of fusion and second look were fitted on `python` and `debian`; what is reported is `perl`. A section counts
where its first passage stands.

Last lines: nDCG@10, recall@10, MRR of each (95 % intervals by bootstrap over the questions, seed 0), and by how much
the second look is better than each of the others in nDCG@10 on the same questions.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks._judged_questions import MANUALS, Judged, judged
from oryn.research.documents import Article, RankedPassage
from oryn.research.embedding import Embedder
from oryn.research.index import EmbeddedIndex, Mode
from oryn.research.passages.ranking import rerank
from oryn.research.passages.splitter import passages

TOP = 10
LOOKED_AT = 30
"""Passages that are ranked for a question."""
SAMPLES = 2000
MODES: tuple[Mode, ...] = ("dense", "bm25", "hybrid")
AGAIN = "reranked"
MEASURES = ("nDCG@10", "recall@10", "MRR")


def measured(found: Sequence[RankedPassage], answers: frozenset[str]) -> tuple[float, ...]:
    """nDCG, recall and reciprocal rank of the first ten sections."""
    sections = list(dict.fromkeys(each.passage.url for each in found))[:TOP]
    hits = [rank for rank, section in enumerate(sections, 1) if section in answers]
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(TOP, len(answers)) + 1))
    return (
        sum(1 / math.log2(rank + 1) for rank in hits) / best,
        len(hits) / min(TOP, len(answers)),
        1 / hits[0] if hits else 0.0,
    )


async def put(index: EmbeddedIndex, manual: Judged, embedder: Embedder) -> int:
    cut = [
        passage
        for section in manual.sections
        for passage in passages(
            Article(url=section.id, title=section.title, text=section.text, markdown=section.text),
            count=embedder.count,
            limit=embedder.limit,
        )
    ]
    for begin in range(0, len(cut), 500):
        some = cut[begin : begin + 500]
        vectors = await asyncio.to_thread(embedder.embed, [passage.text for passage in some])
        await index.upsert("manual", some, vectors, model=embedder.hash)
        print(f"  {begin + len(some):,} of {len(cut):,} passages are in", file=sys.stderr, flush=True)
    return len(cut)


async def scored(index: EmbeddedIndex, manual: Judged, embedder: Embedder) -> dict[str, list[tuple[float, ...]]]:
    """For each way of searching, the measures of each question."""
    scores: dict[str, list[tuple[float, ...]]] = {way: [] for way in (*MODES, AGAIN)}
    vectors = embedder.embed([question for question, _ in manual.questions])
    took = []
    for number, ((question, answers), vector) in enumerate(zip(manual.questions, vectors, strict=True)):
        for mode in MODES:
            found = await index.search("manual", question, vector, model=embedder.hash, limit=LOOKED_AT, mode=mode)
            scores[mode].append(measured(found, answers))
        started = time.perf_counter()
        scores[AGAIN].append(measured(rerank(question, found, embedder=embedder), answers))
        took.append(time.perf_counter() - started)
        if number % 50 == 49:
            print(f"  {number + 1} of {len(manual.questions)} questions", file=sys.stderr, flush=True)
    print(f"a second look at {LOOKED_AT} passages: {1000 * statistics.median(took):.0f} ms (median)")
    return scores


def interval(values: Sequence[float]) -> str:
    """The mean, and where it lies in 95 of 100 draws of as many questions."""
    chance = random.Random(0)
    means = sorted(statistics.fmean(chance.choices(values, k=len(values))) for _ in range(SAMPLES))
    return f"{statistics.fmean(values):.4f} [{means[SAMPLES // 40]:.4f}, {means[-SAMPLES // 40 - 1]:.4f}]"


def report(scores: dict[str, list[tuple[float, ...]]]) -> None:
    for way, each in scores.items():
        columns = zip(MEASURES, zip(*each, strict=True), strict=True)
        print(f"{way:9}", "  ".join(f"{name} {interval(values)}" for name, values in columns))
    for way in MODES:
        better = [ours[0] - theirs[0] for ours, theirs in zip(scores[AGAIN], scores[way], strict=True)]
        print(f"{AGAIN} over {way:7} nDCG@10 {interval(better)}")


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--manual", choices=MANUALS, default="perl")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="where the packages are kept for the next time")
    asked = parser.parse_args()
    embedder = Embedder.load()
    with tempfile.TemporaryDirectory() as folder:
        manual = judged(asked.manual, asked.keep or Path(folder))
        manual = manual.replace(questions=manual.questions[: asked.questions])
        index = EmbeddedIndex(Path(folder) / "index")
        number = await put(index, manual, embedder)
        print(f"{manual.name}: {len(manual.questions)} questions, {len(manual.sections)} sections, {number} passages")
        scores = await scored(index, manual, embedder)
        await index.close()
    report(scores)


if __name__ == "__main__":
    asyncio.run(main())
