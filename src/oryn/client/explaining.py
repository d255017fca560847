"""`oryn help`, `oryn help click` and `oryn click --help`: the table says it, and no daemon is needed."""

from __future__ import annotations

from collections.abc import Sequence

from oryn.client.refused import unknown_verb
from oryn.errors import UnknownCommand
from oryn.language import doors
from oryn.language.help import help_text
from oryn.language.strings import shorten

_ALSO = (
    "options of every command: --session <name>, --json; before it also --backend <name> and the settings of the "
    "session (oryn --help)"
)


def helped(words: Sequence[str]) -> str:
    """What `oryn help …` says. Raises `UnknownCommand`."""
    if (text := explanation(words)) is not None:
        return text
    raise unknown_verb(words) or UnknownCommand(f"{words[0]} has no {shorten(words[1])}", f"'oryn help {words[0]}'")


def explanation(words: Sequence[str]) -> str | None:
    """What a verb, or a verb and its sub-command, is for; without one, the list of all. None for words of a command
    with arguments (`type 3 --help` types)."""
    if not words:
        return help_text(None, doors())
    phrase = tuple(word.lower() for word in words[:2])
    if phrase in doors().phrases:  # `go to`
        words = [doors().phrases[phrase], *words[2:]]
    verb = doors().find(words[0].lower())
    if verb is None or len(words) > 2 or (len(words) == 2 and words[1].lower() not in verb.chosen):
        return None
    return f"{help_text(' '.join(words), doors())}\n\n{_ALSO}"
