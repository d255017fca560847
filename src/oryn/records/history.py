"""Rows of the history (docs/spec/records.md#tables). Functions of a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import select

from oryn.core.records import Record
from oryn.records.schema import HISTORY, database_time
from oryn.records.statements import insert_for

if TYPE_CHECKING:
    from sqlalchemy import Connection

PAGE_ROWS = 500


class HistoryEntry(Record):
    """A row: its identifier, its session, and the line of `actions.jsonl` without its end."""

    action_id: str
    session: str
    line: str


def append(connection: Connection, daemon: str, entries: Sequence[HistoryEntry]) -> None:
    """Add rows; those that are there already stay as they are, so that a repeat after a lost answer does no harm."""
    now = connection.execute(select(database_time())).scalar_one()
    connection.execute(
        insert_for(connection, HISTORY).on_conflict_do_nothing(index_elements=["action_id"]),
        [
            {
                "action_id": each.action_id,
                "session": each.session,
                "daemon": daemon,
                "recorded": now,
                "row": each.line,
            }
            for each in entries
        ],
    )


def page(connection: Connection, before: int | None) -> Sequence[tuple[int, str]]:
    """At most `PAGE_ROWS` rows with their numbers, the newest first: those before the row with the number `before`."""
    wanted = select(HISTORY.c.sequence, HISTORY.c.row).order_by(HISTORY.c.sequence.desc()).limit(PAGE_ROWS)
    if before is not None:
        wanted = wanted.where(HISTORY.c.sequence < before)
    return [(row.sequence, row.row) for row in connection.execute(wanted)]


def find(connection: Connection, action_id: str) -> str | None:
    """The row with this identifier; None if there is none."""
    found: str | None = connection.execute(select(HISTORY.c.row).where(HISTORY.c.action_id == action_id)).scalar()
    return found
