"""The formats in which a recorded test goes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from oryn.errors import InvalidValue
from oryn.language import (
    Command,
    Exists,
    KindTarget,
    Target,
    TextTarget,
    WaitElement,
    WaitText,
    WaitUrl,
    is_kind,
    parse,
    render,
)
from oryn.language.commands.waits import WaitedState
from oryn.testing.expectation import CONTAINERS, PAGE_TEXTS, VARIES, ReportEntry
from oryn.testing.exports import playwright
from oryn.testing.exports.operations import BOXES, ROLES, operations_of
from oryn.testing.test_file import RecordedStep, RecordedTest
from oryn.testing.variation import with_varying


def export(test: RecordedTest, name: str, format: str) -> str:
    """Return a test as the text of a file in one of `FORMATS`. `name` is the test's, without its suffix.

    Raises `InvalidTest` for a line that the format has no counterpart for, `InvalidValue` for another format."""
    if format not in FORMATS:
        raise InvalidValue(f"there is no format {format}", f"The formats are {', '.join(FORMATS)}.")
    return FORMATS[format](test, name)


def _script(test: RecordedTest, name: str) -> str:
    """A script of the language: the lines, and waits for what each has to lead to."""
    return _in_blocks(test, name, lambda line, command: line, render)


def _program(test: RecordedTest, name: str) -> str:
    """A program of Oryn: the same as function calls."""
    return _in_blocks(test, name, lambda line, command: _call(command), _call)


def _in_blocks(
    test: RecordedTest, name: str, act: Callable[[str, Command], str], wait: Callable[[Command], str]
) -> str:
    """A block for each step: its line, and the waits for what it is expected to lead to."""
    values = test.values_for({})
    blocks = [f"# {name}: exported by Oryn"]
    for step in test.steps:
        line = step.filled(values)
        command = parse(line).command
        assert command is not None
        waits = dict.fromkeys(map(wait, _waits(step, command, values["base"], (*test.vary, *step.vary))))
        blocks.append("\n".join([act(line, command), *waits]))
    return "\n\n".join(blocks) + "\n"


def _waits(step: RecordedStep, command: Command, base: str, vary: Sequence[str]) -> Iterator[Command]:
    """Yield the commands that wait for what a step has to lead to."""
    for entry in step.expected.entries if step.expected else ():
        if entry.sometimes:
            continue
        text = with_varying(entry.text, vary).replace(VARIES, "*")
        if text.endswith("…"):  # it was cut
            text = f"{text[:-1]}*"
        if entry.kind in ("page", "url"):
            place = with_varying(entry.place, vary).replace(VARIES, "*")
            yield WaitUrl(f"{base}{place}" if place.startswith("/") else place)
        elif entry.kind in PAGE_TEXTS:
            if entry.sign in "+~=" and any(map(str.isalnum, text)):
                yield WaitText(text)
        elif entry.kind == "result" and isinstance(command, Exists):
            yield WaitElement("exists" if entry.text == "yes" else "gone", command.target)
        elif entry.is_element and entry.sign != "=" and text == entry.text != "" and is_kind(entry.kind):
            if state := _state(entry):
                yield WaitElement(state, KindTarget(entry.kind, entry.text))


def _state(entry: ReportEntry) -> WaitedState | None:
    """The state to wait for in which an element has to be; None for one that others may take the place of, and for one
    that can't be seen: boxes and fields are often drawn by what is beside them."""
    if entry.sign == "-":
        return "hidden" if entry.kind in CONTAINERS else None
    if changed := {"disabled", "enabled"} & set(entry.states):
        return "disabled" if "disabled" in changed else "enabled"
    return "visible" if set(entry.kind.split("/")) & ROLES - set(BOXES) else None


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
    "playwright-python": lambda test, name: playwright.render(test, operations_of(test, name), name, "python"),
    "playwright-ts": lambda test, name: playwright.render(test, operations_of(test, name), name, "typescript"),
    "oil": _script,
    "program": _program,
}
"""How each format is written, by its name."""
