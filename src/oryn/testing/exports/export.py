"""The formats in which a recorded test goes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from oryn.errors import InvalidValue
from oryn.language import Command, Target, TextTarget, parse
from oryn.language.lexer import quote
from oryn.testing.expectation import VARIES, ReportEntry
from oryn.testing.exports.operations import operations_of
from oryn.testing.exports.playwright import render
from oryn.testing.test_file import RecordedStep, RecordedTest

_TEXTS = frozenset({"alert", "status", "heading", "text"})


def export(test: RecordedTest, name: str, format: str) -> str:
    """Return a test as the text of a file in one of `FORMATS`. `name` is the test's, without its suffix.

    Raises `InvalidTest` for a line that the format has no counterpart for, `InvalidValue` for another format."""
    if format not in FORMATS:
        raise InvalidValue(f"there is no format {format}", f"The formats are {', '.join(FORMATS)}.")
    return FORMATS[format](test, name)


def _script(test: RecordedTest, name: str) -> str:
    """A script of the language: the lines, and waits for what each has to lead to."""
    values = test.values_for({})
    blocks = [f"# {name}: exported by Oryn"]
    for step in test.steps:
        waits = [f"wait {how} {quote(what)}" for how, what in _expected(step, values["base"])]
        blocks.append("\n".join([step.filled(values), *waits]))
    return "\n\n".join(blocks) + "\n"


def _program(test: RecordedTest, name: str) -> str:
    """A program of Oryn: a function call a step."""
    values = test.values_for({})
    blocks = [f"# {name}: exported by Oryn"]
    for step in test.steps:
        command = parse(step.filled(values)).command
        assert command is not None
        rows = [_call(command)]
        rows += [f'wait("{how}", {what!r})' for how, what in _expected(step, values["base"])]
        blocks.append("\n".join(rows))
    return "\n\n".join(blocks) + "\n"


def _expected(step: RecordedStep, base: str) -> Iterator[tuple[str, str]]:
    """Yield what a step has to lead to, as arguments of `wait`."""
    for entry in step.expected.entries if step.expected else ():
        if entry.sometimes:
            continue
        if entry.kind in ("page", "url"):
            place = f"{base}{entry.place}" if entry.place.startswith("/") else entry.place
            yield "url", place.replace(VARIES, "*")
        elif entry.kind in _TEXTS and entry.sign in "+~" and _is_plain(entry):
            yield "visible", entry.text


def _is_plain(entry: ReportEntry) -> bool:
    return VARIES not in entry.text and not entry.text.endswith("…") and any(map(str.isalnum, entry.text))


def _call(command: Command) -> str:
    spec = command.spec
    arguments: list[str] = []
    for argument in spec.arguments:
        value = getattr(command, argument.name)
        if value is None:
            continue
        arguments += (
            [_literal(each) for each in value] if argument.many and isinstance(value, tuple) else [_literal(value)]
        )
    for option in spec.options.values():
        value = getattr(command, option.name)
        if value is not None and value is not False:
            arguments.append(f"{option.name}={_literal(value)}")
    return f"{spec.name.replace(' ', '_').replace('-', '_')}({', '.join(arguments)})"


def _literal(value: object) -> str:
    if isinstance(value, TextTarget):
        return repr(value.text)
    if isinstance(value, Target):
        return repr(str(value))
    if isinstance(value, tuple):
        return repr("+".join(map(str, value)))
    return repr(value) if isinstance(value, bool | int | float | str) else repr(str(value))


FORMATS: Mapping[str, Callable[[RecordedTest, str], str]] = {
    "playwright-python": lambda test, name: render(test, operations_of(test, name), name, "python"),
    "playwright-ts": lambda test, name: render(test, operations_of(test, name), name, "typescript"),
    "oil": _script,
    "program": _program,
}
"""How each format is written, by its name."""
