"""Leases: the right of one daemon to run a session (docs/spec/records.md#leases). Functions of a transaction; all times
are the database's.

A lease has a token, which each holder gets anew. What a former holder still writes has the old token and changes
nothing."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlalchemy import delete, select, update

from oryn.core.records import Record
from oryn.records.schema import DAEMONS, LEASES, database_time
from oryn.records.statements import insert_for

if TYPE_CHECKING:
    from sqlalchemy import Connection

LEASE_SECONDS = 5.0
"""Seconds without a heartbeat after which a daemon's sessions are anyone's."""


class Lease(Record):
    """Who may run a session: `holder` is a daemon's name, `address` where it is, empty if it has no row any more."""

    name: str
    holder: str
    instance: str
    token: str
    address: str = ""


def acquire(connection: Connection, name: str, holder: str, instance: str) -> Lease:
    """Take the lease of a session if it is free, expired or this instance's already; return the lease as it is then."""
    wanted = insert_for(connection, LEASES).values(
        name=name,
        holder=holder,
        instance=instance,
        token=secrets.token_hex(16),
        expires=database_time() + LEASE_SECONDS,
    )
    connection.execute(
        wanted.on_conflict_do_update(
            index_elements=["name"],
            set_={each: wanted.excluded[each] for each in ("holder", "instance", "token", "expires")},
            where=LEASES.c.expires < database_time(),
        )
    )
    return held(connection)[name]


def renew(connection: Connection, instance: str) -> Mapping[str, str]:
    """Prolong all leases of an instance. Returns their tokens by the sessions' names: what is missing is lost."""
    connection.execute(
        update(LEASES).where(LEASES.c.instance == instance).values(expires=database_time() + LEASE_SECONDS)
    )
    rows = connection.execute(select(LEASES.c.name, LEASES.c.token).where(LEASES.c.instance == instance))
    return {row.name: row.token for row in rows}


def held(connection: Connection) -> Mapping[str, Lease]:
    """The leases that have not expired, by the sessions' names."""
    rows = connection.execute(
        select(LEASES, DAEMONS.c.address)
        .outerjoin(DAEMONS, DAEMONS.c.instance == LEASES.c.instance)
        .where(LEASES.c.expires >= database_time())
    )
    return {row.name: Lease(row.name, row.holder, row.instance, row.token, row.address or "") for row in rows}


def release(connection: Connection, name: str, instance: str) -> None:
    """Give a session's lease back; one that is another's by now stays."""
    connection.execute(delete(LEASES).where(LEASES.c.name == name, LEASES.c.instance == instance))
