"""Makes a test of what was done in a session: of the rows of its history, which a host has kept. Pure.

What was only looked at is left out, as are commands that failed. What a page changed after an answer, which the next
one has reported, belongs to the step before."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from oryn.core.records import Record
from oryn.core.urls import origin_of
from oryn.engine.output.target_description import TargetDescription, targets_of, without_numbers
from oryn.errors import LanguageError, RecordingNotFound
from oryn.language import MASK, Command, ReadText, WaitLoad, WaitTime, api_vocabulary, parse, render
from oryn.language.command import HOST_SCOPES
from oryn.testing.expectation import CHECKS, ReportLineError, StepReport, relative
from oryn.testing.expectation import parse as parse_report
from oryn.testing.test_file import Preparation, RecordedStep, RecordedTest

_STEP_FAMILIES = frozenset({"Moving", "Acting", "Waiting", "Tabs, frames, dialogs", "Device", "Network and console"})
"""Families whose commands that do something are steps."""
_STEP_NAMES = frozenset(
    {
        *("scroll until", "dismiss", "accept_cookies", "logout", "fill_form", "run", "login", "search"),
        *("cookies set", "cookies delete", "cookies clear", "storage set", "storage delete", "storage clear"),
        *("eval", "tool call"),
    }
)
"""Further commands that are steps."""
_NOT_STEPS = frozenset({"console clear", "errors clear", "har", "session new", "session close", "keys"})


class RecordedAct(Record):
    """A command that was run, as a row of the history has it. `row`: its `action_id`; `folder`: the caller's."""

    row: str
    line: str
    ok: bool = True
    withheld: bool = False
    folder: str | None = None
    targets: Mapping[str, Any] | None = None
    report: Sequence[str] | None = None
    meanwhile: Sequence[str] | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> RecordedAct | None:
        """The act of a row, in the form of the history's file; None for one that was no line."""
        line = row.get("line") or (row.get("args") or {}).get("line")
        if not isinstance(line, str):
            return None
        names = ("withheld", "folder", "targets", "report", "meanwhile")
        fields: dict[str, Any] = {name: row.get(name) for name in names}
        return cls(row=str(row["action_id"]), line=line, ok=bool(row.get("ok")), **fields)


class DraftedTest(Record):
    """A test that was made of acts, and what its author should hear of it."""

    test: RecordedTest
    notes: tuple[str, ...] = ()


def draft_of(
    acts: Iterable[RecordedAct], name: str, folder: str, *, start: str | None = None, preparation: Preparation
) -> DraftedTest:
    """Make a test of acts, the oldest first. `folder` is the one that the test will be in; `start` the URL of the page
    on which the first act began, if it is known. Raises `RecordingNotFound` if no act can be a step."""
    steps: list[RecordedStep] = []
    notes: list[str] = []
    for act in acts:
        command = command_of(act)
        late = _report_of(act.meanwhile)
        if steps and late is not None and (former := steps[-1].expected) is not None:
            steps[-1] = steps[-1].replace(expected=former.merged(late))
        if command is None or not is_step(command):
            continue
        if not act.ok:
            notes.append(f"left out, as it failed: {act.line}")
            continue
        step = _step_of(act, command, name, folder, notes)
        if step is not None:
            steps.append(step)
    if not steps:
        raise RecordingNotFound("nothing was done that a test could repeat")
    if not steps[0].line.startswith("goto ") and start:
        steps.insert(0, RecordedStep(f"goto {start}"))
    base = preparation.base or _base_of(steps)
    relative = tuple(_with_base(step, base) for step in steps)
    return DraftedTest(RecordedTest(preparation.replace(base=base), relative), tuple(dict.fromkeys(notes)))


def command_of(act: RecordedAct) -> Command | None:
    """The command of an act; None for one of the host, and for a line that this version does not read."""
    try:
        command = parse(act.line).command
        host = parse(act.line, api_vocabulary()).command if command is None else None
    except LanguageError:
        return None
    return None if host is not None and type(host).spec.scope in HOST_SCOPES else command


