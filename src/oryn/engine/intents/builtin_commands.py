"""The built-in intents in the form that `run`, `intents` and `export` use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from oryn.errors import IntentNotFound, MissingArgument, UnexpectedInput
from oryn.language import (
    COMMANDS,
    AcceptCookies,
    Command,
    Dismiss,
    FillForm,
    Login,
    Logout,
    ScrollUntil,
    Search,
    quote,
)
from oryn.language.command import Argument, Option
from oryn.language.help import COMMON_OPTIONS, spec_usage
from oryn.language.kinds import ChoiceKind, DurationKind
from oryn.language.lexer import Cursor

BUILTIN: dict[str, type[Command]] = {
    command.spec.name.replace(" ", "_"): command
    for command in COMMANDS
    if command in (Login, Search, Dismiss, AcceptCookies, ScrollUntil, Logout, FillForm)
}
"""The built-in intents by their names in `run`."""

_FLAG_WORDS = ("true", "yes", "on", "1")


def builtin_command(name: str, parameters: Iterable[tuple[str, str]]) -> Command:
    """Return the built-in command of `run <name> --…`. Raises `IntentNotFound`, and `LanguageError` if a value is
    invalid."""
    command = BUILTIN.get(name)
    if command is None:
        raise IntentNotFound(f"no intent {name}")
    values = dict(parameters)
    declared: dict[str, Argument | Option] = {each.name: each for each in command.spec.arguments}
    declared |= {each.name: each for each in command.spec.options.values()}
    fields: dict[str, Any] = {}
    for written, text in values.items():
        field = declared.get(written.replace("-", "_"))
        if field is None or field.name in COMMON_OPTIONS:
            raise UnexpectedInput(f"{name} has no parameter --{written}", spec_usage(command.spec))
        if field.kind is None:
            fields[field.name] = text.lower() in _FLAG_WORDS
            continue
        bare = isinstance(field.kind, DurationKind | ChoiceKind)
        fields[field.name] = field.kind.read(Cursor(text if bare else quote(text))).value
    for argument in command.spec.arguments:
        if argument.required and argument.name not in fields:
            raise MissingArgument(f"{name} needs --{argument.name}", spec_usage(command.spec))
    return command(**fields)


def builtin_data(name: str) -> dict[str, Any] | None:
    """Return the data of a definition that is equivalent to a built-in intent; None if there is no equivalent."""
    command = BUILTIN.get(name)
    if command is None or command is FillForm:
        return None
    spec = command.spec
    words = " ".join([*spec.path, *(quote(f"{{{{{each.name}}}}}") for each in spec.arguments)])
    data: dict[str, Any] = {"name": name, "version": "1", "description": spec.help}
    if spec.arguments:
        data["parameters"] = {
            each.name: {"description": each.help, **({"secret": True} if each.kind.secret else {})}
            for each in spec.arguments
        }
    return {**data, "steps": [words]}
