"""Commands and lines as JSON, as `oryn parse` prints them, and commands from JSON, for callers that send data.

    {"target": "Sign in", "double": true}   {"target": {"css": ".buy"}}   {"url": "example.org", "timeout": 5}

When reading, the argument's kind decides what a value means. A text is that text, whatever it contains. Durations are
in seconds or as in a line (`"500ms"`). Targets are as in a line, or tagged objects (`target_json`); any other text is
the text of an element. The result is a line, so there is one parser and one set of checks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from oryn.core.suggestions import did_you_mean
from oryn.errors import InvalidValue, LanguageError, MissingArgument, UnexpectedInput, UnknownCommand
from oryn.language.command import Argument, Command, CommandSpec, Option
from oryn.language.commands.intents import Define
from oryn.language.kinds import ValueKind
from oryn.language.lexer import Cursor, is_identifier, quote, shorten
from oryn.language.line import Line, line_from_tree, parse, parse_script
from oryn.language.vocabulary import Vocabulary, api_vocabulary


def command_json(command: Command) -> dict[str, Any]:
    """Return a command as JSON data, with every field of its class.

    `{"name": "click", "arguments": {"target": {"id": 5}, "double": false, …}}`. Durations are in seconds, targets are
    tagged objects (`target_json`)."""
    fields = type(command).__fields__
    arguments = {name: _field_json(fields[name], value) for name, value in command.values().items()}
    if "parameters" in arguments:
        arguments["parameters"] = dict(arguments["parameters"])
    return {"name": type(command).spec.name, "arguments": arguments}


def _field_json(field: object, value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if value is None or not isinstance(field, Argument | Option) or field.kind is None:
        return value
    return field.kind.as_json(value)


def parse_output(text: str) -> Iterator[dict[str, Any]]:
    """Yield, for each line that is not blank, the object of docs/spec/intent-language.md#commands-as-json: `canonical`,
    `command`, `comment`, or `error`.

    The command of a line for another session has that session's name in `session`."""
    for each in parse_script(text):
        yield _error_json(each.error) if each.error else _line_json(each.line)


def _line_json(line: Line | None) -> dict[str, Any]:
    assert line is not None
    command = command_json(line.command) if line.command else None
    if command and line.session:
        command["session"] = line.session
    return {"canonical": line.canonical, "command": command, "comment": line.comment}


def _error_json(error: LanguageError) -> dict[str, Any]:
    return {
        "error": {
            "phase": error.phase,
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "position": error.position,
        }
    }


def is_request(text: str) -> bool:
    """Return whether `text` is a request in the place of a line (`line_of_request`). No command begins with a brace."""
    return text.lstrip().startswith("{")


def line_of_request(text: str) -> Line:
    """Return the line of a request, which programs may send wherever a line is expected: a JSON object on one line.

    `{"action": "click", "args": {"target": "Sign in"}}` has a command's name and arguments as `line_from_json` takes
    them, `{"line": "click 5"}` a line. `session` may name the session that it is for. Raises `LanguageError`."""
    try:
        request = json.loads(text)
    except ValueError as error:
        raise UnexpectedInput(f"a request that is not JSON: {error}", _REQUEST_FORM) from None
    match request:
        case {"action": str(action), **rest} if set(rest) <= {"args", "session"}:
            arguments = rest.get("args") or {}
            if not isinstance(arguments, Mapping):
                raise InvalidValue("the args of a request are an object", _REQUEST_FORM)
            line = line_from_json(action, arguments, api_vocabulary())
        case {"line": str(raw), **rest} if set(rest) <= {"session"}:
            line = parse(raw)
        case _:
            raise UnexpectedInput("a request with other fields", _REQUEST_FORM)
    session = rest.get("session")
    if session is None or line.session is not None:
        return line
    if not isinstance(session, str) or not is_identifier(session):
        raise InvalidValue(f"not a session's name: {shorten(str(session))}")
    return line_from_tree(line.tree.replace(session=session))


_REQUEST_FORM = 'Write {"action": "click", "args": {"target": "Sign in"}} or {"line": "click 5"}.'


def line_from_json(name: str, arguments: Mapping[str, Any], vocabulary: Vocabulary) -> Line:
    """Return the line of a command's name and arguments: `line_from_json("url", {}, api_vocabulary())` is `url`.

    `name` is the command's name in this vocabulary, in any case, with spaces or `_` between its words. Arguments and
    options have the names of the command's fields. A name has one owner, whatever the arguments: in the API vocabulary
    `search` is the web search, and the page's search is `site_search`. Raises `LanguageError`."""
    return line_from_spec(_find_spec(name, arguments, vocabulary), arguments, vocabulary)


