"""From an envelope to the line that it means, whichever of the three ways it is said in. Pure."""

from __future__ import annotations

from typing import Any

from oryn.daemon.protocol import Command, read_command
from oryn.daemon.vocabulary import meaning_of
from oryn.errors import LanguageError
from oryn.language import Line, doors, parse
from oryn.language.argv import line_of_words, said
from oryn.language.json_reading import line_of

_OF_THE_DOOR = {"session": True, "backend": True, "json": False, "allow-private": False}
"""Options among the words of a command line that are not the command's: whether they take a value. (That research may
go into private networks is said by who types it, and no argument of a command that a model may write.)"""


def unfolded(envelope: Command) -> tuple[Command, bool]:
    """The envelope with what its words say about it, and whether they ask for JSON. Raises `RequestError`."""
    if not any(word.startswith("-") for word in envelope.argv or ()):
        return envelope, False
    try:
        options = said(envelope.argv or (), _OF_THE_DOOR).options
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
        line = line_of_words(envelope.argv, _OF_THE_DOOR)
    else:
        assert envelope.action is not None
        line = line_of(*meaning_of(envelope.action, envelope.args), doors())
    return _timed(line, envelope.timeout_ms)


def action_of(envelope: Command, line: Line | None) -> str:
    """The name at doors of what is asked, for the history; of what is no command, the verb it would have had."""
    if line is not None and line.command is not None:
        return type(line.command).spec.door
    words = (envelope.line or "").split() or envelope.argv or [envelope.action or ""]
    verb = doors().find(words[0].lower()) if words[0] else None
    return verb.name if verb else "unknown"


def _timed(line: Line, timeout_ms: int | None) -> Line:
    """The line with the envelope's time limit, where it has none of its own."""
    command = line.command
    if timeout_ms is None or command is None or command.timeout is not None or "timeout" not in command.spec.options:
        return line
    return line.replace(command=command.replace(timeout=timeout_ms / 1000))
