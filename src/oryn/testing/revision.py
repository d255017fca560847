"""What runs of a test bring into its file: what they have in common (`learned_test`), and with `--accept` what differs
from it, but never an outcome (`accept_outcome`)."""

from __future__ import annotations

from collections.abc import Sequence

from oryn.core.records import Record
from oryn.engine.output.target_description import TargetDescription
from oryn.errors import AcceptRefused, InvalidTest, OutcomeDiffers
from oryn.language import parse as parse_line
from oryn.language import render
from oryn.testing.comparison import Mismatch, Severity
from oryn.testing.expectation import StepReport, parse
from oryn.testing.files import read_test, write_test
from oryn.testing.report import error_of
from oryn.testing.test_file import RecordedStep, RecordedTest
from oryn.testing.test_run import StepOutcome, TestOutcome
from oryn.testing.variation import is_all_varying, learn


class LearnedTest(Record):
    """A test with what its runs have in common. `sentences` say what differs between them, each with its line."""

    test: RecordedTest
    sentences: tuple[str, ...] = ()


def learned_test(outcomes: Sequence[TestOutcome]) -> LearnedTest:
    """Return the test that all of these runs of it fit. Raises `OutcomeDiffers` if one has not come to its end, and
    `InvalidTest` if everything that a step does varies."""
    first = outcomes[0]
    for number, outcome in enumerate(outcomes, 1):
        if (error := error_of(outcome)) is not None:
            raise OutcomeDiffers(f"run {number} of {len(outcomes)}: {error.message}", error.hint)
    steps, sentences = [], []
    for runs in zip(*(outcome.steps for outcome in outcomes), strict=True):
        step = runs[0].step
        learned = learn([run.report for run in runs])
        if is_all_varying(learned.report):
            place = f"{first.file}:{step.number}"
            raise InvalidTest(
                f"{place}: everything in this step varies", "Prepare what it depends on, or leave it out."
            )
        described = runs[0].target if not runs[0].healed else None
        targets = {**step.targets, "target": described} if described is not None else step.targets
        steps.append(step.replace(expected=learned.report, targets=targets))
        sentences += [f"{first.file.name}:{step.number}: {each}" for each in learned.sentences]
        sentences += [
            f"{first.file.name}:{step.number}: {each.sentence}"
            for each in runs[0].comparison.mismatches
            if each.severity is Severity.TEXT
        ]
    return LearnedTest(first.test.replace(steps=tuple(steps)), tuple(dict.fromkeys(sentences)))


def accept_outcome(outcome: TestOutcome) -> bool:
    """Write what has passed with other texts, and how targets were found again, into the test's file; return whether
    anything was. Raises `AcceptRefused` if a step's outcome differs, `FileError`, `InvalidTest`."""
    failed = outcome.failed
    if failed is not None:
        sentence = failed.comparison.first.sentence if failed.comparison.first else failed.line
        raise AcceptRefused(f"nothing is accepted, as the outcome of line {failed.step.number} differs: {sentence}")
    if outcome.error is not None:
        raise AcceptRefused(f"nothing is accepted, as the test was not run to its end: {outcome.error.message}")
    changed = {step.step.number: accepted_step(step) for step in outcome.steps}
    if all(step.step == changed[step.step.number] for step in outcome.steps):
        return False
    test = read_test(outcome.file)  # as it is now: it may have been edited while it ran
    if test.steps != outcome.test.steps:
        raise AcceptRefused("nothing is accepted, as the file was changed while the test ran", "Run it again.")
    write_test(outcome.file, test.replace(steps=tuple(changed[step.number] for step in test.steps)))
    return True


def accepted_step(outcome: StepOutcome) -> RecordedStep:
    """The step with the texts that a run has found, and the target that it has taken."""
    step = outcome.step
    if outcome.target is not None:
        step = _with_target(step, outcome.target)
    if step.expected is not None:
        step = step.replace(expected=_accepted_report(step.expected, outcome.comparison.mismatches))
    return step


def _with_target(step: RecordedStep, target: TargetDescription) -> RecordedStep:
    """The step with the target that was found in place of its own; one that has no words keeps its line."""
    command = parse_line(step.line).command
    if command is not None and target.target is not None:
        step = step.replace(line=render(command.replace(target=target.target)))
    return step.replace(targets={**step.targets, "target": target})


def _accepted_report(expected: StepReport, mismatches: tuple[Mismatch, ...]) -> StepReport:
    """The expected report with each line that differs replaced by the one that came; the others keep what varies."""
    entries = list(expected.entries)
    for each in mismatches:
        lines = [entry.render() for entry in entries]
        place = lines.index(each.expected_line) if each.expected_line in lines else None
        actual = list(parse([each.actual_line]).entries) if each.actual_line else []
        if place is not None:
            entries[place : place + 1] = actual
        else:
            entries += actual
    return expected.replace(entries=tuple(entries))
