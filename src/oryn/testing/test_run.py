"""Runs tests: prepares each, does its steps, and compares what each one causes with what the test expects."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from oryn.core.records import Record, field
from oryn.core.urls import origin_of
from oryn.engine.file_access import CALLER_FOLDER
from oryn.engine.output.target_description import TargetDescription, with_mark
from oryn.errors import OrynError, PreparationFailed, TargetError
from oryn.language import IdTarget, Line, parse
from oryn.testing.comparison import Comparison, Mismatch, Severity, compare
from oryn.testing.expectation import ReportEntry, StepReport, relative
from oryn.testing.healing import HealedTarget, heal
from oryn.testing.preparation import clock_script, preparing_lines, run_shell
from oryn.testing.run_network import HarUse, RunNetwork
from oryn.testing.step_session import StepSession
from oryn.testing.test_file import RecordedStep, RecordedTest

if TYPE_CHECKING:
    from oryn.engine import Answer
    from oryn.sessions.sessions import Sessions

Status = Literal["passed", "differs", "failed", "unprepared"]
"""`differs`: passed, with a text that is another one. `unprepared`: no step was done."""


PICTURE_SECONDS = 10.0


class StepOutcome(Record, frozen=False):
    """What a step has come to. `healed`: how its target was found again, or empty."""

    step: RecordedStep
    line: str
    report: StepReport
    comparison: Comparison
    seconds: float
    healed: str = ""
    target: TargetDescription | None = None
    """What its target was found to be, if it was healed, or described anew."""
    console_errors: Sequence[Mapping[str, Any]] = ()
    """Of a step that has failed: what the console has reported during it, and uncaught errors."""
    failed_requests: Sequence[Mapping[str, Any]] = ()
    """Of a step that has failed: the requests of the page that have failed, too."""
    before: Path | None = None
    """The picture of the page before the step."""
    after: Path | None = None

    @property
    def has_failed(self) -> bool:
        return self.comparison.severity is Severity.OUTCOME


class TestOutcome(Record, frozen=False):
    """What a run of a test has come to. `error`: why it could not be prepared, or went no further. `attempts`: how
    often it was run, the last run being this one."""

    __test__ = False
    file: Path
    test: RecordedTest
    steps: list[StepOutcome] = field(factory=list)
    error: OrynError | None = None
    seconds: float = 0.0
    attempts: int = 1
    notes: list[str] = field(factory=list)

    @property
    def failed(self) -> StepOutcome | None:
        """The step that has failed, if one has."""
        return next((each for each in self.steps if each.has_failed), None)

    @property
    def status(self) -> Status:
        if self.failed is not None:
            return "failed"
        if self.error is not None:
            return "unprepared"
        return "differs" if any(each.comparison.severity is Severity.TEXT for each in self.steps) else "passed"

    def count(self, severity: Severity) -> int:
        """How many steps have their worst difference of this severity."""
        return sum(each.comparison.severity is severity for each in self.steps)


class RunOptions(Record):
    """How tests are run. `base` replaces the tests' own base; `parameters` those of the file. `patience` is how many
    seconds a step waits for what it expects. `pictures` is the folder of the pictures, None for none, and `every`
    whether each step has them, and not only one that has failed. `retries` is how often a test that has failed is run
    again."""

    base: str | None = None
    parameters: Mapping[str, str] = {}
    patience: float = 5.0
    pictures: Path | None = None
    every: bool = False
    retries: int = 0
    describes: bool = False
    """Whether the target of each step is described anew, with the mark that the page's author has given it."""
    settings: Mapping[str, Any] = {}
    har: HarUse | None = None
    """What is done with the tests' HAR files; None for nothing."""


async def run_tests(
    sessions: Sessions,
    tests: Sequence[tuple[Path, RecordedTest]],
    options: RunOptions,
    *,
    workers: int = 1,
    on_outcome: Callable[[TestOutcome], object] = lambda outcome: None,
) -> list[TestOutcome]:
    """Run tests, `workers` of them at a time, each in a session of its own. The outcomes are in the tests' order;
    `on_outcome` gets each when it is there."""
    free = asyncio.Semaphore(workers)

    async def run(number: int, file: Path, test: RecordedTest) -> TestOutcome:
        async with free:
            outcome = await run_again(sessions, file, test, options, f"test-{number}")
        on_outcome(outcome)
        return outcome

    # One task a test: what it sets for its own lines, such as its folder, is its own.
    tasks = [asyncio.create_task(run(number, *each)) for number, each in enumerate(tests, 1)]
    return list(await asyncio.gather(*tasks))


