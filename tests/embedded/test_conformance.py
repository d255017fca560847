"""The scripts of the conformance suite give the same answers in `embedded` as in `headless`, byte for byte, save where
`oryn.browsers.webkit.differences` says otherwise."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.webkit import WebKitBrowser
from oryn.browsers.webkit.differences import DIFFERENCES, ENGINE_DIFFERENCES, Version, WebKitDifference
from tests.extension.conformance import program_suite
from tests.extension.conformance.engines import LineEngine
from tests.extension.conformance.suite import SCRIPTS, Conformance, forms_of
from tests.webkit import ENGINE

pytestmark = pytest.mark.whole_browser

EMBEDDED = (sys.executable, "-m", "oryn", "embedded")


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineEngine]:
    with LineEngine(EMBEDDED, str(tmp_path_factory.mktemp("embedded"))) as engine:
        yield engine


@pytest.fixture(scope="module")
def version(wpe: WebKitBrowser, run: Any) -> Version:
    """Of the WebKit that is tested."""
    major, minor = run(wpe.version()).rpartition("/")[2].split(".")[:2]
    return int(major), int(minor)


def may_differ(script: str, line: str, version: Version) -> bool:
    """Whether a table says that the answers to a line differ."""
    missing = [row for row in DIFFERENCES if row.is_in(ENGINE, version)]
    if any(row.covers(form) for form in forms_of(line) for row in missing):
        return True
    return any(row.covers(script, line) for row in ENGINE_DIFFERENCES)


@pytest.mark.browser
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_answers_are_the_same(
    script: Path, embedded: LineEngine, conformance: Conformance, version: Version
) -> None:
    here, there = conformance.expected(script), embedded.transcript(conformance.lines_of(script))
    expected = [(line, answer) for line, answer in here if not may_differ(script.stem, line, version)]
    assert [(line, answer) for line, answer in there if not may_differ(script.stem, line, version)] == expected


@pytest.mark.browser
@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row.form)
def test_the_table_of_commands_is_true(
    row: WebKitDifference, embedded: LineEngine, conformance: Conformance, version: Version
) -> None:
    lines = conformance.lines(f"goto {{pages}}/form.html\n{row.example}")
    Path(embedded.home, "notes.txt").write_text("words")
    answer = embedded.transcript(lines)[-1][1]
    if row.is_in(ENGINE, version):
        assert row.allows(answer), answer
    else:
        assert answer.startswith("ok "), answer
    assert forms_of(lines[-1]), "the example is a line of the language"


def test_each_row_about_answers_covers_a_line() -> None:
    lines = [(script.stem, line) for script in SCRIPTS for line in script.read_text("utf-8").splitlines()]
    assert all(any(row.covers(*each) for each in lines) for row in ENGINE_DIFFERENCES)


@pytest.mark.browser
def test_programs_do_the_same(embedded: LineEngine, conformance: Conformance) -> None:
    assert program_suite.transcript(embedded, conformance) == program_suite.expected(conformance)
