"""Rows of the daemons with the same records (docs/spec/records.md#daemons). Functions of a transaction; all times are
the database's."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update

from oryn.core.records import Record
from oryn.errors import ConfigurationError
from oryn.records.leases import LEASE_SECONDS
from oryn.records.schema import DAEMONS, LEASES, SECRETS, database_time

if TYPE_CHECKING:
    from sqlalchemy import Connection

RELAY_KEY = "relay"
"""The secret by which daemons know each other's requests."""


class DaemonRow(Record):
    """A daemon of the records. `age` is the time since its last heartbeat in seconds, `status` what it says of
    itself."""

    name: str
    instance: str
    address: str
    version: str
    pid: int
    started: float
    age: float
    status: Mapping[str, Any]

    @property
    def is_alive(self) -> bool:
        return self.age < LEASE_SECONDS


def daemons(connection: Connection) -> Sequence[DaemonRow]:
    """Every daemon, also dead ones that have not come back, by name."""
    now = connection.execute(select(database_time())).scalar_one()
    return [
        DaemonRow(
            row.name,
            row.instance,
            row.address,
            row.version,
            row.pid,
            row.started,
            now - row.heartbeat,
            json.loads(row.status),
        )
        for row in connection.execute(select(DAEMONS).order_by(DAEMONS.c.name))
    ]


def register(
    connection: Connection, *, name: str, instance: str, folder: str, address: str, version: str, pid: int
) -> None:
    """Add this start of a daemon, in the place of an earlier one that is dead, or that had the same data folder, whose
    lock this process has now. The earlier one's leases end.

    Raises `ConfigurationError` if a daemon of this name is alive elsewhere."""
    found = connection.execute(select(DAEMONS).where(DAEMONS.c.name == name).with_for_update()).first()
    if found is not None:
        now = connection.execute(select(database_time())).scalar_one()
        if found.folder != folder and now - found.heartbeat < LEASE_SECONDS:
            raise ConfigurationError(
                f"a daemon {name} with the same records runs already, at {found.address}",
                "Give this one another name: --daemon-name.",
            )
        connection.execute(delete(DAEMONS).where(DAEMONS.c.name == name))
        connection.execute(delete(LEASES).where(LEASES.c.instance == found.instance))
    connection.execute(
        insert(DAEMONS).values(
            name=name,
            instance=instance,
            folder=folder,
            address=address,
            version=version,
            pid=pid,
            started=database_time(),
            heartbeat=database_time(),
            status="{}",
        )
    )


def beat(connection: Connection, instance: str, status: Mapping[str, Any]) -> bool:
    """Write a heartbeat. Returns False if the row is gone: another start of the daemon has taken its name."""
    done = connection.execute(
        update(DAEMONS)
        .where(DAEMONS.c.instance == instance)
        .values(heartbeat=database_time(), status=json.dumps(status))
    )
    return bool(done.rowcount)


def unregister(connection: Connection, instance: str) -> None:
    """Remove a daemon that ends, and its leases."""
    connection.execute(delete(LEASES).where(LEASES.c.instance == instance))
    connection.execute(delete(DAEMONS).where(DAEMONS.c.instance == instance))


def relay_key(connection: Connection) -> str:
    """The key of requests from daemon to daemon, which the first daemon makes."""
    from oryn.records.statements import insert_for

    connection.execute(
        insert_for(connection, SECRETS)
        .values(name=RELAY_KEY, value=secrets.token_urlsafe(32))
        .on_conflict_do_nothing(index_elements=["name"])
    )
    return str(connection.execute(select(SECRETS.c.value).where(SECRETS.c.name == RELAY_KEY)).scalar_one())
