"""Asks forty questions on forty saved pages whose answers stand in tables, definition lists and properties: `python -m
benchmarks.row_answers`.

A question counts as answered if a row of its answer (at most three) has the label, the value and the thing that it is
about, and as answered first if that row has the best score. The pages in `held_out` were not looked at while the rules
were written."""

from __future__ import annotations

import argparse

from benchmarks.row_pages import RowQuestion
from benchmarks.row_pages.development import DEVELOPMENT
from benchmarks.row_pages.held_out import HELD_OUT
from oryn.research.documents import RankedPassage
from oryn.research.embedding import Embedder
from oryn.research.extractor import article_of_html
from oryn.research.passages.ranking import rerank
from oryn.research.passages.splitter import passages
from oryn.research.report.summary import Sentence, summarize

SENTENCES = 3


def answer(sample: RowQuestion, embedder: Embedder) -> list[Sentence]:
    """The sentences and rows that answer the question, the best first."""
    article = article_of_html(sample.html, "https://pages.example/page")
    found = [RankedPassage(each, 0.0) for each in passages(article, count=embedder.count, limit=embedder.limit)]
    ranked = [each.passage for each in rerank(sample.question, found, embedder=embedder)]
    summary = summarize(ranked, sample.question, embedder=embedder, sentences=SENTENCES)
    return sorted(summary, key=lambda each: -each.score)


def is_right(sample: RowQuestion, sentence: Sentence) -> bool:
    """Whether it is the row that answers, with its thing."""
    whole = sentence.words.casefold()
    return all(part.casefold() in whole for part in (sample.subject, sample.label, sample.value))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verbose", action="store_true", help="print the answers that are not right")
    parser.add_argument("--only", choices=["development", "held-out"], help="one half")
    arguments = parser.parse_args()
    embedder = Embedder.load()
    asked = answered_in_all = 0
    for name, samples in {"development": DEVELOPMENT, "held-out": HELD_OUT}.items():
        if arguments.only not in (None, name):
            continue
        answered = first = 0
        for sample in samples:
            rows = answer(sample, embedder)
            right = [is_right(sample, each) for each in rows]
            answered += any(right)
            first += bool(right) and right[0]
            if arguments.verbose and not (right and right[0]):
                found = "; ".join(f"[{each.subject}] {each.text}" for each in rows)
                print(f"  {sample.question} {'later' if any(right) else 'NOT ANSWERED'}: {found}")
        asked += len(samples)
        answered_in_all += answered
        print(f"{name}: {answered} of {len(samples)} answered with the right row, {first} of them first")
    print(f"{answered_in_all} of {asked} answered")


if __name__ == "__main__":
    main()
