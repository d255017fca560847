"""Errors and help of the command line that need no daemon: rejected responses, unknown verbs, `oryn help click`."""

from __future__ import annotations

from collections.abc import Sequence

from oryn.cli.fast.commands import COMMANDS, SHORTCUTS
from oryn.core.suggestions import did_you_mean
from oryn.errors import OrynError, UnknownCommand, error_class_of
from oryn.language import api_vocabulary
from oryn.language.help import TARGETS_HELP, help_text
from oryn.language.lexer import shorten


def exit_code(kind: str | None) -> int:
    """The exit code of an `error_kind`; 0 for None."""
    return 0 if kind is None else error_class_of(kind.upper()).exit_code


def require_verb(words: Sequence[str]) -> None:
    """Check that words begin with a verb. Raises `UnknownCommand`."""
    if error := unknown_verb(words):
        raise error


def unknown_verb(words: Sequence[str]) -> OrynError | None:
    """The error for words that do not begin with a verb, else None."""
    verb = words[0].lower()
    if (
        verb.startswith("@")
        or verb == "session"
        or api_vocabulary().find(verb)
        or tuple(map(str.lower, words[:2])) in api_vocabulary().phrases
    ):
        return None
    first = verb.split()[0] if verb.strip() else ""
    if first != verb and api_vocabulary().find(first):
        return UnknownCommand(f"unknown command {shorten(words[0])}", f"oryn do {shorten(words[0])} runs a whole line")
    hint = did_you_mean(verb, [*api_vocabulary().names, *COMMANDS, *SHORTCUTS]) or "oryn --help lists the commands"
    return UnknownCommand(f"unknown command {shorten(words[0])}", hint)


_COMMON_OPTIONS = (
    "options of every command: --session <name>, --json, --raw (the result alone), --exit-code (1 if the answer is "
    "no); before it also --backend <name> and the settings of the session (oryn help settings)"
)


def help_for(words: Sequence[str]) -> str:
    """The text of `oryn help …`. Raises `UnknownCommand`."""
    if list(words) == ["settings"]:
        from oryn.cli.flags import settings_text

        return settings_text()
    if list(words) == ["targets"]:
        return TARGETS_HELP
    if (text := explanation(words)) is not None:
        return text
    raise unknown_verb(words) or UnknownCommand(f"{words[0]} has no {shorten(words[1])}", f"'oryn help {words[0]}'")


def explanation(words: Sequence[str]) -> str | None:
    """The help for a verb, or for a verb and its sub-command; without words, the list of all verbs.

    None for words of a command with arguments: `type 3 --help` types."""
    if not words:
        return help_text(None, api_vocabulary())
    phrase = tuple(word.lower() for word in words[:2])
    if phrase in api_vocabulary().phrases:  # `go to`
        words = [api_vocabulary().phrases[phrase], *words[2:]]
    verb = api_vocabulary().find(words[0].lower())
    if verb is None or len(words) > 2 or (len(words) == 2 and words[1].lower() not in verb.chosen):
        return None
    return f"{help_text(' '.join(words), api_vocabulary())}\n\n{_COMMON_OPTIONS}"
