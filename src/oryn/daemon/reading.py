"""From an envelope to the line that it means, whichever of the three ways it is said in. Pure."""

from __future__ import annotations

from typing import Any

from oryn.daemon.actions import aliases, door_of
from oryn.daemon.bodies import read_json
from oryn.daemon.protocol import Command, read_command
from oryn.daemon.vocabulary import meaning_of as command_meant
from oryn.daemon.vocabulary import worded
from oryn.errors import LanguageError
from oryn.language import Line, doors, parse
from oryn.language.argv import line_of_words, said
from oryn.language.json_reading import line_of
from oryn.records import Record

_OF_THE_DOOR = {"session": True, "backend": True, "json": False, "allow-private": False}
"""Options among the words of a command line that are not the command's: whether they take a value. (That research may
go into private networks is said by who types it, and no argument of a command that a model may write.)"""


class Meaning(Record):
    """What a request means: its envelope, whether it asks for JSON, and its line, or why it is none."""

    envelope: Command
    as_json: bool
    line: Line | LanguageError


def meaning_of_body(body: bytes) -> Meaning:
    """Raises `RequestError`."""
    return meaning_of(read_json(body))


def meaning_of(data: Any) -> Meaning:
    """Of a body as JSON data. Raises `RequestError`."""
    envelope, as_json = unfolded(read_command(data))
    return Meaning(envelope, as_json, line_or_error(envelope))


def line_or_error(envelope: Command) -> Line | LanguageError:
    try:
        return line_in(envelope)
    except LanguageError as error:
        return error


def unfolded(envelope: Command) -> tuple[Command, bool]:
    """The envelope with what its words say about it, and whether they ask for JSON. Raises `RequestError`."""
    if not any(word.startswith("-") for word in envelope.argv or ()):
        return envelope, False
    try:
        options = said(worded(envelope.argv or [""]), _OF_THE_DOOR).options
    except LanguageError:
        return envelope, False  # which it answers when it is read
    as_json = options.pop("json", None) is not None
    told: dict[str, Any] = {**envelope.model_dump(exclude_unset=True), **options}
    if told.pop("allow-private", None) is not None:
        told["settings"] = {**envelope.settings, "allow_private": True}
    return read_command(told) if options else envelope, as_json


def line_in(envelope: Command) -> Line:
    """Raises `LanguageError`."""
    if envelope.line is not None:
        line = parse(envelope.line)
    elif envelope.argv is not None:
        line = line_of_words(worded(envelope.argv), _OF_THE_DOOR)
    else:
        assert envelope.action is not None
        line = line_of(*command_meant(envelope.action, envelope.args), doors())
    return _timed(line, envelope.timeout_ms)


def action_of(envelope: Command, line: Line | None) -> str:
    """What is asked, by the name that it was asked by (`navigate`, `tab list`), for the answer and the history. All
    other words may be secrets: a name is one of the table's. Of what is no command, the verb that it would have had."""
    words = _first_words(envelope, line)
    named = next((name for name in (" ".join(words), words[0]) if name in aliases()), None)
    if line is not None and line.command is not None:
        spec = type(line.command).spec
        return named if named is not None and door_of(named) == spec.door else spec.door
    verb = doors().find(words[0]) if words[0] else None
    return verb.name if verb else "unknown"


def _first_words(envelope: Command, line: Line | None) -> list[str]:
    """The first two words of a command in lower case, without a session before them."""
    if envelope.action is not None:
        chosen = envelope.args.get("action", envelope.args.get("op"))
        words = [*envelope.action.split(), *([chosen] if isinstance(chosen, str) else [])]
    else:
        words = (envelope.line or "").split() or list(envelope.argv or [])
        if line is not None and line.session is not None:
            words = words[1:] if words[0].startswith("@") else words[2:]
    return [word.lower() for word in words[:2]] or [""]


def _timed(line: Line, timeout_ms: int | None) -> Line:
    """The line with the envelope's time limit, where it has none of its own."""
    command = line.command
    if timeout_ms is None or command is None or command.timeout is not None or "timeout" not in command.spec.options:
        return line
    return line.replace(command=command.replace(timeout=timeout_ms / 1000))
