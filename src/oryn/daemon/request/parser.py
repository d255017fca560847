"""Parses a command request in any of its three forms (line, command-line words, JSON action) into a line of the Intent
Language. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oryn.core.records import Record
from oryn.daemon.protocol import CommandEnvelope, read_command
from oryn.daemon.vocabulary import UNKNOWN_ACTION, aliases, canonical_action, translate_action, translate_words
from oryn.errors import LanguageError
from oryn.language import Line, api_vocabulary, parse
from oryn.language.argv import ParsedArgv, parse_argv_options
from oryn.language.json_codec import line_from_json

_RAW_FORMATS = ("json", "markdown", "csv", "text")
"""Formats whose results are files of their own."""

_OTHER_NAMES = {"tab new": "goto"}
"""The action that a client named, by the command that it became: `navigate` with `new_tab`."""

_ENVELOPE_OPTIONS = {
    "session": True,
    "backend": True,
    "json": False,
    "raw": False,
    "exit-code": False,
    "allow-private": False,
}
"""Options among the words of a command line that belong to the envelope, and whether they take a value.

`allow-private` is such an option so that only the user can let research into private networks. If it were an argument
of a command, a model could write it."""


class ParsedRequest(Record):
    """A parsed request: its envelope, and its line or the error. Of the words of a command line: whether the client
    wants JSON, the result alone (`--raw`), and the answer to a question as the exit code (`--exit-code`)."""

    envelope: CommandEnvelope
    as_json: bool
    line: Line | LanguageError
    as_raw: bool = False
    as_exit_code: bool = False

    @property
    def names_format(self) -> bool:
        """Whether the command names the format of its result, so that a pipe gets it alone."""
        command = self.line.command if isinstance(self.line, Line) else None
        return getattr(command, "format", None) in _RAW_FORMATS


def parse_request(data: Any) -> ParsedRequest:
    """Parse a body that is already JSON data. Raises `RequestError`."""
    envelope = read_command(data)
    if envelope.argv is None:
        return ParsedRequest(envelope, False, parse_line_or_error(envelope))
    words = _parse_words(envelope.argv)
    envelope, options = _with_options(envelope, words.options), words.options
    line = words.result if isinstance(words.result, LanguageError) else _with_timeout(words.result, envelope)
    return ParsedRequest(envelope, "json" in options, line, "raw" in options, "exit-code" in options)


def parse_line_or_error(envelope: CommandEnvelope) -> Line | LanguageError:
    """`parse_line`, but the error is returned, not raised."""
    try:
        return parse_line(envelope)
    except LanguageError as error:
        return error


def parse_line(envelope: CommandEnvelope) -> Line:
    """The line of an envelope, without the words that are options of the envelope. Raises `LanguageError`."""
    if envelope.line is not None:
        line: Line | LanguageError = parse(envelope.line)
    elif envelope.argv is not None:
        line = _parse_words(envelope.argv).result
    else:
        assert envelope.action is not None
        line = line_from_json(*translate_action(envelope.action, envelope.args), api_vocabulary())
    if isinstance(line, LanguageError):
        raise line
    return _with_timeout(line, envelope)


def _parse_words(words: Sequence[str]) -> ParsedArgv:
    return parse_argv_options(translate_words(words), _ENVELOPE_OPTIONS)


def _with_options(envelope: CommandEnvelope, options: Mapping[str, str]) -> CommandEnvelope:
    """Apply the options among the words to the envelope. Raises `RequestError`."""
    fields: dict[str, Any] = {name: value for name, value in options.items() if name in ("session", "backend")}
    if "allow-private" in options:
        fields["settings"] = {**envelope.settings, "allow_private": True}
    if fields:
        envelope = read_command({**envelope.model_dump(exclude_unset=True), **fields})
    return envelope


def action_name(envelope: CommandEnvelope, line: Line | None) -> str:
    """The action's name for the answer and the history, as the client wrote it (`navigate`, `tab list`).

    Only names of the command table are returned, as all other words may be secrets. For an invalid command it is the
    verb's name, or `unknown`."""
    words = _first_words(envelope, line)
    named = next((name for name in (" ".join(words), words[0]) if name in aliases()), None)
    if line is not None and line.command is not None:
        name = type(line.command).spec.api_name
        return named if named is not None and canonical_action(named) in (name, _OTHER_NAMES.get(name)) else name
    verb = api_vocabulary().find(words[0]) if words[0] else None
    return verb.name if verb else UNKNOWN_ACTION


def _first_words(envelope: CommandEnvelope, line: Line | None) -> list[str]:
    """The first two words of a command in lower case, without the session in front."""
    if envelope.action is not None:
        chosen = envelope.args.get("action", envelope.args.get("op"))
        words = [*envelope.action.split(), *([chosen] if isinstance(chosen, str) else [])]
    else:
        words = (envelope.line or "").split() or list(envelope.argv or [])
        if line is not None and line.session is not None:
            words = words[1:] if words[0].startswith("@") else words[2:]
    return [word.lower() for word in words[:2]] or [""]


def _with_timeout(line: Line, envelope: CommandEnvelope) -> Line:
    """The line with the envelope's timeout, if the command has no timeout itself."""
    command, timeout_ms = line.command, envelope.timeout_ms
    if timeout_ms is None or command is None or command.timeout is not None or "timeout" not in command.spec.options:
        return line
    return line.replace(command=command.replace(timeout=timeout_ms / 1000))
