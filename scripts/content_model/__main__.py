"""Trains the model by which Oryn finds the main content of pages, and writes it where Oryn reads it.

usage: python -m scripts.content_model FOLDER [--cross-validate | --without COLLECTION] [--cache FOLDER] [--output FILE]

FOLDER has the collections of `scripts/content_model/collections.py`. The same pages give the same file.
`--cross-validate` trains on parts of the pages, prints how well each part is read that a model has not seen, and
writes nothing. `--without dragnet-dev` trains on all collections but that one, prints how well its pages are read, and
writes nothing. `--cache` keeps the features of pages between runs.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from oryn.research.extraction.content_model import FILE
from scripts.content_model.collections import LICENCES, marked_pages
from scripts.content_model.evaluation import cross_validate, report, without
from scripts.content_model.exported import save
from scripts.content_model.samples import PageSample, samples_of
from scripts.content_model.training import ModelSize, Training

OUTPUT = Path(__file__).parents[2] / "src" / "oryn" / "research" / "extraction" / FILE


def card_of(samples: Sequence[PageSample]) -> str:
    """What the model was trained with, and under which licences."""
    counts = Counter(sample.page.collection for sample in samples if not sample.variant)
    lines = [
        "Main content of web pages, segment by segment, and the kinds of pages. Trained by scripts/content_model on:"
    ]
    lines += [f"{counts[name]} pages of {licence}" for name, licence in LICENCES.items() if counts[name]]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    measured = parser.add_mutually_exclusive_group()
    measured.add_argument("--cross-validate", action="store_true")
    measured.add_argument("--without", metavar="COLLECTION", choices=LICENCES)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    samples = samples_of(marked_pages(options.folder), options.cache)
    print(card_of(samples))
    if options.cross_validate:
        print(*report(cross_validate(samples, ModelSize())), sep="\n")
        return
    if options.without:
        print(*report(without(samples, options.without, ModelSize())), sep="\n")
        return
    model = Training(samples, ModelSize()).run(final=True)
    assert model is not None
    save(model, card_of(samples), options.output)
    print(f"{options.output} {options.output.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
