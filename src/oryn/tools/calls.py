"""Translates a model's tool call into a command or a line of the language.

    command_of("click", {"target": "Sign in"})

The arguments are checked by the language's own parser, whose errors models can read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oryn.errors import InvalidValue, MissingArgument, UnexpectedInput
from oryn.language import Command, Line, api_vocabulary, parse
from oryn.language.json_codec import line_from_json as line_of_json
from oryn.language.json_codec import line_from_spec
from oryn.language.lexer import shorten
from oryn.language.vocabulary import Verb
from oryn.tools.catalog import LINE_TOOL
from oryn.tools.schema import ACTION


def command_of(name: str, arguments: Mapping[str, Any]) -> Command:
    """Return the command of a tool call.

    name: a tool's name, or another name of a command (`cookies get`, `navigate`).
    arguments: its arguments by name, with options that the tool's schema leaves out (`timeout`, `strict`). None counts
        as absent.

    Raises `LanguageError`; if the call names a session, that is `UnexpectedInput`."""
    line = line_of(name, arguments)
    if line.session:
        raise UnexpectedInput(
            f"a line for the session {shorten(line.session)}", "Tools act in the session they are for."
        )
    assert line.command is not None
    return line.command


def line_of(name: str, arguments: Mapping[str, Any]) -> Line:
    """Like `command_of`, for hosts that run lines. The line has a command, and may name another session. Raises
    `LanguageError`."""
    if name == LINE_TOOL:
        return _line_of_text(arguments)
    present = {key: value for key, value in arguments.items() if value is not None}
    verb = api_vocabulary().verbs.get(name)
    if verb is not None and len(verb.commands) == 1:
        return line_from_spec(verb.commands[0], present, api_vocabulary())
    if verb is not None and ACTION in present:
        return _line_of_action(verb, present)
    return line_of_json(name, present, api_vocabulary())


def _line_of_text(arguments: Mapping[str, Any]) -> Line:
    text = arguments.get("line")
    if not isinstance(text, str) or set(arguments) != {"line"}:
        raise MissingArgument("oryn needs line, and nothing else", 'One line, such as: click "Sign in"')
    line = parse(text)
    if line.command is None:
        raise MissingArgument("the line has no command", "Say 'help' to see the commands.")
    return line


def _line_of_action(verb: Verb, arguments: dict[str, Any]) -> Line:
    word = arguments.pop(ACTION)
    spec = verb.chosen.get(word) if isinstance(word, str) else None
    if spec is None:
        raise InvalidValue(f"{verb.name} has no action {shorten(str(word))}", f"One of {', '.join(verb.chosen)}.")
    if len(spec.path) == 1:  # the choice is an argument itself
        arguments = {spec.arguments[0].name: word, **arguments}
    return line_from_spec(spec, arguments, api_vocabulary())
