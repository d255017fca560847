"""Leases in the database: who has one, and what comes late (docs/spec/records.md#leases)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import select, update

from oryn.records import leases
from oryn.records.database import Database
from oryn.records.leases import Lease
from oryn.records.schema import LEASES, database_time


def take(database: Database, instance: str) -> Lease:
    return database.run_blocking(lambda connection: leases.acquire(connection, "work", instance, instance))


def held(database: Database) -> dict[str, str]:
    """The tokens of the leases that have not expired."""
    return {name: each.token for name, each in database.run_blocking(leases.held).items()}


def expire(database: Database) -> None:
    database.run_blocking(lambda connection: connection.execute(update(LEASES).values(expires=database_time() - 1)))


def call(database: Database, work: Callable[..., Any], token: str) -> Any:
    return database.run_blocking(lambda connection: work(connection, [token]))


def test_one_daemon_has_a_lease_until_it_gives_it_back(database: Database) -> None:
    first = take(database, "one")
    assert take(database, "two") == first
    call(database, leases.release, first.token)
    assert take(database, "two").holder == "two"


def test_a_lease_that_has_expired_is_anyones_but_still_its_holders_until_another_takes_it(database: Database) -> None:
    first = take(database, "one")
    expire(database)
    assert call(database, leases.renew, first.token) == {first.token}
    assert held(database) == {"work": first.token}
    expire(database)
    second = take(database, "two")
    assert second.holder == "two"
    assert call(database, leases.renew, first.token) == set()
    assert held(database) == {"work": second.token}


def test_a_heartbeat_that_comes_late_does_not_prolong_a_lease_that_was_given_back(database: Database) -> None:
    first = take(database, "one")
    call(database, leases.release, first.token)
    call(database, leases.renew, first.token)
    assert held(database) == {}


def test_an_end_that_comes_late_does_not_end_the_next_lease_of_the_same_daemon(database: Database) -> None:
    first = take(database, "one")
    second = take(database, "one")
    assert first.token != second.token
    call(database, leases.release, first.token)
    assert call(database, leases.renew, second.token) == {second.token}


def test_leases_that_nobody_renews_end(database: Database) -> None:
    """Such as one that was taken when nobody waited for it any more."""
    take(database, "one")
    database.run_blocking(lambda connection: connection.execute(update(LEASES).values(expires=database_time() + 1)))
    call(database, leases.renew, "another's")
    left = select(LEASES.c.expires - database_time())
    assert database.run_blocking(lambda connection: connection.execute(left).scalar_one()) <= 1
