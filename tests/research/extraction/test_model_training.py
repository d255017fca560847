"""Training of the content model with a few generated pages: what is measured on which pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("lightgbm")
from oryn.research.extraction.kind import KINDS
from scripts.content_model.collections import marked_pages
from scripts.content_model.evaluation import report, without
from scripts.content_model.samples import samples_of
from scripts.content_model.training import ModelSize, TrainedModel, Training

SMALL = ModelSize(kind=2, first=2, second=2, selection=2, selection_seeds=1)
SITES = 3


def story(subject: str) -> list[str]:
    return [
        f"The {subject} of the harbour was {at} years old on that day, and nobody knew its name." for at in range(12)
    ]


def html(subject: str) -> str:
    paragraphs = "".join(f"<p>{line}</p>" for line in story(subject))
    return f"<title>{subject}</title><nav><a href=/>Home</a> <a href=/a>{subject}s</a></nav><main>{paragraphs}</main>"


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("collections")
    about = {}
    for name in ("wcxb-dev/dev/html", "wcxb-dev/dev/ground-truth", "dragnet-dev/extraction/html"):
        (folder / name).mkdir(parents=True)
    for kind in KINDS:
        for site in range(SITES):
            name = f"{kind}{site}"
            about[name] = {"domain": f"{name}.example", "page_type": kind}
            (folder / "wcxb-dev/dev/html" / f"{name}.html").write_text(html(name), "utf-8")
            marks = {"main_content": "\n".join(story(name)), "with": [], "without": []}
            (folder / "wcxb-dev/dev/ground-truth" / f"{name}.json").write_text(json.dumps({"ground_truth": marks}))
    (folder / "wcxb-dev/metadata.json").write_text(json.dumps({"files": about}))
    truth = {name: {"articleBody": "\n".join(story(name))} for name in ("boat", "pier")}
    for name in truth:
        (folder / "dragnet-dev/extraction/html" / f"{name}.html").write_text(html(name), "utf-8")
    (folder / "dragnet-dev/extraction/ground-truth.json").write_text(json.dumps(truth))
    return folder


def test_a_collection_is_read_by_a_model_that_has_seen_nothing_of_it(
    collections: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = samples_of(marked_pages(collections), None)
    assert {sample.page.collection for sample in samples} == {"wcxb-dev", "dragnet-dev"}
    seen: list[set[str]] = []
    run = Training.run

    def recorded(self: Training, *, final: bool = True, validated: bool = False) -> TrainedModel | None:
        seen.append({sample.page.collection for sample in self.samples})
        return run(self, final=final, validated=validated)

    monkeypatch.setattr(Training, "run", recorded)
    outcomes = without(samples, "dragnet-dev", SMALL)
    assert seen == [{"wcxb-dev"}]
    assert [outcome.sample.page.name for outcome in outcomes] == ["dragnet-dev/boat", "dragnet-dev/pier"]
    assert all(len(outcome.chosen) == len(outcome.sample.texts) for outcome in outcomes)
    (line,) = report(outcomes)
    assert line.startswith("dragnet-dev      F1 ") and line.endswith("pages 2")
