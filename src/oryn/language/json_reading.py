"""Commands from JSON data: the other way of `command_json`, for doors whose callers send data and not lines.

    {"target": "Sign in", "double": true}   {"target": {"css": ".buy"}}   {"url": "example.org", "timeout": 5}

What a value means is decided by the argument's kind: a text is that text, whatever stands in it; durations are in
seconds or as in a line (`"500ms"`); targets are as in a line, or tagged objects (`target_json`), and a text that is
none of these is the text of an element. The outcome is a line, so there is one parser and one set of checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from oryn.errors import InvalidValue, LanguageError, MissingArgument, UnexpectedInput, UnknownCommand
from oryn.language.command import Argument, CommandSpec, Option
from oryn.language.kinds import Kind
from oryn.language.line import Line, parse
from oryn.language.strings import quote, shorten
from oryn.language.suggestions import did_you_mean
from oryn.language.tokens import Cursor
from oryn.language.vocabulary import Vocabulary


def line_of(name: str, arguments: Mapping[str, Any], vocabulary: Vocabulary) -> Line:
    """The line that a command's name and arguments mean: `line_of("url", {}, doors())` is `url`.

    `name` is the command's in this vocabulary, in any case, with spaces or `_` between its words; each argument and
    option is called as in the command's class. A name has one owner, whatever the arguments: `search` at doors is the
    web's, and the page's is `site_search`. Raises `LanguageError`."""
    return line_for(_spec_of(name, arguments, vocabulary), arguments, vocabulary)


def line_for(spec: CommandSpec, arguments: Mapping[str, Any], vocabulary: Vocabulary) -> Line:
    """As `line_of`, where it is known which command it is."""
    text = " ".join((_written(spec, vocabulary), *_parts(spec, arguments)))
    return parse(text, vocabulary)


def _spec_of(name: str, arguments: Mapping[str, Any], vocabulary: Vocabulary) -> CommandSpec:
    words = tuple(name.lower().replace("_", " ").split())
    specs = [(verb.name, spec) for verb in vocabulary.verbs.values() for spec in verb.commands]
    named = [spec for verb, spec in specs if words == _words(verb, spec)]
    if not named and (len(words) == 1 or words in vocabulary.phrases) and (verb := vocabulary.find(*words)):
        named = [spec for spec in verb.commands if len(spec.path) == 1]
    if not named:
        renamed = [_words(verb, spec) for verb, spec in specs if words == spec.path]
        hint = f"It is called {'_'.join(renamed[0])} here." if renamed else did_you_mean(name, vocabulary.names)
        raise UnknownCommand(f"unknown command {shorten(name)}", hint)
    # Commands of one verb may have one name (`wait …`): they differ in what they take.
    fitting = (spec for spec in named if set(arguments) <= _known(spec) and _required(spec) <= set(arguments))
    return next(fitting, named[0])


def _words(verb: str, spec: CommandSpec) -> tuple[str, ...]:
    """The command's name where its verb has this one."""
    return (*verb.replace("_", " ").split(), *spec.path[1:])


def _known(spec: CommandSpec) -> set[str]:
    return {each.name for each in (*spec.arguments, *spec.options.values())} | ({"parameters"} if spec.open else set())


def _required(spec: CommandSpec) -> set[str]:
    return {each.name for each in spec.arguments if each.required}


def _written(spec: CommandSpec, vocabulary: Vocabulary) -> str:
    verb = next(name for name, verb in vocabulary.verbs.items() if spec in verb.commands)
    return " ".join((verb, *spec.path[1:]))


def _parts(spec: CommandSpec, arguments: Mapping[str, Any]) -> Iterator[str]:
    for name in arguments:
        if name not in _known(spec):
            hint = did_you_mean(name, _known(spec)) or f"It takes {', '.join(sorted(_known(spec))) or 'nothing'}."
            raise UnexpectedInput(f"{spec.door} has no argument {shorten(name)}", hint)
    for argument in spec.arguments:
        value = arguments.get(argument.name)
        if value is None:
            if argument.required:
                raise MissingArgument(f"{spec.door} needs {argument.name}: {argument.help}")
            continue
        if argument.lead:
            yield argument.lead
        for each in value if argument.many and isinstance(value, list | tuple) else [value]:
            yield _text(argument, each)
    for option in spec.options.values():
        value = arguments.get(option.name)
        if value is None or value is False:
            continue
        yield option.written
        if option.kind is not None:
            yield _text(option, value)
        elif value is not True:
            raise InvalidValue(f"{option.name} can't be {shorten(str(value))}", "It is true or false.")
    for name, value in (arguments.get("parameters") or {}).items():
        yield f"--{name} {quote(str(value))}"


def _text(field: Argument | Option, value: Any) -> str:
    """The text of one value, which is that one value and nothing more."""
    kind = field.kind
    assert isinstance(kind, Kind)
    text = kind.text_of(value)
    if text is None:
        raise InvalidValue(f"{field.name} can't be {shorten(str(value))}", f"It is {kind.label}.")
    cursor = Cursor(text)
    try:
        kind.read(cursor)
        cursor.skip_space()
    except LanguageError as error:
        raise type(error)(f"{field.name}: {error.message}", error.hint) from error
    if not cursor.at_end or cursor.position < len(text.rstrip()):
        raise InvalidValue(f"{field.name} can't be {shorten(str(value))}", f"It is {kind.label}.")
    return text
