"""Evaluation of the content model on pages that it has not seen: by parts, where each page is scored by a model that
has seen no page of its site, or of a whole collection, by a model that has seen none of it."""

from __future__ import annotations

import statistics
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.extraction_scores import SnippetScore, page_f1, score
from oryn.research.extraction.content import selected_by
from oryn.research.extraction.content_model import ContentModel
from oryn.research.extraction.kind import KINDS
from oryn.research.extraction.layout import Floats
from scripts.content_model.exported import save
from scripts.content_model.samples import PageSample
from scripts.content_model.training import ModelSize, Training


@dataclass
class Outcome:
    """What models that have not seen a page's part say of it."""

    sample: PageSample
    kinds: Floats
    chosen: npt.NDArray[np.bool_]


def cross_validate(samples: Sequence[PageSample], size: ModelSize) -> list[Outcome]:
    """The outcomes of all samples but variants."""
    training = Training(samples, size)
    training.run(final=False, validated=True)
    return [
        Outcome(sample, unseen.kinds, unseen.chosen)
        for sample, unseen in zip(samples, training.unseen, strict=True)
        if not sample.variant
    ]


def without(samples: Sequence[PageSample], collection: str, size: ModelSize) -> list[Outcome]:
    """The outcomes of a collection's samples by a model that is trained with the others as the one that Oryn reads."""
    trained = Training([each for each in samples if each.page.collection != collection], size).run(final=True)
    assert trained is not None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.npz"
        save(trained, "", file)
        with file.open("rb") as stream:
            model = ContentModel.read(stream)
    return [
        outcome_of(sample, model) for sample in samples if sample.page.collection == collection and not sample.variant
    ]


def outcome_of(sample: PageSample, model: ContentModel) -> Outcome:
    """What a model says of a sample."""
    kinds, chosen = selected_by(model, sample.layout, sample.values, sample.names, sample.kind_values)
    return Outcome(sample, kinds, chosen)


def text_of_outcome(outcome: Outcome) -> str:
    """The text of the segments that are chosen."""
    return "\n".join(text for text, keep in zip(outcome.sample.texts, outcome.chosen, strict=True) if keep)


def report(outcomes: Sequence[Outcome]) -> list[str]:
    """Lines of figures: mean page F1 of the kinds and collections, snippets, and how often the kind was right."""
    scores: dict[str, list[float]] = defaultdict(list)
    snippets: dict[str, SnippetScore] = defaultdict(SnippetScore)
    right = []
    for outcome in outcomes:
        page, text = outcome.sample.page, text_of_outcome(outcome)
        if page.text is not None:
            scores[page.collection].append(page_f1(*score(page.text, text)))
            if page.kind:
                scores[page.kind].append(scores[page.collection][-1])
        if page.kind:
            right.append(KINDS[int(outcome.kinds.argmax())] == page.kind)
        snippets[page.collection].add(text, page.inside, page.outside)
    lines = [f"{name:16} F1 {statistics.fmean(values):.4f}  pages {len(values)}" for name, values in scores.items()]
    lines += [f"{name:16} {counts}" for name, counts in snippets.items() if counts]
    if right:
        lines.append(f"kind right {statistics.fmean(right):.3f}")
    return lines
