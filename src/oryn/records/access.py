"""Tokens (docs/spec/records.md#tokens) and the rows of the audit log of all daemons (docs/spec/records.md#tables).
Functions of a transaction; a token's data is JSON, in the form of the file of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from oryn.records.schema import AUDIT, TOKENS, database_time
from oryn.records.statements import insert_for

if TYPE_CHECKING:
    from sqlalchemy import Connection

BY_HASH = "SELECT data FROM tokens WHERE hash = {}"
BY_NAME = "SELECT data FROM tokens WHERE name = {}"
"""Queries of `Database.lookup`: the data of one token."""


def all_tokens(connection: Connection) -> Sequence[str]:
    """The data of every token, by name."""
    return connection.execute(select(TOKENS.c.data).order_by(TOKENS.c.name)).scalars().all()


def put_token(connection: Connection, name: str, sha256: str, data: str, *, replace: bool = True) -> None:
    """Store a token in the place of one with its name; without `replace`, that one stays."""
    wanted = insert_for(connection, TOKENS).values(name=name, hash=sha256, data=data, revoked=False)
    changed = {each: wanted.excluded[each] for each in ("hash", "data")}
    connection.execute(
        wanted.on_conflict_do_update(index_elements=["name"], set_=changed)
        if replace
        else wanted.on_conflict_do_nothing()
    )


def revoke_token(connection: Connection, name: str) -> bool:
    """Remove a token; return whether there was one."""
    return bool(connection.execute(delete(TOKENS).where(TOKENS.c.name == name)).rowcount)


PAGE_ROWS = 500


def append_audit(connection: Connection, daemon: str, rows: Sequence[tuple[str, str]]) -> None:
    """Add rows, each with an identifier; one that is there already stays as it is."""
    now = connection.execute(select(database_time())).scalar_one()
    connection.execute(
        insert_for(connection, AUDIT).on_conflict_do_nothing(index_elements=["id"]),
        [{"id": identifier, "daemon": daemon, "recorded": now, "row": row} for identifier, row in rows],
    )


def audit_page(connection: Connection, before: int | None) -> Sequence[tuple[int, str]]:
    """At most `PAGE_ROWS` rows with their numbers, the newest first: those before the row with the number `before`."""
    wanted = select(AUDIT.c.sequence, AUDIT.c.row).order_by(AUDIT.c.sequence.desc()).limit(PAGE_ROWS)
    if before is not None:
        wanted = wanted.where(AUDIT.c.sequence < before)
    return [(row.sequence, row.row) for row in connection.execute(wanted)]
