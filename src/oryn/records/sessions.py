"""Saved sessions (docs/spec/records.md#tables): their rows, their states, and those with limits. Functions of a
transaction.

A holder writes with the token of its lease. Without the lease nothing is written, so a daemon that was suspended can't
overwrite what another has saved since."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, exists, func, select

from oryn.core.records import Record
from oryn.records.schema import LEASES, LIMITS, SESSIONS, STATES, database_time
from oryn.records.statements import insert_for

if TYPE_CHECKING:
    from sqlalchemy import Connection


_OVERLAP = 64
"""Changes that are read again: of two transactions at once, the one with the lower version may be the later one."""


class SavedSession(Record):
    """A session as it is saved: its row in the form of `sessions.json`, its row in `limits.json`, and the bytes of its
    state file. None for what was not saved."""

    row: Mapping[str, Any] | None = None
    limits: Mapping[str, Any] | None = None
    state: bytes | None = None


def fetch(connection: Connection, name: str) -> SavedSession:
    """Read one session."""
    row = connection.execute(select(SESSIONS.c.data).where(SESSIONS.c.name == name)).scalar()
    limits = connection.execute(select(LIMITS.c.data).where(LIMITS.c.name == name)).scalar()
    state = connection.execute(select(STATES.c.content).where(STATES.c.name == name)).scalar()
    return SavedSession(None if row is None else json.loads(row), None if limits is None else json.loads(limits), state)


def store(connection: Connection, name: str, token: str, saved: SavedSession, *, with_state: bool) -> bool:
    """Replace a session; `with_state` its state too. A session without a row and limits is removed.

    Returns False, and changes nothing, if the lease with this token does not hold."""
    if not connection.execute(
        select(exists().where(LEASES.c.name == name, LEASES.c.token == token, LEASES.c.expires >= database_time()))
    ).scalar():
        return False
    _put(connection, SESSIONS, name, saved.row)
    _put(connection, LIMITS, name, saved.limits)
    if saved.row is None or (with_state and saved.state is None):
        connection.execute(delete(STATES).where(STATES.c.name == name))
    elif with_state:
        wanted = insert_for(connection, STATES).values(name=name, content=saved.state, saved=database_time())
        connection.execute(
            wanted.on_conflict_do_update(
                index_elements=["name"], set_={each: wanted.excluded[each] for each in ("content", "saved")}
            )
        )
    return True


def _put(connection: Connection, table: Any, name: str, data: Mapping[str, Any] | None) -> None:
    if data is None:
        connection.execute(delete(table).where(table.c.name == name))
        return
    values: dict[str, Any] = {"name": name, "data": json.dumps(data, default=str)}
    changed = {"data": values["data"]}
    if table is SESSIONS:
        next_version = select(func.coalesce(func.max(SESSIONS.c.version), 0) + 1).scalar_subquery()
        values["version"], changed["version"] = next_version, next_version
    connection.execute(
        insert_for(connection, table).values(**values).on_conflict_do_update(index_elements=["name"], set_=changed)
    )


class SessionList(Record):
    """All saved sessions: the names, and the rows that have changed since `version` of an earlier list."""

    names: frozenset[str]
    limited: Mapping[str, Mapping[str, Any]]
    changed: Mapping[str, Mapping[str, Any]]
    version: int


def changes(connection: Connection, version: int) -> SessionList:
    """The list of sessions, with what has changed since `version`; 0 for everything."""
    rows = connection.execute(
        select(SESSIONS.c.name, SESSIONS.c.data, SESSIONS.c.version).where(SESSIONS.c.version > version - _OVERLAP)
    ).all()
    return SessionList(
        frozenset(connection.execute(select(SESSIONS.c.name)).scalars()),
        {row.name: json.loads(row.data) for row in connection.execute(select(LIMITS))},
        {row.name: json.loads(row.data) for row in rows},
        max((row.version for row in rows), default=version),
    )
