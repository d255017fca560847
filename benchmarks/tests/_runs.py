"""Tests of lines of commands, recorded by doing them, and run again and again."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from oryn.hosts.session_factory import sessions_of
from oryn.sessions.sessions import Sessions
from oryn.settings import load
from oryn.system import paths
from oryn.testing.comparison import Severity
from oryn.testing.step_session import StepSession
from oryn.testing.test_file import Preparation, RecordedStep, RecordedTest
from oryn.testing.test_run import RunOptions, TestOutcome, run_again
from oryn.testing.variation import is_all_varying, learn

RECORDINGS = 3


def lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


@asynccontextmanager
async def open_sessions() -> AsyncIterator[Sessions]:
    sessions = sessions_of(load({}, paths.find()))
    try:
        yield sessions
    finally:
        await sessions.close()


async def run_once(
    sessions: Sessions, test: RecordedTest, base: str, patience: float = 5.0, name: str = "run"
) -> TestOutcome:
    """Run a test in a session of its own, of this name."""
    with tempfile.TemporaryDirectory() as folder:
        options = RunOptions(base=base, patience=patience)
        return await run_again(sessions, Path(folder) / f"{name}.oryntest", test, options, name)


async def record(
    sessions: Sessions,
    lines: Sequence[str],
    base: str,
    *,
    vary: Sequence[str] = (),
    exact: bool = False,
    recordings: int = RECORDINGS,
    reset: Callable[[], object] = lambda: None,
) -> RecordedTest:
    """Do the lines several times, and return the test of what all times had in common. `reset` comes before each."""
    draft = RecordedTest(
        Preparation(base=base), tuple(RecordedStep(line, number=n) for n, line in enumerate(lines, 1)), vary=tuple(vary)
    )
    done: list[list[RecordedStep]] = []
    for number in range(recordings):
        reset()
        session = StepSession(sessions, f"recording-{number}", base, {})
        done.append([await _recorded(session, step, draft) for step in draft.steps])
        await session.close()
    steps = []
    for recorded in zip(*done, strict=True):
        expected = learn([each.expected for each in recorded if each.expected is not None]).report
        if is_all_varying(expected):
            print(f"step {recorded[0].number} varies: {recorded[0].line}: {expected.render()}")
        steps.append(recorded[0].replace(expected=expected, exact=exact))
    return draft.replace(steps=tuple(steps))


async def _recorded(session: StepSession, step: RecordedStep, test: RecordedTest) -> RecordedStep:
    """Do a step, and return it with its report and its targets."""
    answer, report = await session.step(step.filled(test.values_for({})))
    if not answer.ok:
        raise SystemExit(f"step {step.number} can't be recorded: {answer.render()}")
    return step.replace(expected=report, targets=answer.targets)


def describe(outcome: TestOutcome) -> str:
    """Return the first steps that differ, each with its line and its first difference."""
    rows = [
        f"step {each.step.number} ({each.line}): {each.comparison.severity.name}: {first.sentence}"
        for each in outcome.steps
        if (first := each.comparison.first) is not None and each.comparison.severity >= Severity.TEXT
    ]
    error = f"; {outcome.error.message}" if outcome.error else ""
    return "; ".join(rows[:3]) + error or outcome.status


def is_alarm(outcome: TestOutcome) -> bool:
    """Return whether a run is anything but passed without a warning."""
    return outcome.status != "passed"
