"""The files that report a run: JUnit for CI systems, and a page with every step, its differences and its pictures, in
one folder without scripts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.errors import FileError
from oryn.system.optional_dependencies import require_extra
from oryn.testing.comparison import Severity
from oryn.testing.report import error_of, outcome_text, request_text, summary
from oryn.testing.test_run import StepOutcome, TestOutcome

if TYPE_CHECKING:
    from junitparser import TestCase

_WORDS = {"passed": "passed", "differs": "passed, other texts", "failed": "failed", "unprepared": "not prepared"}


# --- JUnit ---


def write_junit(file: Path, outcomes: Sequence[TestOutcome], seconds: float) -> None:
    """Write the report of a run. Raises `FileError`, and `NotSupported` without the extra."""
    with require_extra("junit", "--junit"):
        from junitparser import JUnitXml, TestSuite

    suite = TestSuite("oryn")
    for outcome in outcomes:
        suite.add_testcase(_case(outcome))
    suite.time = seconds
    report = JUnitXml("oryn")
    report.add_testsuite(suite)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        report.write(str(file), pretty=True)
    except OSError as error:
        raise FileError(f"can't write {file}: {error.strerror}") from error


def _case(outcome: TestOutcome) -> TestCase:
    from junitparser import Error, Failure, TestCase

    case = TestCase(outcome.file.stem, classname=str(outcome.file.parent), time=round(outcome.seconds, 3))
    error = error_of(outcome)
    if error is not None:
        kind = Failure if outcome.status == "failed" else Error
        result = kind(_xml_text(error.message), error.code)
        result.text = _xml_text(outcome_text(outcome))
        case.result = [result]
    elif outcome.status == "differs" or outcome.attempts > 1:
        case.system_out = _xml_text(outcome_text(outcome))
    return case


def _xml_text(text: str) -> str:
    """The text without the characters that XML does not have."""
    return "".join(each for each in text if each >= " " or each in "\n\t")


# --- the page ---


def write_page(folder: Path, outcomes: Sequence[TestOutcome], seconds: float) -> None:
    """Write `index.html` into a folder. Raises `FileError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(render_page(outcomes, seconds, folder.absolute()), encoding="utf-8")
    except OSError as error:
        raise FileError(f"can't write {error.filename or folder}: {error.strerror}") from error


def render_page(outcomes: Sequence[TestOutcome], seconds: float, folder: Path) -> str:
    """The page's HTML; its pictures are named relative to `folder`."""
    style = files("oryn.testing").joinpath("report_page.css").read_text("utf-8")
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>{escape(summary(outcomes, seconds))}</title><style>{style}</style>",
        f"<h1>{escape(summary(outcomes, seconds))}</h1>",
    ]
    for outcome in outcomes:
        parts += _test_parts(outcome, folder)
    return "\n".join(parts) + "\n"


def _test_parts(outcome: TestOutcome, folder: Path) -> Iterator[str]:
    is_open = " open" if outcome.status in ("failed", "unprepared") else ""
    again = f", run {outcome.attempts} times" if outcome.attempts > 1 else ""
    head = f"{outcome.file.name}: {_WORDS[outcome.status]}{again}, {outcome.seconds:.1f} s"
    yield f'<details class="test {outcome.status}"{is_open}><summary>{escape(head)}</summary>'
    if outcome.error is not None:
        yield f"<p>{escape(outcome.error.message)}</p><p>{escape(outcome.error.hint or '')}</p>"
    yield "<ol>"
    for step in outcome.steps:
        yield from _step_parts(step, folder)
    yield f"</ol>{''.join(f'<p>{escape(note)}</p>' for note in outcome.notes)}</details>"


def _step_parts(step: StepOutcome, folder: Path) -> Iterator[str]:
    severity = step.comparison.severity.name.lower()
    yield f'<li class="{severity}"><code>{escape(step.line)}</code> <small>{step.seconds:.2f} s</small>'
    if step.healed:
        yield f"<p>healed: {escape(step.healed)}</p>"
    for each in step.comparison.mismatches:
        if each.severity is not Severity.COSMETIC:
            yield f"<p>{escape(each.sentence)}</p>"
    if step.has_failed:
        expected = step.step.expected
        yield _lines("expected", expected.render() if expected is not None else [])
        yield _lines("actual", step.report.render() or ["nothing changed"])
        yield _lines("console", [str(row["text"]) for row in step.console_errors])
        yield _lines("failed requests", [request_text(row) for row in step.failed_requests])
    pictures = [(when, file) for when, file in (("before", step.before), ("after", step.after)) if file is not None]
    if pictures:
        yield f"<details{' open' if step.has_failed else ''}><summary>pictures</summary><div>"
        for when, file in pictures:
            source = escape(os.path.relpath(file, folder).replace(os.sep, "/"))
            yield f'<figure><img loading="lazy" src="{source}" alt="{when}"><figcaption>{when}</figcaption></figure>'
        yield "</div></details>"
    yield "</li>"


def _lines(title: str, lines: Sequence[str]) -> str:
    text = escape("\n".join(lines))
    return f"<h4>{title}</h4><pre>{text}</pre>" if lines else ""