async def run_again(sessions: Sessions, file: Path, test: RecordedTest, options: RunOptions, name: str) -> TestOutcome:
    """Run a test, and again if it fails, as often as the options say."""
    for attempt in range(1, options.retries + 2):
        outcome = await TestRun(sessions, file, test, options, name).run()
        outcome.attempts = attempt
        if outcome.status in ("passed", "differs"):
            break
    return outcome


class TestRun:
    """One run of a test."""

    __test__ = False

    def __init__(self, sessions: Sessions, file: Path, test: RecordedTest, options: RunOptions, name: str) -> None:
        self.file = file
        self.test = test
        self.options = options
        self.values = test.values_for(options.parameters, options.base)
        self.session = StepSession(sessions, name, self.values["base"], options.settings)
        self.network: RunNetwork | None = None
        if options.har is not None:
            self.network = RunNetwork(self.session, file, self.values["base"], options.har)
        self.outcome = TestOutcome(file, test)

    @property
    def folder(self) -> Path:
        return self.file.absolute().parent

    async def run(self) -> TestOutcome:
        """Prepare the test, do its steps until one fails, and clean up."""
        CALLER_FOLDER.set(self.folder)  # in this test's task only
        began = time.perf_counter()
        try:
            await self._prepare()
            for step in self.test.steps:
                outcome = await self._do(step)
                self.outcome.steps.append(outcome)
                if outcome.has_failed:
                    break
        except OrynError as error:
            self.outcome.error = error
        finally:
            try:
                await self._clean_up()
                await self._end_network()
            finally:
                await self.session.close()
            self.outcome.seconds = time.perf_counter() - began
        return self.outcome

    # --- before and after ---

    async def _prepare(self) -> None:
        """Raises `PreparationFailed`."""
        wanted = self.test.preparation
        if not self.values["base"] and any("base" in step.parameters for step in self.test.steps):
            raise PreparationFailed("the test has no base", "Give one with --base-url.")
        if wanted.seed:
            await run_shell(wanted.seed, "seed", self.folder, self._environment)
        await self.session.start()
        if self.network is not None:
            await self.network.begin()
        for line in preparing_lines(wanted, str(self.folder)):
            answer = await self.session.execute(line)
            if answer.error is not None:
                raise PreparationFailed(f"{answer.command}: {answer.error.message}", answer.error.hint)
        if wanted.clock:
            await self.session.add_script("clock", clock_script(wanted.clock))

    @property
    def _environment(self) -> dict[str, str]:
        return {"ORYN_BASE_URL": self.values["base"], "ORYN_TEST": self.file.stem}

    async def _clean_up(self) -> None:
        for line in self.test.afterwards:
            answer = await self.session.execute(RecordedStep(line).filled(self.values))
            if answer.error is not None:
                self.outcome.notes.append(f"afterwards, {answer.command}: {answer.error.message}")
        if command := self.test.preparation.cleanup:
            try:
                await run_shell(command, "cleanup", self.folder, self._environment)
            except PreparationFailed as error:
                self.outcome.notes.append(error.message)

    async def _end_network(self) -> None:
        if self.network is None:
            return
        if self.outcome.steps:
            self._note_unmatched(self.outcome.steps[-1])
        try:
            self.outcome.notes += await self.network.end(passed=self.outcome.status in ("passed", "differs"))
        except OrynError as error:
            self.outcome.error = self.outcome.error or error

    # --- steps ---

    async def _do(self, step: RecordedStep) -> StepOutcome:
        line, began = step.filled(self.values), time.perf_counter()
        before = self.session.picture
        elements = await self.session.elements(full=True) if self.options.describes and step.targets else []
        answer, report = await self.session.step(line)
        healed, target = "", None
        if isinstance(answer.error, TargetError) and self._compare(step, report).severity is Severity.OUTCOME:
            answer, report = await self._await_target(line, answer, report)
            if isinstance(answer.error, TargetError) and (found := await self._find(step)) is not None:
                healed = found.sentence
                answer, report = await self.session.step(_line_with_number(line, found.number))
                target = answer.targets.get("target")
        if elements and not healed and (described := answer.targets.get("target")) is not None:
            target = with_mark(described, elements)
        comparison = self._compare(step, report)
        is_answered = self.network is None or not self.network.has_unmatched
        if comparison.severity >= Severity.TEXT and step.expected is not None and answer.ok and is_answered:
            report = await self._await_expectation(step, report)
            comparison = self._compare(step, report)
        seconds = time.perf_counter() - began
        outcome = StepOutcome(step, line, report, comparison, seconds, healed, target)
        self._note_unmatched(outcome)
        if outcome.has_failed:
            outcome.console_errors = [row for row in self.session.console() if row["level"] == "error"]
            outcome.failed_requests = [row for row in self.session.requests() if _is_failed(row)]
            await self._note_sign_in(step)
        if self.options.pictures is not None:
            if outcome.has_failed or self.options.every:
                outcome.before = self._write_picture(step, "before", before)
                outcome.after = await self._picture(step)
            await self.session.follow()
        return outcome

    def _note_unmatched(self, outcome: StepOutcome) -> None:
        """A step fails of which requests were refused, because the HAR file has no answer for them."""
        refused = [] if self.network is None else self.network.take_unmatched()
        if not refused:
            return
        base, mismatches = origin_of(self.values["base"]) or "", outcome.comparison.mismatches
        entries = [
            ReportEntry("!", f"request {each.method}", "the HAR has no answer", relative(each.url, base))
            for each in refused
        ]
        found = [
            Mismatch(Severity.OUTCOME, each.sentence, None, entry.render())
            for each, entry in zip(refused, entries, strict=True)
        ]
        outcome.report = outcome.report.replace(entries=(*entries, *outcome.report.entries))
        outcome.comparison = Comparison((*found, *mismatches))

    def _compare(self, step: RecordedStep, report: StepReport) -> Comparison:
        expected = step.expected
        if expected is None:  # its success alone
            failures = [each for each in report.entries if each.sign == "!" and each.kind.startswith("error")]
            return Comparison(tuple(_failure(each) for each in failures))
        return compare(expected, report, (*self.test.vary, *step.vary), exact=step.exact)

    async def _await_expectation(self, step: RecordedStep, report: StepReport) -> StepReport:
        """Wait until the page has done what is expected, and return all that it has done."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.options.patience
        while self._compare(step, report).severity >= Severity.TEXT and (left := deadline - loop.time()) > 0:
            later = await self.session.look(left)
            if later is None:
                break
            report = report.merged(later)
        return report

    async def _note_sign_in(self, step: RecordedStep) -> None:
        """Say so if the page wants a password where the test has loaded a state with a login."""
        state, expected = self.test.preparation.state, step.expected.entries if step.expected is not None else ()
        if state and not any(entry.kind == "input/password" for entry in expected):
            elements = await self.session.elements()
            if any(each.get("role") == "password" for each in elements):
                self.outcome.notes.append(f"the page asks for a password: the login in {state} may have expired")

    async def _await_target(self, line: str, answer: Answer, report: StepReport) -> tuple[Answer, StepReport]:
        """Do a line again whenever the page has changed, until its target can be acted on."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.options.patience
        while isinstance(answer.error, TargetError) and (left := deadline - loop.time()) > 0:
            if await self.session.look(left) is None:
                break
            answer, report = await self.session.step(line)
        return answer, report

    async def _find(self, step: RecordedStep) -> HealedTarget | None:
        """Find the element again that the step's target described."""
        target = step.targets.get("target")
        return None if target is None else heal(target, await self.session.elements(full=True))

    async def _picture(self, step: RecordedStep) -> Path | None:
        """Take a picture of the page; None if it can't be taken."""
        try:
            picture = await self.session.session.page.screenshot(format="jpeg", timeout=PICTURE_SECONDS)
        except OrynError:
            picture = None
        return self._write_picture(step, "after", picture)

    def _write_picture(self, step: RecordedStep, when: str, picture: bytes | None) -> Path | None:
        folder = self.options.pictures
        if folder is None or picture is None:
            return None
        file = folder / f"{self.file.stem}-{step.number}-{when}.jpg"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_bytes(picture)
        except OSError as error:
            self.outcome.notes.append(f"a picture can't be written: {error.strerror}")
            return None
        return file


def _line_with_number(line: str, number: int) -> Line:
    """The line with the element of this number as its target."""
    command = parse(line).command
    assert command is not None
    return Line.of(command.replace(target=IdTarget(number)))


def _is_failed(row: Mapping[str, Any]) -> bool:
    return row.get("failure") is not None or (row.get("status") or 0) >= 400


def _failure(entry: ReportEntry) -> Mismatch:
    return Mismatch(Severity.OUTCOME, f"the step failed: {entry.text}", None, entry.render())
