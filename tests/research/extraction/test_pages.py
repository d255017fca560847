"""What is found on small pages, each of which shows one trap; and on real ones, where those are there."""

from __future__ import annotations

import gzip
import importlib.util
import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from lxml.html import tostring

from oryn.research.extraction import article_of, main_text
from oryn.research.extraction.article import parse_html
from tests.research.extraction import floors

ROOT = Path(__file__).parents[3]
PAGES = sorted((Path(__file__).parent / "pages").glob("*.html"))
REAL = ROOT.parent / "shared" / "evals" / "public"

real = pytest.mark.skipif(not (REAL / "extraction").is_dir(), reason="the evaluation pages are not on this machine")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_words_of_the_article_and_no_others(page: Path) -> None:
    expected = page.with_suffix(".txt").read_text("utf-8").rstrip("\n")
    assert main_text(page.read_bytes()) == expected
    assert article_of(page.read_text("utf-8"), "https://linden.example/harbour").text == expected


@cache
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("extraction_benchmark", ROOT / "benchmarks" / "extraction.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@real
def test_the_floor_on_real_pages() -> None:
    scores, _ = benchmark().scores_of(REAL)
    assert benchmark().means(list(scores.values()))[0] >= floors.F1


@real
def test_the_floor_on_real_pages_without_classes() -> None:
    truth = json.loads((REAL / "extraction" / "ground-truth.json").read_text("utf-8"))
    scores = []
    for name, gold in truth.items():
        tree = parse_html(gzip.decompress((REAL / "extraction" / "html" / f"{name}.html.gz").read_bytes()))
        assert tree is not None
        for element in tree.iter():
            for attribute in ("class", "id", "role", "itemprop"):
                element.attrib.pop(attribute, None)
        scores.append(benchmark().score(gold["articleBody"], main_text(tostring(tree, encoding="unicode"))))
    assert benchmark().means(scores)[0] >= floors.F1_WITHOUT_CLASSES


def test_the_benchmark_scores_words_in_order() -> None:
    assert benchmark().score("a b c d e", "a b c d e") == (1.0, 1.0)
    assert benchmark().score("a b c d e", "a b c d") == (1.0, 0.5)
    assert benchmark().score("a b c d", "") == (None, 0.0)
    assert benchmark().means([(1.0, 0.5), (None, 0.0)]) == (0.4, 1.0, 0.25)
