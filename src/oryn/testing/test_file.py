"""The file of a test (docs/tests.md#the-file): what it prepares, its steps, and what each step is expected to cause.

    oryntest 1
    base: http://localhost:4780
    viewport: 1280x720
    parameter user: ada@example.org

    > goto {{base}}/plants/monstera
      @ /plants/monstera "Monstera"

    > click button "Add to cart"
      target: button/submit "Add to cart" after "More" before "Helpful: Barbara" place 2 on "/plants/monstera"
      vary: date
      + status "In your cart"

Pure: `parse_test` reads the text, `render_test` writes it. Comments stay with the step that they are before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from oryn.core.records import Record
from oryn.engine.output.target_description import TargetDescription
from oryn.errors import InvalidTest, LanguageError
from oryn.language import parse
from oryn.language.lexer import quote, unescape
from oryn.testing.expectation import ReportLineError, StepReport
from oryn.testing.expectation import parse as parse_report
from oryn.testing.variation import is_all_varying

SUFFIX = ".oryntest"
VERSION = 1
NOTHING_CHANGED = "nothing changed"
"""The line of an expected report without entries; a step without any line is expected to succeed, whatever it
changes."""
MAX_CHARACTERS = 4_000_000

_HEAD = re.compile(r"oryntest[ \t]++(\S++)")
_KEY = re.compile(r"([a-z]++)(?:[ \t]++([\w-]++))?[ \t]*+:[ \t]*+(.*+)")
_PLACEHOLDER = re.compile(r"\{\{\s*+([A-Za-z_][\w-]*+)\s*+\}\}")
_VIEWPORT = re.compile(r"([1-9]\d{0,4})x([1-9]\d{0,4})")
_STRING = r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"'
_TARGET_HEAD = re.compile(rf"([a-z]++)(?:/([\w-]++))?+(?:[ \t]++{_STRING})?")
_TARGET_PART = re.compile(rf"[ \t]++(?:place[ \t]++(\d{{1,6}})|(in|after|before|mark|on)[ \t]++{_STRING})")
_TARGET_WORDS = {"in": "section", "after": "previous", "before": "next", "mark": "mark", "on": "page"}
_TARGET_FIELDS = ("target", "to")
"""The fields of commands that a test describes."""


class Preparation(Record):
    """What a test needs before its first step. Empty texts mean nothing of the kind.

    `base` is the URL of the site, `state` the path of a saved state and `seed` a command of the system's shell, both
    from the test's folder. `viewport` is a width and a height in CSS pixels; `clock` is a moment in ISO 8601, at which
    the pages' clocks begin; `cleanup` is a command of the shell for the end, whatever the outcome."""

    base: str = ""
    state: str = ""
    seed: str = ""
    viewport: str = ""
    locale: str = ""
    timezone: str = ""
    clock: str = ""
    cleanup: str = ""


class RecordedStep(Record):
    """One line of a test. `expected` is None if only its success is expected.

    `exact`: another text fails it, too. `vary`: what may be other than expected. `number`: its line in the file, from
    1; 0 for a step that was not read from one."""

    line: str
    expected: StepReport | None = None
    targets: Mapping[str, TargetDescription] = {}
    exact: bool = False
    vary: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    number: int = 0

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters in its line."""
        return [found[1] for found in _PLACEHOLDER.finditer(self.line)]

    def filled(self, values: Mapping[str, str]) -> str:
        """The line with the parameters' values in the place of `{{name}}`. Raises `KeyError` for a missing one."""
        return _PLACEHOLDER.sub(lambda found: _escaped(values[found[1]]), self.line)


class RecordedTest(Record):
    """A test. `vary` holds for all of its steps; `afterwards` are lines for the end, whose outcome is not compared."""

    preparation: Preparation
    steps: tuple[RecordedStep, ...]
    parameters: Mapping[str, str] = {}
    vary: tuple[str, ...] = ()
    afterwards: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()

    def values_for(self, chosen: Mapping[str, str], base: str | None = None) -> dict[str, str]:
        """The parameters' values: those chosen for a run, or else those of the file; `base` among them."""
        return {"base": (base or self.preparation.base).rstrip("/"), **self.parameters, **chosen}


def _escaped(value: str) -> str:
    return quote(value)[1:-1]


# --- reading ---


