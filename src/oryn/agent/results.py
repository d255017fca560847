"""`<command_result>`: what a command has answered that no snapshot shows (a page's text, a dialog, a note). Pure."""

from __future__ import annotations

from oryn.agent.context import Shown
from oryn.agent.markup import attribute, block
from oryn.engine.answer import Answer
from oryn.engine.changes import Change
from oryn.engine.text import observed

LIMIT = 8_000
"""Characters of a result."""

_IN_SNAPSHOTS = frozenset({"appeared", "gone", "changed", "url", "title", "page"})


def _events(answer: Answer) -> list[Change]:
    return [change for change in answer.changes if change.data["change"] not in _IN_SNAPSHOTS]


def events(answer: Answer) -> bool:
    """Whether something has happened besides changes of elements: a dialog, a tab, a download, another page."""
    return bool(_events(answer)) or any(change.data["change"] in ("page", "url") for change in answer.changes)


def result(answer: Answer, action: str, shown: Shown) -> str:
    """The block, or nothing where there is nothing to tell. Every line of it begins with `| `: it is data."""
    parts = [observed(answer.observation)] if answer.observation is not None else []
    parts += answer.lines
    if answer.block is not None:
        parts.append(answer.block)
    parts += [f"note: {note}" for note in answer.notes]
    parts += [change.render() for change in _events(answer)]
    said = "\n".join(parts)
    if not said:
        return ""
    told = block(shown.words(said)[:LIMIT])
    if len(said) > LIMIT:
        told += f"\n| … {len(said) - LIMIT} more characters"
    return f"<command_result{attribute('action', action, 60)}>\n{told}\n</command_result>"
