"""What a model's call of a tool means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oryn.errors import InvalidValue, MissingArgument, UnexpectedInput
from oryn.language import Command, Line, doors, parse, quote
from oryn.language.json_reading import line_for
from oryn.language.json_reading import line_of as line_of_json
from oryn.language.strings import shorten
from oryn.language.vocabulary import Verb
from oryn.tools.schema import ACTION
from oryn.tools.table import LINE_TOOL


def command_of(name: str, arguments: Mapping[str, Any]) -> Command:
    """The command that a tool's name and arguments mean. Also names of the table that are no tools of their own are
    good (`cookies get`, `navigate`), and options that a tool's schema leaves out (`timeout`, `strict`).

    Raises `LanguageError`."""
    line = line_of(name, arguments)
    if line.session:
        raise UnexpectedInput(
            f"a line for the session {shorten(line.session)}", "Tools act in the session they are for."
        )
    assert line.command is not None
    return line.command


def line_of(name: str, arguments: Mapping[str, Any]) -> Line:
    """As `command_of`, for hosts that take lines: one with a command, and perhaps another session's name."""
    if name == LINE_TOOL:
        return _said(arguments)
    given = {key: value for key, value in arguments.items() if value is not None}
    verb = doors().verbs.get(name)
    if verb is not None and verb.name == "define":
        return _definition(given)
    if verb is not None and len(verb.commands) == 1:
        return line_for(verb.commands[0], given, doors())
    if verb is not None and ACTION in given:
        return _chosen(verb, given)
    return line_of_json(name, given, doors())


def _said(arguments: Mapping[str, Any]) -> Line:
    text = arguments.get("line")
    if not isinstance(text, str) or set(arguments) != {"line"}:
        raise MissingArgument("oryn needs line, and nothing else", 'One line, such as: click "Sign in"')
    line = parse(text)
    if line.command is None:
        raise MissingArgument("the line has no command", "Say 'help' to see the commands.")
    return line


def _chosen(verb: Verb, arguments: dict[str, Any]) -> Line:
    word = arguments.pop(ACTION)
    spec = verb.chosen.get(word) if isinstance(word, str) else None
    if spec is None:
        raise InvalidValue(f"{verb.name} has no action {shorten(str(word))}", f"One of {', '.join(verb.chosen)}.")
    if len(spec.path) == 1:  # a choice, which is an argument itself
        arguments = {spec.arguments[0].name: word, **arguments}
    return line_for(spec, arguments, doors())


def _definition(arguments: dict[str, Any]) -> Line:
    """A definition and its body, which stands on lines of its own."""
    name, body = arguments.pop("name", None), arguments.pop("body", None)
    if not isinstance(name, str) or not isinstance(body, list) or arguments:
        raise MissingArgument("define needs name and body, and nothing else", "The body is a list of lines.")
    lines = [line for each in body for line in str(each).split("\n")]
    head = name.strip().removesuffix(":")
    if "\n" in head:
        raise InvalidValue(f"not a name: {quote(shorten(head))}")
    return parse("\n  ".join((f"define {head}:", *lines)))