def parse_test(text: str, name: str = "the test") -> RecordedTest:
    """Read a test. `name` is its file's, for messages. Raises `InvalidTest` with line and column."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidTest(f"{name}: longer than {MAX_CHARACTERS} characters")
    return _TestReader(name, text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")).read()


class _TestReader:
    """Reads the lines of one file."""

    def __init__(self, name: str, lines: Sequence[str]) -> None:
        self.name = name
        self.lines = lines
        self.preparation: dict[str, str] = {}
        self.parameters: dict[str, str] = {}
        self.vary: tuple[str, ...] = ()
        self.afterwards: list[str] = []
        self.comments: list[str] = []

    def fail(self, number: int, column: int, message: str) -> InvalidTest:
        return InvalidTest(f"{self.name}:{number}:{column}: {message}")

    def read(self) -> RecordedTest:
        numbered = [(number, line) for number, line in enumerate(self.lines, 1) if line.strip()]
        starts = [place for place, (_, line) in enumerate(numbered) if line.startswith(">")]
        first = starts[0] if starts else len(numbered)
        leading = self._leading_comments(numbered, first)
        self._read_head(numbered[: first - len(leading)])
        steps, ends = [], [*starts[1:], len(numbered)][: len(starts)]
        comments = leading
        for start, end in zip(starts, ends, strict=True):
            following = self._leading_comments(numbered, end) if end < len(numbered) else ()
            steps.append(self._read_step(numbered[start : end - len(following)], comments))
            comments = following
        if not steps:
            raise self.fail(len(self.lines), 1, "it has no step: a step is a line that begins with >")
        for step in steps:
            self._check_line(step, self._values)
        return RecordedTest(
            preparation=Preparation(**self.preparation),
            steps=tuple(steps),
            parameters=self.parameters,
            vary=self.vary,
            afterwards=tuple(self.afterwards),
            comments=tuple(self.comments),
        )

    @staticmethod
    def _leading_comments(numbered: Sequence[tuple[int, str]], end: int) -> tuple[str, ...]:
        """The comments directly before the step that begins at `end`: at the margin, as it is."""
        found: list[str] = []
        while end > 0 and numbered[end - 1][1].startswith("#"):
            end -= 1
            found.insert(0, numbered[end][1].rstrip())
        return tuple(found)

    @property
    def _values(self) -> dict[str, str]:
        return {"base": "http://localhost", **self.parameters}

    def _read_head(self, numbered: Sequence[tuple[int, str]]) -> None:
        rows = [(number, line) for number, line in numbered if not line.startswith("#")]
        self.comments = [line.rstrip() for _, line in numbered if line.startswith("#")]
        number, line = rows[0] if rows else (1, "")
        head = _HEAD.fullmatch(line.strip())
        if head is None:
            raise self.fail(number, 1, f"the first line of a test is: oryntest {VERSION}")
        if head[1] != str(VERSION):
            column = line.index(head[1]) + 1
            raise self.fail(number, column, f"a test of version {head[1]}; this Oryn reads version {VERSION}")
        for number, line in rows[1:]:
            self._read_key(number, line)

    def _read_key(self, number: int, line: str) -> None:
        found = _KEY.fullmatch(line.rstrip())
        if found is None:
            raise self.fail(number, 1, "neither a key with a colon, such as 'base: …', nor a step, which begins with >")
        key, argument, value = found.groups()
        column = found.start(3) + 1
        if not value:
            raise self.fail(number, column, f"{key} has no value")
        if key == "parameter":
            if argument is None or argument == "base" or argument in self.parameters:
                raise self.fail(number, 1, "a parameter has a name of its own: 'parameter user: ann'")
            self.parameters[argument] = value
        elif argument is not None:
            raise self.fail(number, found.start(2) + 1, f"a colon has to follow {key}")
        elif key == "vary":
            self.vary += _words(value)
        elif key == "afterwards":
            self._check_line(RecordedStep(value, number=number), self._values, column)
            self.afterwards.append(value)
        elif key not in Preparation.__fields__:
            keys = ", ".join((*Preparation.__fields__, "parameter", "vary", "afterwards"))
            raise self.fail(number, 1, f"there is no key {key}; the keys are {keys}")
        elif key in self.preparation:
            raise self.fail(number, 1, f"{key} appears twice")
        else:
            self._check_value(number, column, key, value)
            self.preparation[key] = value

    def _check_value(self, number: int, column: int, key: str, value: str) -> None:
        from datetime import datetime

        if key == "viewport" and _VIEWPORT.fullmatch(value) is None:
            raise self.fail(number, column, "a viewport is a width and a height in pixels: 1280x720")
        if key == "clock":
            try:
                moment = datetime.fromisoformat(value)
            except ValueError:
                moment = None
            if moment is None or moment.tzinfo is None:
                raise self.fail(number, column, "a clock begins at a moment with its zone: 2026-11-30T12:00:00Z")
        if key == "base" and not value.startswith(("http://", "https://", "file:")):
            raise self.fail(number, column, "a base is a URL: http://localhost:8000")

    def _read_step(self, numbered: Sequence[tuple[int, str]], comments: tuple[str, ...]) -> RecordedStep:
        first, head = numbered[0]
        text = [head[1:].strip()]
        if not text[0]:
            raise self.fail(first, 2, "a command is missing")
        targets: dict[str, TargetDescription] = {}
        exact, vary = False, tuple[str, ...]()
        reported: list[tuple[int, int, str]] = []
        for number, raw in numbered[1:]:
            line = raw.strip()
            indent = len(raw) - len(raw.lstrip())
            if raw.startswith("#"):
                comments = (*comments, raw.rstrip())
            elif not indent:
                raise self.fail(number, 1, "what belongs to a step is indented; a step begins with >")
            elif line.startswith("| "):
                text.append(line[2:])
            elif line == "exact":
                exact = True
            elif line.startswith("vary:"):
                vary += _words(line.removeprefix("vary:"))
            elif (word := line.partition(":")[0]) in _TARGET_FIELDS:
                targets[word] = self._read_target(number, indent, line, len(word) + 1)
            else:
                reported.append((number, indent, line))
        return RecordedStep("\n".join(text), self._read_report(reported), targets, exact, vary, comments, first)

    def _read_report(self, reported: Sequence[tuple[int, int, str]]) -> StepReport | None:
        if not reported:
            return None
        lines = [line for _, _, line in reported]
        if lines == [NOTHING_CHANGED]:
            return StepReport()
        try:
            report = parse_report(lines)
        except ReportLineError as error:
            number, indent, _ = reported[error.index]
            raise self.fail(number, indent + error.column, error.message) from error
        if is_all_varying(report):
            raise self.fail(
                reported[0][0], reported[0][1] + 1, "everything in this step varies: it would expect nothing"
            )
        return report

    def _read_target(self, number: int, indent: int, line: str, start: int) -> TargetDescription:
        start += len(line) - start - len(line[start:].lstrip())
        head = _TARGET_HEAD.match(line, start)
        if head is None:
            raise self.fail(number, indent + start + 1, 'a target is its kind and its name: button "Save"')
        fields: dict[str, str] = {"kind": head[1], "role": head[2] or "", "name": unescape(head[3] or "")}
        place, end = 0, head.end()
        while end < len(line):
            part = _TARGET_PART.match(line, end)
            if part is None:
                words = ", ".join((*_TARGET_WORDS, "place"))
                raise self.fail(number, indent + end + 1, f"one of {words}, and its value in quotes, has to follow")
            if part[1]:
                place = int(part[1])
            else:
                fields[_TARGET_WORDS[part[2]]] = unescape(part[3])
            end = part.end()
        return TargetDescription(**fields, place=place)

    def _check_line(self, step: RecordedStep, values: Mapping[str, str], column: int = 3) -> None:
        """Check the language of a step. Raises `InvalidTest`."""
        for found in _PLACEHOLDER.finditer(step.line):
            if found[1] not in values:
                raise self.fail(step.number, column + found.start(), f"there is no parameter {found[1]}")
        try:
            parsed = parse(step.filled(values))
        except LanguageError as error:
            first = _PLACEHOLDER.search(step.line)  # behind it, the positions are others
            place = min(error.position or 0, first.start() if first else len(step.line))
            hint = f" ({error.hint})" if error.hint else ""
            raise self.fail(step.number, column + place, f"{error.message}{hint}") from error
        if parsed.command is None or parsed.session is not None:
            raise self.fail(step.number, column, "a step is one command of the test's own session")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


# --- writing ---


def render_test(test: RecordedTest) -> str:
    """The text of a test, which `parse_test` reads."""
    head = [*test.comments, f"oryntest {VERSION}"]
    head += [f"{key}: {value}" for key, value in test.preparation.values().items() if value]
    head += [f"parameter {name}: {value}" for name, value in test.parameters.items()]
    head += [f"vary: {', '.join(test.vary)}"] if test.vary else []
    head += [f"afterwards: {line}" for line in test.afterwards]
    blocks = ["\n".join(head), *("\n".join(_step_lines(step)) for step in test.steps)]
    return "\n\n".join(blocks) + "\n"


def _step_lines(step: RecordedStep) -> Iterator[str]:
    yield from step.comments
    first, *more = step.line.split("\n")
    yield f"> {first}"
    for line in more:
        yield f"  | {line}"
    for name in _TARGET_FIELDS:
        if name in step.targets:
            yield f"  {name}: {render_target(step.targets[name])}"
    if step.exact:
        yield "  exact"
    if step.vary:
        yield f"  vary: {', '.join(step.vary)}"
    if step.expected is not None:
        for line in step.expected.render() or [NOTHING_CHANGED]:
            yield f"  {line}"


def render_target(target: TargetDescription) -> str:
    """`button/submit "Save" in "Address" after "Town" place 2 on "/account"`."""
    role = f"/{target.role}" if target.role and target.role != target.kind else ""
    parts = [f"{target.kind}{role}"]
    parts += [quote(target.name)] if target.name else []
    for word, name in _TARGET_WORDS.items():
        if value := getattr(target, name):
            parts.append(f"{word} {quote(value)}")
    parts += [f"place {target.place}"] if target.place else []
    return " ".join(parts)
