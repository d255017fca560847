"""Leases: the right of one daemon to run a session (docs/spec/records.md#leases). Functions of a transaction; all times
are the database's.

A lease has a token, which each holder gets anew. What a former holder still writes has the old token and changes
nothing."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, or_, select, update

from oryn.core.records import Record
from oryn.records.schema import DAEMONS, LEASES, database_time
from oryn.records.statements import insert_for

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

HEARTBEAT_SECONDS = 1.0
"""Seconds from heartbeat to heartbeat. One is sent whether those before it are answered or not."""
HEARTBEAT_LIMIT = 2
"""Seconds after which the database gives a heartbeat up, and what it has locked for those after it."""
LEASE_SECONDS = 3.0 * HEARTBEAT_LIMIT
"""Seconds without a heartbeat after which a daemon's sessions are anyone's: one that is slow and one that is lost cost
nothing."""
MARGIN_SECONDS = 1.0
"""Seconds before this at which a daemon stops using its leases."""
VALID_SECONDS = LEASE_SECONDS - MARGIN_SECONDS
"""Seconds for which a daemon uses its leases, from the moment on at which it sent the heartbeat that was answered."""


class Lease(Record):
    """Who may run a session: `holder` is a daemon's name, `address` where it is, empty if it has no row any more."""

    name: str
    holder: str
    instance: str
    token: str
    address: str = ""


def acquire(connection: Connection, name: str, holder: str, instance: str) -> Lease:
    """Take the lease of a session if it is free, expired or this instance's already; return the lease as it is then.

    Its token is a new one each time, so that an earlier lease of the same instance can't be renewed or given back by a
    statement that comes late."""
    wanted = insert_for(connection, LEASES).values(
        name=name,
        holder=holder,
        instance=instance,
        token=secrets.token_hex(16),
        expires=database_time() + LEASE_SECONDS,
    )
    taken = wanted.on_conflict_do_update(
        index_elements=["name"],
        set_={each: wanted.excluded[each] for each in ("holder", "instance", "token", "expires")},
        where=or_(LEASES.c.expires < database_time(), LEASES.c.instance == instance),
    )
    while True:
        connection.execute(taken)
        found = connection.execute(_leases().where(LEASES.c.name == name)).first()
        if found is not None:  # else its holder has given it back in between
            return _lease(found)


def renew(connection: Connection, tokens: Collection[str]) -> Collection[str]:
    """Prolong the leases with these tokens. Returns the tokens of those that still exist: what is missing is lost."""
    prolonged = update(LEASES).where(LEASES.c.token.in_(tokens)).values(expires=database_time() + LEASE_SECONDS)
    connection.execute(prolonged)
    return existing(connection, tokens)


def existing(connection: Connection, tokens: Collection[str]) -> Collection[str]:
    """Those of these tokens whose leases nobody has taken since, also if they have expired."""
    return set(connection.execute(select(LEASES.c.token).where(LEASES.c.token.in_(tokens))).scalars())


def held(connection: Connection) -> Mapping[str, Lease]:
    """The leases that have not expired, by the sessions' names."""
    rows = connection.execute(_leases().where(LEASES.c.expires >= database_time()))
    return {row.name: _lease(row) for row in rows}


def release(connection: Connection, tokens: Collection[str]) -> None:
    """Give leases back, by their tokens."""
    connection.execute(delete(LEASES).where(LEASES.c.token.in_(tokens)))


def _leases() -> Select[Any]:
    return select(LEASES, DAEMONS.c.address).outerjoin(DAEMONS, DAEMONS.c.instance == LEASES.c.instance)


def _lease(row: Any) -> Lease:
    return Lease(row.name, row.holder, row.instance, row.token, row.address or "")
