"""How well the main text of saved pages is found: precision and recall of 4-token shingles, and snippets.

usage: python -m benchmarks.extraction FOLDER [--peers] [--structure] [--cross-validate] [--limit N]

FOLDER has `extraction/{ground-truth.json,html/*.html[.gz]}`, as ../shared/evals/public, or is a folder of collections
(`scripts/content_model/collections.py`). `--peers` scores trafilatura in three modes and, if they are installed,
readability-lxml, jusText, resiliparse and newspaper4k beside it. `--structure` counts which code blocks, tables, list
items and headings of the pages were kept, and which of these are marked as what they are in the Markdown.
`--cross-validate` trains and scores by site, which takes an hour (`make content-model`).

A line for each collection and kind of page: mean page F1 with its 95 % interval (bootstrap over pages, seed 0).
The last line: F1 of the mean precision and recall of all pages with text, precision, recall, and the interval.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.extraction_peers import installed_peers
from benchmarks.extraction_scores import Score, SnippetScore, interval, means, page_f1, score
from benchmarks.extraction_structure import structure_lines
from oryn.research.extraction import main_text
from scripts.content_model.collections import MarkedPage, marked_pages


def scores_of(folder: Path) -> tuple[dict[str, Score], float]:
    """Each page's score by its name, and the seconds that extraction took."""
    pages = {page.name: (page, page.html()) for page in marked_pages(folder) if page.text is not None}
    begun = time.perf_counter()
    texts = {name: main_text(html) for name, (_, html) in pages.items()}
    seconds = time.perf_counter() - begun
    return {name: score(pages[name][0].text or "", text) for name, text in texts.items()}, seconds


class Figures:
    """The scores of one extractor."""

    def __init__(self) -> None:
        self.scores: dict[str, list[Score]] = defaultdict(list)
        self.snippets: dict[str, SnippetScore] = defaultdict(SnippetScore)
        self.milliseconds: list[float] = []

    def add(self, page: MarkedPage, text: str) -> None:
        """Score a page."""
        groups = [page.collection, *([f"{page.collection} {page.kind}"] if page.kind else [])]
        for group in groups:
            if page.text is not None:
                self.scores[group].append(score(page.text, text))
            self.snippets[group].add(text, page.inside, page.outside)

    def lines(self, name: str) -> list[str]:
        """A line for each collection and kind."""
        lines = []
        for group in sorted(set(self.scores) | set(self.snippets)):
            line = f"{name:24} {group:26}"
            if values := self.scores.get(group):
                low, high = interval(values, lambda drawn: statistics.fmean(page_f1(*each) for each in drawn))
                mean = statistics.fmean(page_f1(*each) for each in values)
                line += f" pages {len(values):5}  F1 {mean:.4f} [{low:.4f}, {high:.4f}]"
            if self.snippets[group]:
                line += f"  {self.snippets[group]}"
            lines.append(line)
        return [*lines, f"{name:24} median {statistics.median(self.milliseconds):.1f} ms a page"]


def measure(pages: Sequence[MarkedPage], extract: Callable[[bytes], str]) -> Figures:
    """The figures of an extractor."""
    figures = Figures()
    for page in pages:
        html = page.html()
        begun = time.perf_counter()
        text = extract(html)
        figures.milliseconds.append(1000 * (time.perf_counter() - begun))
        figures.add(page, text)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--structure", action="store_true")
    parser.add_argument("--cross-validate", action="store_true")
    parser.add_argument("--limit", type=int, default=None)
    options = parser.parse_args()
    if options.cross_validate:
        from scripts.content_model.__main__ import main as train

        sys.argv = [sys.argv[0], str(options.folder), "--cross-validate"]
        return train()
    pages = marked_pages(options.folder)[
        :: 1 if options.limit is None else max(1, len(marked_pages(options.folder)) // options.limit)
    ]
    own = measure(pages, main_text)
    print(*own.lines("oryn"), sep="\n")
    if options.peers:
        for name, extract in installed_peers().items():
            print(*measure(pages, extract).lines(name), sep="\n")
    if options.structure:
        print(*structure_lines(pages), sep="\n")
    scores = [each for group, values in own.scores.items() if " " not in group for each in values]
    if scores:
        f1, precision, recall = means(scores)
        low, high = interval(scores, lambda drawn: means(drawn)[0])
        print(f"F1 {f1:.4f} [{low:.4f}, {high:.4f}]  precision {precision:.4f}  recall {recall:.4f}")
    return None


if __name__ == "__main__":
    main()
