"""How well the main text of saved pages is found: precision and recall of 4-token shingles, mean over the pages.

usage: extraction.py FOLDER      (FOLDER/extraction/{ground-truth.json,html/*.html.gz}, as in ../shared/evals/public)

Last line: F1 of the two means, precision, recall, and the F1's 95 % interval (bootstrap over pages, seed 0).
"""

from __future__ import annotations

import gzip
import json
import random
import re
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

from oryn.research.extraction import main_text

SHINGLE = 4
SAMPLES = 2000


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """How often each sequence of four words stands in a text; a shorter text is one sequence."""
    words = re.findall(r"\w+", text)
    return Counter(tuple(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1)) if words)


def score(truth: str, found: str) -> tuple[float | None, float | None]:
    """Precision and recall; None where a side has no words, as the benchmark's own script leaves those out."""
    expected, got = shingles(truth), shingles(found)
    hits = (expected & got).total()
    return hits / got.total() if got else None, hits / expected.total() if expected else None


def means(scores: list[tuple[float | None, float | None]]) -> tuple[float, float, float]:
    """F1, precision, recall."""
    precision, recall = (
        statistics.fmean([value for each in scores if (value := each[side]) is not None] or [0.0]) for side in (0, 1)
    )
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0, precision, recall


def scores_of(folder: Path) -> tuple[dict[str, tuple[float | None, float | None]], float]:
    """Each page's score by its name, and the seconds that extraction took."""
    folder = folder / "extraction"
    truth = json.loads((folder / "ground-truth.json").read_text("utf-8"))
    pages = {name: gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes()) for name in sorted(truth)}
    begun = time.perf_counter()
    texts = {name: main_text(page) for name, page in pages.items()}
    seconds = time.perf_counter() - begun
    return {name: score(truth[name].get("articleBody", ""), text) for name, text in texts.items()}, seconds


def interval(scores: list[tuple[float | None, float | None]]) -> tuple[float, float]:
    """The 95 % interval of F1."""
    chance = random.Random(0)
    drawn = sorted(means(chance.choices(scores, k=len(scores)))[0] for _ in range(SAMPLES))
    return drawn[int(0.025 * SAMPLES)], drawn[int(0.975 * SAMPLES)]


def main() -> None:
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "extraction" / "ground-truth.json").is_file():
        raise SystemExit(__doc__)
    by_page, seconds = scores_of(Path(sys.argv[1]))
    for name, (precision, recall) in sorted(by_page.items(), key=lambda each: sum(side or 0 for side in each[1])):
        print(f"{name[:16]}  precision {precision or 0:.3f}  recall {recall or 0:.3f}")
    scores = list(by_page.values())
    f1, precision, recall = means(scores)
    low, high = interval(scores)
    print(f"pages {len(scores)}  {1000 * seconds / len(scores):.1f} ms a page")
    print(f"F1 {f1:.4f} [{low:.4f}, {high:.4f}]  precision {precision:.4f}  recall {recall:.4f}")


if __name__ == "__main__":
    main()
