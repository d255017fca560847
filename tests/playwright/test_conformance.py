"""The scripts of the conformance suite give the same answers in `playwright` as in `headless`, byte for byte; in
Firefox save where `oryn.browsers.playwright.differences` says otherwise."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.browsers.common.differences import Difference
from oryn.browsers.playwright.differences import FIREFOX_DIFFERENCES, NOT_RUN, UNSUPPORTED
from tests.extension.conformance import program_suite
from tests.extension.conformance.engines import LineEngine
from tests.extension.conformance.suite import SCRIPTS, Conformance, forms_of
from tests.soak import SOAK

_OFTEN = ("changes", "controls", "dialogs", "frames", "moving", "tabs")
IN_CHROMIUM = [each for each in SCRIPTS if each.stem in _OFTEN or SOAK]
"""The scripts that run in Chromium: some of them in `make test`, as its engine is that of `oryn headless`."""
IN_FIREFOX = [each for each in IN_CHROMIUM if each.stem != "closed"]
"""The scripts that run in Firefox, whose engine has its own tests (`test_firefox.py`)."""
PLAYWRIGHT = (sys.executable, "-m", "oryn", "playwright")
needs_firefox = pytest.mark.skipif(
    shutil.which("firefox-esr") is None and shutil.which("firefox") is None, reason="needs Firefox"
)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineEngine]:
    with LineEngine(PLAYWRIGHT, str(tmp_path_factory.mktemp("chromium"))) as engine:
        yield engine


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineEngine]:
    command = (*PLAYWRIGHT, "--engine", "firefox")
    with LineEngine(command, str(tmp_path_factory.mktemp("firefox"))) as engine:
        yield engine


def may_differ(script: str, line: str) -> bool:
    """Whether a table says that the answers to a line differ in Firefox."""
    if any(row.covers(form) for form in forms_of(line) for row in UNSUPPORTED):
        return True
    return any(row.covers(script, line) for row in FIREFOX_DIFFERENCES)


@pytest.mark.browser
@pytest.mark.soak
@pytest.mark.parametrize("script", IN_CHROMIUM, ids=lambda script: script.stem)
def test_the_answers_are_the_same(script: Path, chromium: LineEngine, conformance: Conformance) -> None:
    assert chromium.transcript(conformance.lines_of(script)) == conformance.expected(script)


def is_sent(script: str, line: str) -> bool:
    """Whether Firefox gets a line of a script: not if it asks what a command has done that it can't run."""
    is_asked = any(row.subject == NOT_RUN and row.covers(script, line) for row in FIREFOX_DIFFERENCES)
    return not (is_asked and line.startswith("eval"))


@needs_firefox
@pytest.mark.browser
@pytest.mark.soak
@pytest.mark.parametrize("script", IN_FIREFOX, ids=lambda script: script.stem)
def test_the_answers_of_firefox(script: Path, firefox: LineEngine, conformance: Conformance) -> None:
    there = firefox.transcript([line for line in conformance.lines_of(script) if is_sent(script.stem, line)])
    same = [(line, answer) for line, answer in conformance.expected(script) if not may_differ(script.stem, line)]
    assert [(line, answer) for line, answer in there if not may_differ(script.stem, line)] == same


@needs_firefox
@pytest.mark.browser
@pytest.mark.parametrize("row", UNSUPPORTED, ids=lambda row: row.form)
def test_the_table_of_commands_is_true(row: Difference, firefox: LineEngine, conformance: Conformance) -> None:
    lines = conformance.lines(f"goto {{pages}}/form.html\n{row.example}")
    Path(firefox.home, "notes.txt").write_text("words")
    (_, reached), *_, (_, answer) = firefox.transcript(lines)
    assert reached.startswith("ok ")
    assert row.allows(answer), answer


def test_each_row_about_answers_covers_a_line() -> None:
    lines = [(script.stem, line) for script in SCRIPTS for line in script.read_text("utf-8").splitlines()]
    assert all(any(row.covers(*each) for each in lines) for row in FIREFOX_DIFFERENCES)


@pytest.mark.browser
def test_programs_do_the_same(chromium: LineEngine, conformance: Conformance) -> None:
    assert program_suite.transcript(chromium, conformance) == program_suite.expected(conformance)