def line_from_spec(spec: CommandSpec, arguments: Mapping[str, Any], vocabulary: Vocabulary) -> Line:
    """Like `line_from_json`, for a command that is known already."""
    arguments = {spec.field_aliases.get(name, name): value for name, value in arguments.items()}
    if spec.type is Define:
        return _line_of_definition(dict(arguments))
    text = " ".join((vocabulary.verb_of(spec), *spec.path[1:], *_argument_texts(spec, arguments)))
    return parse(text, vocabulary)


def _line_of_definition(arguments: dict[str, Any]) -> Line:
    """Return the line of `define`, with its body on the lines below."""
    name, body = arguments.pop("name", None), arguments.pop("body", None)
    if not isinstance(name, str) or not isinstance(body, list) or arguments:
        raise MissingArgument("define needs name and body, and nothing else", "The body is a list of lines.")
    lines = [line for each in body for line in str(each).split("\n")]
    head = name.strip().removesuffix(":")
    if "\n" in head:
        raise InvalidValue(f"not a name: {quote(shorten(head))}")
    return parse("\n  ".join((f"define {head}:", *lines)))


def _find_spec(name: str, arguments: Mapping[str, Any], vocabulary: Vocabulary) -> CommandSpec:
    words = tuple(name.lower().replace("_", " ").split())
    named = vocabulary.named.get(words, ())
    if not named and (len(words) == 1 or words in vocabulary.phrases) and (verb := vocabulary.find(*words)):
        named = [spec for spec in verb.commands if len(spec.path) == 1 or spec is verb.listing]
    if not named:
        renamed = [found for found, specs in vocabulary.named.items() if any(words == spec.path for spec in specs)]
        hint = f"It is called {'_'.join(renamed[0])} here." if renamed else did_you_mean(name, vocabulary.names)
        raise UnknownCommand(f"unknown command {shorten(name)}", hint)
    # Commands of one verb may have one name (`wait …`): they differ in their arguments.
    fitting = (
        spec
        for spec in named
        if set(arguments) <= _parameter_names(spec) | set(spec.field_aliases)
        and all(each.name in arguments for each in spec.arguments if each.required)
    )
    return next(fitting, named[0])


def _parameter_names(spec: CommandSpec) -> set[str]:
    return {each.name for each in (*spec.arguments, *spec.options.values())} | ({"parameters"} if spec.open else set())


def _argument_texts(spec: CommandSpec, arguments: Mapping[str, Any]) -> Iterator[str]:
    for name in arguments:
        if name not in _parameter_names(spec):
            hint = (
                did_you_mean(name, _parameter_names(spec))
                or f"It takes {', '.join(sorted(_parameter_names(spec))) or 'nothing'}."
            )
            raise UnexpectedInput(f"{spec.api_name} has no argument {shorten(name)}", hint)
    for argument in spec.arguments:
        value = arguments.get(argument.name)
        if value is None:
            if argument.required:
                raise MissingArgument(f"{spec.api_name} needs {argument.name}: {argument.help}")
            continue
        if argument.lead:
            yield argument.lead
        for each in value if argument.many and isinstance(value, list | tuple) else [value]:
            yield _value_text(argument, each)
    for option in spec.options.values():
        value = arguments.get(option.name)
        if value is None or value is False:
            continue
        yield option.written
        if option.kind is not None:
            yield _value_text(option, value)
        elif value is not True:
            raise InvalidValue(f"{option.name} can't be {shorten(str(value))}", "It is true or false.")
    parameters = arguments.get("parameters") or {}
    if not isinstance(parameters, Mapping):
        raise InvalidValue(f"parameters can't be {shorten(str(parameters))}", "It is an object of names and values.")
    for name, value in parameters.items():
        if not is_identifier(name):
            hint = "It is a letter or _, then letters, digits, _ and -."
            raise UnexpectedInput(f"{spec.api_name} has no parameter {shorten(name)}", hint)
        yield f"--{name} {quote(str(value))}"


def _value_text(field: Argument | Option, value: Any) -> str:
    """Return the text of a value in a line, and check that it is exactly one value."""
    kind = field.kind
    assert isinstance(kind, ValueKind)
    text = kind.text_of(value)
    if text is None:
        raise InvalidValue(f"{field.name} can't be {shorten(str(value))}", f"It is {kind.label}.")
    if kind.read_whole(text):
        return text
    cursor = Cursor(text)
    try:
        kind.read(cursor)
        cursor.skip_space()
    except LanguageError as error:
        raise type(error)(f"{field.name}: {error.message}", error.hint) from error
    if not cursor.at_end or cursor.position < len(text.rstrip()):
        raise InvalidValue(f"{field.name} can't be {shorten(str(value))}", f"It is {kind.label}.")
    return text
