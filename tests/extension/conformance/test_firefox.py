"""The same pages and scripts in Firefox: the same answers as in `headless`, save where the tables of
`oryn.browsers.extension.differences` say otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.browsers.extension.differences import DIFFERENCES, FIREFOX_VARIATIONS, WITHOUT_DEBUGGER, Difference
from scripts.extension.firefox import firefox_program
from tests.extension.conformance.engines import REMOTE, LineEngine
from tests.extension.conformance.suite import SCRIPTS, Conformance, forms_of
from tests.extension.driver import NOTE

pytestmark = [
    pytest.mark.skipif(firefox_program() is None, reason="needs Firefox; setup/firefox.sh installs it"),
    pytest.mark.firefox,
]

WEAK = ("eval", "press", "type")
"""Forms of which few answers vary, so that all are compared: only the others may differ."""
APART = {"dialogs": "no API of Firefox reports a dialog: a page that opens one waits for its user"}
"""Scripts that are not compared, and why."""
_PASSWORD = re.compile(r"\bpassword=[^&]*")
"""Differs after `back`: see `FIREFOX_VARIATIONS`."""
_VARYING = {"editors": re.compile(r"^type .*\\t|^value \"Note\""), "closed": re.compile("^press Tab")}
"""Lines of scripts whose answers vary, of the forms in `WEAK`: texts with tabs, and Tab after a closed shadow root."""


@pytest.fixture(scope="module")
def firefox(extension: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineEngine]:
    folder = tmp_path_factory.mktemp("firefox")
    (folder / "notes.txt").write_text("a file for upload", "utf-8")
    with LineEngine((*REMOTE, "--firefox"), str(folder)) as engine:
        yield engine


def compared(answer: str) -> str:
    """What of an answer is the same in both."""
    answer = answer.replace(f"\n\n# note\n{NOTE}", "").replace(f"\n{NOTE}", "")
    return _PASSWORD.sub("password=", answer)


def row_of(line: str) -> Difference | None:
    """The row of Firefox's table that covers a line."""
    return next((row for row in WITHOUT_DEBUGGER for form in forms_of(line) if row.covers(form)), None)


def varies(line: str) -> bool:
    """Whether a line is one whose answers vary."""
    return any(each.covers(form) for each in FIREFOX_VARIATIONS if each.form not in WEAK for form in forms_of(line))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("script", [each for each in SCRIPTS if each.stem not in APART], ids=lambda script: script.stem)
def test_the_answers_are_the_same(script: Path, firefox: LineEngine, conformance: Conformance) -> None:
    is_affected = False
    of_headless, of_firefox = conformance.expected(script), firefox.transcript(conformance.lines_of(script))
    for (line, expected), (_, answer) in zip(of_headless, of_firefox, strict=True):
        here, there = compared(expected), compared(answer)
        if row := row_of(line):
            assert row.allows(there) or there == here, there  # the same error for a wrong value
            is_affected = True  # what it did not do, later lines look for
        elif varies(line) or (script.stem in _VARYING and _VARYING[script.stem].search(line)):
            assert there.partition(" ")[0] == here.partition(" ")[0], f"{here}\n\n{there}"
        elif not is_affected:
            assert there == here, line


@pytest.mark.parametrize("row", (*DIFFERENCES, *WITHOUT_DEBUGGER), ids=lambda row: row.form)
def test_the_tables_are_true(row: Difference, firefox: LineEngine, conformance: Conformance) -> None:
    *_, (_, answer) = firefox.transcript(conformance.lines(f"goto {{pages}}/form.html\n{row.example}"))
    assert row.allows(answer), answer


@pytest.mark.parametrize("row", WITHOUT_DEBUGGER, ids=lambda row: row.form)
def test_headless_can_what_firefox_can_not(row: Difference, headless: LineEngine, conformance: Conformance) -> None:
    lines = conformance.lines(f"goto {{pages}}/form.html\n{row.example}")
    (_, opened), (_, answer) = headless.transcript(lines)
    assert opened.startswith("ok "), opened
    assert not row.allows(answer), answer