def is_step(command: Command) -> bool:
    """Whether a command is worth repeating in a test."""
    spec = type(command).spec
    if spec.name in CHECKS:
        reads_all = isinstance(command, ReadText) and command.target is None
        return not reads_all and not isinstance(command, WaitLoad | WaitTime)
    if spec.name in _NOT_STEPS:
        return False
    return spec.name in _STEP_NAMES or (spec.family in _STEP_FAMILIES and not spec.reads)


def _step_of(act: RecordedAct, command: Command, name: str, folder: str, notes: list[str]) -> RecordedStep | None:
    targets = TargetDescription.of_fields(act.targets)
    named = without_numbers(command, targets)
    if named is None:
        notes.append(f"left out, as nothing tells which element its number was: {act.line}")
        return None
    line = act.line if named is command else render(named)
    if named.paths and act.folder is not None:
        line = render(_with_paths(named, act.folder, folder))
    if MASK in line:
        reference = f"{{{{vault:{_entry_name(name)}.password}}}}"
        line = line.replace(MASK, reference)
        notes.append(f"a secret is not in the test: store it with 'oryn vault set {_entry_name(name)}.password'")
    elif act.withheld:
        notes.append(f"left out, as a part of it was withheld from the history: {act.line}")
        return None
    fields = {key for key, _ in targets_of(named)}
    about = {key: each for key, each in targets.items() if key in fields}
    return RecordedStep(line, _report_of(act.report) or StepReport(), about)


def _entry_name(name: str) -> str:
    return re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-") or "test"


def _with_paths(command: Command, folder: str, target: str) -> Command:
    """The command with its paths relative to the test's folder."""
    changed: dict[str, Any] = {}
    for field in type(command).spec.path_fields:
        value = getattr(command, field)
        if value is None:
            continue
        moved = [_moved_path(each, folder, target) for each in ([value] if isinstance(value, str) else value)]
        changed[field] = moved[0] if isinstance(value, str) else tuple(moved)
    return command.replace(**changed)


def _moved_path(path: str, folder: str, target: str) -> str:
    if path.startswith(("{", "~")) or os.path.isabs(path):
        return path
    return os.path.relpath(os.path.join(folder, path), target)


def _report_of(lines: Sequence[str] | None) -> StepReport | None:
    try:
        return parse_report(lines) if lines else None
    except ReportLineError:  # the row is of another version
        return None


def _base_of(steps: Sequence[RecordedStep]) -> str:
    """The origin of the first page that the steps open; empty if they open none."""
    for step in steps:
        places = [entry.place for entry in step.expected.entries if entry.sign == "@"] if step.expected else []
        for place in places:
            if urlsplit(place).scheme in ("http", "https"):
                return origin_of(place) or ""
    return ""


def _with_base(step: RecordedStep, base: str) -> RecordedStep:
    """The step with the base's URL left out of its report, and as a parameter in its line."""
    if not base:
        return step
    expected = step.expected
    if expected is not None:
        expected = expected.replace(
            entries=tuple(each.replace(place=relative(each.place, base)) for each in expected.entries)
        )
    return step.replace(line=_line_with_base(step.line, base), expected=expected)


def _line_with_base(line: str, base: str) -> str:
    """`goto localhost:4780/cart` → `goto {{base}}/cart`, however the address was written."""
    for command in ("goto ", "tab new "):
        for site in (base, urlsplit(base).netloc):
            rest = line.removeprefix(command + site)
            if rest != line and rest[:1] in ("", "/", "?", "#", " "):
                return f"{command}{{{{base}}}}{rest}"
    return line


def page_of(act: RecordedAct) -> str | None:
    """The URL of the page that an act has led to; None if it has led to none."""
    report = _report_of(act.report)
    places = [entry.place for entry in report.entries if entry.sign == "@" or entry.kind == "url"] if report else []
    return places[-1] if places else None
