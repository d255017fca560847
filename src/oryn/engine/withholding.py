"""An answer without the values of the vault: every part of it, before it is rendered, cut, kept or recorded. Pure.

What a page shows to people keeps words that a value happens to begin with (`beginnings`); what it logs, sends and
stores does not."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from oryn.engine.changes import Change

if TYPE_CHECKING:
    from oryn.engine.answer import Answer, Observation
    from oryn.engine.secrets import Secrets


SHOWING = frozenset({"Looking", "Acting", "Moving", "Intents", "Reading data", "Tabs, frames, dialogs", "Waiting"})
"""Families of commands whose answers say what a page shows."""


def withhold(answer: Answer, secrets: Secrets, *, shown: bool = False) -> None:
    """Put dots in the place of values wherever the answer has one. `shown`: its lines and its data are what a page
    shows."""
    text = partial(secrets.withheld, shown=shown)
    answer.command = text(answer.command)
    if (error := answer.error) is not None:
        error.message, error.hint = text(error.message), error.hint and text(error.hint)
        error.args = (error.message,)
    if answer.observation is not None:
        answer.observation = _observation(answer.observation, secrets)
    if answer.page is not None:
        url, title = answer.page
        answer.page = secrets.withheld(url), secrets.withheld(title, shown=True)
    answer.lines = [text(line) for line in answer.lines]
    answer.block = answer.block and text(answer.block)
    answer.notes = [text(note) for note in answer.notes]
    answer.changes = [_change(change, secrets) for change in answer.changes]
    answer.data = secrets.withheld_data(answer.data, shown=shown)


# In what follows numbers are those of elements, and places.


def _observation(seen: Observation, secrets: Secrets) -> Observation:
    return seen.replace(
        url=secrets.withheld(seen.url),
        title=secrets.withheld(seen.title, shown=True),
        elements=secrets.withheld_data(seen.elements, numbers=False, shown=True),
        patterns=secrets.withheld_data(seen.patterns, numbers=False, shown=True),
    )


def _change(change: Change, secrets: Secrets) -> Change:
    return Change(
        change.sign,
        secrets.withheld(change.text, shown=True),
        secrets.withheld_data(change.data, numbers=False, shown=True),
    )
