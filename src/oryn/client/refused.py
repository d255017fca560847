"""What a daemon did not do, or would not, as an error: out of its refusal, or because no such verb is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.client.names import COMMANDS, SHORTCUTS
from oryn.error_codes import class_of
from oryn.errors import DaemonFailed, NotSupported, OrynError, UnknownCommand
from oryn.language import doors
from oryn.language.strings import shorten
from oryn.language.suggestions import did_you_mean
from oryn.modes import refuse

if TYPE_CHECKING:
    from oryn.client.exchange import Response


def refusal(response: Response, words: Sequence[str] = ()) -> OrynError:
    """The error of a response that is none to a command, or to no command."""
    if words and (error := unknown_verb(words)):
        return error
    try:
        failure = json.loads(response.body)
        kind, message, hint = failure["error_kind"], failure["error"], failure["hint"]
    except (ValueError, KeyError, TypeError):
        return DaemonFailed(
            f"what listens there is no daemon: it answered {response.status}", "See 'oryn daemon logs'."
        )
    kind_of_error = class_of(kind.upper())
    made = kind_of_error.__new__(kind_of_error)
    OrynError.__init__(made, message, hint)
    return made


def exit_code(kind: str | None) -> int:
    """The exit code of an `error_kind`; of none, 0."""
    return 0 if kind is None else class_of(kind.upper()).exit_code


def unknown_verb(words: Sequence[str]) -> OrynError | None:
    """The error for words that begin with no verb; None for those that do. `oryn embedded` would be the command of a
    mode that is to come."""
    verb = words[0].lower()
    try:
        refuse(verb)
    except NotSupported as error:
        return error
    if (
        verb.startswith("@")
        or verb == "session"
        or doors().find(verb)
        or tuple(map(str.lower, words[:2])) in _phrases()
    ):
        return None
    first = verb.split()[0] if verb.strip() else ""
    if first != verb and doors().find(first):
        return UnknownCommand(f"unknown command {shorten(words[0])}", f"oryn do {shorten(words[0])} runs a whole line")
    hint = did_you_mean(verb, [*doors().names, *COMMANDS, *SHORTCUTS]) or "oryn --help lists the commands"
    return UnknownCommand(f"unknown command {shorten(words[0])}", hint)


def _phrases() -> set[tuple[str, ...]]:
    return set(doors().phrases)
