"""The scripts of the conformance suite give the same answers in `embedded` as in `headless`, byte for byte, save where
`oryn.browsers.webkit.differences` says otherwise."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.browsers.common.differences import Difference
from oryn.browsers.webkit.differences import DIFFERENCES, ENGINE_DIFFERENCES
from tests.extension.conformance.engines import LineEngine
from tests.extension.conformance.suite import SCRIPTS, Conformance, forms_of

pytestmark = pytest.mark.whole_browser

EMBEDDED = (sys.executable, "-m", "oryn", "embedded")


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineEngine]:
    with LineEngine(EMBEDDED, str(tmp_path_factory.mktemp("embedded"))) as engine:
        yield engine


def may_differ(script: str, line: str) -> bool:
    """Whether a table says that the answers to a line differ."""
    if any(row.covers(form) for form in forms_of(line) for row in DIFFERENCES):
        return True
    return any(row.covers(script, line) for row in ENGINE_DIFFERENCES)


@pytest.mark.browser
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_answers_are_the_same(script: Path, embedded: LineEngine, conformance: Conformance) -> None:
    here, there = conformance.expected(script), embedded.transcript(conformance.lines_of(script))
    expected = [(line, answer) for line, answer in here if not may_differ(script.stem, line)]
    assert [(line, answer) for line, answer in there if not may_differ(script.stem, line)] == expected


@pytest.mark.browser
@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row.form)
def test_the_table_of_commands_is_true(row: Difference, embedded: LineEngine, conformance: Conformance) -> None:
    lines = conformance.lines(f"goto {{pages}}/form.html\n{row.example}")
    Path(embedded.home, "notes.txt").write_text("words")
    answer = embedded.transcript(lines)[-1][1]
    assert row.allows(answer), answer
    assert forms_of(lines[-1]), "the example is a line of the language"


def test_each_row_about_answers_covers_a_line() -> None:
    lines = [(script.stem, line) for script in SCRIPTS for line in script.read_text("utf-8").splitlines()]
    assert all(any(row.covers(*each) for each in lines) for row in ENGINE_DIFFERENCES)
