"""The scripts of the conformance suite give the same answers in `playwright` as in `headless`, byte for byte."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.extension.conformance.engines import LineEngine, transcript
from tests.extension.conformance.test_conformance import SCRIPTS, addresses, at, headless

__all__ = ["addresses", "headless"]

PLAYWRIGHT = (sys.executable, "-m", "oryn", "playwright")


@pytest.fixture(scope="module")
def playwright(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineEngine]:
    with LineEngine(PLAYWRIGHT, str(tmp_path_factory.mktemp("playwright"))) as engine:
        yield engine


@pytest.mark.browser
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_answers_are_the_same(
    script: Path, headless: LineEngine, playwright: LineEngine, addresses: dict[str, str]
) -> None:
    lines = at(script.read_text("utf-8"), addresses)
    expected, answers = (transcript(engine, lines) for engine in (headless, playwright))
    assert answers == expected
