"""What a run of tests has come to, as text, as JSON data and as an exit code. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oryn.core.text_safety import one_line, shortened
from oryn.errors import OrynError, OutcomeDiffers, PreparationFailed
from oryn.testing.comparison import Severity
from oryn.testing.test_run import StepOutcome, TestOutcome

MAX_REPORT_LINES = 12


def exit_code(outcomes: Sequence[TestOutcome]) -> int:
    """15 if an outcome differs, or else that of the first test that could not be run; 0 if all have passed."""
    if any(outcome.status == "failed" for outcome in outcomes):
        return OutcomeDiffers.exit_code
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    return errors[0].exit_code if errors else 0


def summary(outcomes: Sequence[TestOutcome], seconds: float) -> str:
    """`3 tests, 1 failed, 90 steps in 12.3 s`."""
    parts = [_counted(len(outcomes), "test")]
    for status, word in (("failed", "failed"), ("unprepared", "not prepared"), ("differs", "with other texts")):
        if count := sum(outcome.status == status for outcome in outcomes):
            parts.append(f"{count} {word}")
    if count := sum(outcome.attempts > 1 and outcome.status in ("passed", "differs") for outcome in outcomes):
        parts.append(f"{count} only when run again")
    steps = sum(len(outcome.steps) for outcome in outcomes)
    return f"{', '.join(parts)}, {_counted(steps, 'step')} in {seconds:.1f} s"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def outcome_text(outcome: TestOutcome) -> str:
    """One line for a test that has passed, with what differs below it; all that helps for one that has not."""
    return "\n".join(_outcome_lines(outcome))


def _outcome_lines(outcome: TestOutcome) -> Iterator[str]:
    word = {"passed": "ok  ", "differs": "ok  ", "failed": "FAIL", "unprepared": "FAIL"}[outcome.status]
    done, total = len(outcome.steps), len(outcome.test.steps)
    steps = _counted(total, "step")
    parts = [steps if done == total else f"{done} of {steps}", f"{outcome.seconds:.1f} s"]
    healed = sum(bool(step.healed) for step in outcome.steps)
    if healed:
        parts.append(f"{healed} healed")
    for severity, word_of in ((Severity.TEXT, "other texts"), (Severity.COSMETIC, "cosmetic")):
        if count := outcome.count(severity):
            parts.append(f"{count} {word_of}")
    if outcome.attempts > 1:
        parts.append(f"run {outcome.attempts} times")
    yield f"{word} {outcome.file}  {', '.join(parts)}"
    for step in outcome.steps:
        first = step.comparison.first
        if step.healed:
            yield f"  {_place(outcome, step)}: healed: {one_line(step.healed)}"
        if first is not None and first.severity is Severity.TEXT:
            yield f"  {_place(outcome, step)}: {one_line(first.sentence)}"
    if outcome.failed is not None:
        yield from _failure_lines(outcome, outcome.failed)
    elif outcome.error is not None:
        yield from (f"  {line}" for line in _error_lines(outcome.error))
    yield from (f"  note: {one_line(note)}" for note in outcome.notes)


def _place(outcome: TestOutcome, step: StepOutcome) -> str:
    return f"{outcome.file.name}:{step.step.number}"


def _error_lines(error: OrynError) -> Iterator[str]:
    yield f"{error.code}: {one_line(error.message)}"
    if error.hint:
        yield one_line(error.hint)


def _failure_lines(outcome: TestOutcome, step: StepOutcome) -> Iterator[str]:
    number = outcome.steps.index(step) + 1
    yield f"  {_place(outcome, step)}: step {number}: {one_line(step.line)}"
    first = step.comparison.first
    assert first is not None
    yield f"  {one_line(first.sentence)}"
    yield from _block("expected", step.step.expected.render() if step.step.expected is not None else [])
    yield from _block("actual", step.report.render() or ["nothing changed"])
    yield from _block("console", [shortened(one_line(str(row["text"])), 200) for row in step.console_errors])
    yield from _block("failed requests", [request_text(row) for row in step.failed_requests])
    for when, picture in (("before", step.before), ("after", step.after)):
        if picture is not None:
            yield f"  {when}: {picture}"
    yield f"  by hand: oryn test reach {outcome.file} {number}; oryn {one_line(step.line)}"


def request_text(row: Mapping[str, Any]) -> str:
    """`POST 500 http://localhost/save`."""
    return one_line(f"{row['method']} {row.get('failure') or row.get('status')} {row['url']}")


def _block(title: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield f"  {title}"
    yield from (f"    {line}" for line in lines[:MAX_REPORT_LINES])
    if len(lines) > MAX_REPORT_LINES:
        yield f"    … {len(lines) - MAX_REPORT_LINES} more"


def outcome_data(outcome: TestOutcome) -> dict[str, Any]:
    """The outcome as JSON data."""
    error = outcome.error
    return {
        "file": str(outcome.file),
        "status": outcome.status,
        "seconds": round(outcome.seconds, 3),
        "attempts": outcome.attempts,
        "error": None if error is None else {"code": error.code, "message": error.message, "hint": error.hint},
        "steps": [_step_data(step) for step in outcome.steps],
        "notes": outcome.notes,
    }


def _step_data(step: StepOutcome) -> dict[str, Any]:
    expected = step.step.expected
    data: dict[str, Any] = {
        "number": step.step.number,
        "line": step.line,
        "severity": step.comparison.severity.name.lower(),
        "seconds": round(step.seconds, 3),
        "healed": step.healed or None,
        "differences": [each.sentence for each in step.comparison.mismatches],
    }
    if step.has_failed:
        data["expected"] = None if expected is None else expected.render()
        data["actual"] = step.report.render()
        data["console"] = [str(row["text"]) for row in step.console_errors]
        data["requests"] = list(step.failed_requests)
        data["pictures"] = [str(each) for each in (step.before, step.after) if each is not None]
    return data


def error_of(outcome: TestOutcome) -> OrynError | None:
    """Why a test has not passed, as an error; None if it has."""
    failed = outcome.failed
    if failed is not None and failed.comparison.first is not None:
        return OutcomeDiffers(f"{_place(outcome, failed)}: {failed.comparison.first.sentence}")
    return outcome.error or (PreparationFailed("it was not run") if outcome.status == "unprepared" else None)
