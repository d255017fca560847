"""Rows of the audit log of all daemons (docs/spec/records.md#tables). Functions of a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import select

from oryn.records.schema import AUDIT, database_time
from oryn.records.statements import insert_for

if TYPE_CHECKING:
    from sqlalchemy import Connection

PAGE_ROWS = 500


def append(connection: Connection, daemon: str, rows: Sequence[tuple[str, str]]) -> None:
    """Add rows, each with an identifier; one that is there already stays as it is."""
    now = connection.execute(select(database_time())).scalar_one()
    connection.execute(
        insert_for(connection, AUDIT).on_conflict_do_nothing(index_elements=["id"]),
        [{"id": identifier, "daemon": daemon, "recorded": now, "row": row} for identifier, row in rows],
    )


def page(connection: Connection, before: int | None) -> Sequence[tuple[int, str]]:
    """At most `PAGE_ROWS` rows with their numbers, the newest first: those before the row with the number `before`."""
    wanted = select(AUDIT.c.sequence, AUDIT.c.row).order_by(AUDIT.c.sequence.desc()).limit(PAGE_ROWS)
    if before is not None:
        wanted = wanted.where(AUDIT.c.sequence < before)
    return [(row.sequence, row.row) for row in connection.execute(wanted)]
