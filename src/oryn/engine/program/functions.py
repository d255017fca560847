"""The functions of programs, derived from the table of commands. Pure.

`click("Save", double=True)` is `click "Save" --double`. A call becomes a line, so that there is one parser and one set
of checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from oryn.core.records import Record
from oryn.errors import InvalidValue, LanguageError, MissingArgument, UnexpectedInput
from oryn.language import COMMANDS, CommandSpec, Line
from oryn.language.commands.general import Exit
from oryn.language.commands.intents import Define, Program, ProgramSave
from oryn.language.commands.state import SessionClose, SessionNew
from oryn.language.json_codec import line_from_spec
from oryn.language.vocabulary import LINE_VOCABULARY

EXCLUDED = (Program, ProgramSave, Define, Exit, SessionNew, SessionClose)
"""Commands that are no functions: a program runs in one session, and has its own definitions."""

OWN_FUNCTIONS = ("allow", "last_error")
"""The functions that are no commands."""


class CommandForm(Record):
    """A command that a function may mean. `fixed` are the arguments that the function's name says."""

    spec: CommandSpec
    fixed: Mapping[str, str] = {}


@cache
def command_functions() -> Mapping[str, tuple[CommandForm, ...]]:
    """The commands that each function may mean, by its name.

    A function has the name of its command in lines and in APIs, with `_` between words. Words of a choice that tell
    commands apart are functions too (`wait_visible`, `dialog_accept`); a verb that only begins commands takes the next
    word as its first argument (`tab("new")`), as a line does."""
    found: dict[str, list[CommandForm]] = {}
    for command in COMMANDS:
        spec = command.spec
        if spec.scope != "session" or command in EXCLUDED:
            continue
        names = dict.fromkeys(_identifier(name) for name in (spec.name, spec.api_name, *spec.aliases))
        for name in names:
            found.setdefault(name, []).append(CommandForm(spec))
            for word in spec.choice:
                found.setdefault(f"{name}_{_identifier(word)}", []).append(
                    CommandForm(spec, {spec.arguments[0].name: word})
                )
        found.setdefault(_identifier(spec.path[0]), [])
    return {name: tuple(forms) for name, forms in found.items() if name.isidentifier()}


def function_names() -> frozenset[str]:
    """The names of all functions of a program."""
    return frozenset((*command_functions(), *OWN_FUNCTIONS))


def _identifier(name: str) -> str:
    return name.replace(" ", "_").replace("-", "_")


def line_of_call(name: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> Line:
    """Return the line of a call. Values are JSON data. Raises `LanguageError`."""
    functions = command_functions()
    first = arguments[0] if arguments else None
    if isinstance(first, str) and (longer := f"{name}_{_identifier(first.lower())}") in functions:
        name, arguments = longer, arguments[1:]
    forms = functions[name]
    if not forms:
        words = [other.removeprefix(f"{name}_") for other in functions if other.startswith(f"{name}_")]
        raise MissingArgument(f"{name} needs a word", f"It is one of {', '.join(sorted(words))}.")
    errors = []
    for form in forms:
        try:
            return line_from_spec(form.spec, {**form.fixed, **_bound(form, arguments, named)}, LINE_VOCABULARY)
        except LanguageError as error:
            errors.append(error)
    # Of several commands, the one that takes such arguments says best what is wrong with them.
    raise next((each for each in errors if isinstance(each, InvalidValue)), errors[0])


def _bound(form: CommandForm, arguments: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by their names. Raises `LanguageError`."""
    spec = form.spec
    places = [each for each in spec.arguments if each.name not in form.fixed]
    bound: dict[str, Any] = {}
    left = list(arguments)
    for place in sorted(places, key=lambda each: not each.required):
        if not left:
            break
        if place.many:
            bound[place.name] = left[0] if len(left) == 1 and isinstance(left[0], list) else left
            left = []
        else:
            bound[place.name] = left.pop(0)
    if left:
        raise UnexpectedInput(
            f"{spec.name} takes {len(places) or 'no'} positional values, not {len(arguments)}", _usage(spec)
        )
    parameters: dict[str, Any] = {}
    names = set(_names(spec))
    for written, value in named.items():
        name = written.removesuffix("_")
        if name in bound:
            raise UnexpectedInput(f"{spec.name} got {name} twice")
        if spec.open and name not in names:
            parameters[name] = value
        else:
            bound[name] = value
    return {**bound, "parameters": parameters} if parameters else bound


def _names(spec: CommandSpec) -> Iterator[str]:
    yield from (each.name for each in spec.arguments)
    yield from (each.name for each in spec.options.values())
    yield from spec.field_aliases
    yield "parameters"


def _usage(spec: CommandSpec) -> str:
    from oryn.language.help import spec_usage

    return f"It is: {spec_usage(spec)}"
