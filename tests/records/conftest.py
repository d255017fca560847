"""Databases for the records: SQLite in every run, PostgreSQL in the layer `all`, for the same tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.records.database import Database
from scripts.fleet.postgresql import PostgresServer, find_programs

DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresServer]:
    """A server for all tests of the run; each has a database of its own in it."""
    if find_programs() is None:
        pytest.skip("needs PostgreSQL")
    with PostgresServer(fsync="off") as server:
        yield server


@pytest.fixture
def own_postgresql() -> Iterator[PostgresServer]:
    """A server that the test may stop and kill."""
    if find_programs() is None:
        pytest.skip("needs PostgreSQL")
    with PostgresServer(fsync="off") as server:
        yield server


@pytest.fixture(params=DATABASES)
def records_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'records.sqlite'}"
    server: PostgresServer = request.getfixturevalue("postgresql_server")
    return server.create_database(f"test_{next(_numbers)}")


@pytest.fixture
def database(records_url: str) -> Iterator[Database]:
    """An open database with its tables."""
    database = Database(records_url)
    database.open()
    yield database
    database.close()
