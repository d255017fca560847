"""`oryn help`, `oryn help click` and `oryn click --help`: the table says it, and no daemon is needed."""

from __future__ import annotations

from collections.abc import Sequence

from oryn.language import doors
from oryn.language.help import help_text

_ALSO = (
    "options of every command: --session <name>, --json; before it also --backend <name> and the settings of the "
    "session (oryn --help)"
)


def explanation(words: Sequence[str]) -> str | None:
    """What a verb, or a verb and its sub-command, is for; without one, the list of all. None for words of a command
    with arguments (`type 3 --help` types)."""
    if not words:
        return help_text(None, doors())
    verb = doors().find(words[0].lower())
    if verb is None or len(words) > 2 or (len(words) == 2 and words[1].lower() not in verb.chosen):
        return None
    return f"{help_text(' '.join(words), doors())}\n\n{_ALSO}"
