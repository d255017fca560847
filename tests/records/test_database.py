"""Migrations, clock and errors of the database with the records (docs/spec/records.md#database)."""

from __future__ import annotations

import stat
import threading
import time
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from oryn.errors import ConfigurationError, RecordsUnavailable
from oryn.records.database import Database
from oryn.records.schema import METADATA, SECRETS, database_time
from scripts.fleet.postgresql import PostgresServer
from scripts.ports import free_port


def test_the_migrations_make_the_tables_that_the_code_uses(database: Database) -> None:
    found = database.run_blocking(lambda connection: compare_metadata(MigrationContext.configure(connection), METADATA))
    assert found == []


def test_several_daemons_may_migrate_at_once(records_url: str) -> None:
    databases = [Database(records_url) for _ in range(4)]
    failed: list[Exception] = []

    def open_it(database: Database) -> None:
        try:
            database.open()
        except Exception as error:  # noqa: BLE001 - the test shows it
            failed.append(error)

    threads = [threading.Thread(target=open_it, args=(each,)) for each in databases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    for each in databases:
        assert each.run_blocking(lambda connection: connection.execute(select(SECRETS)).all()) == []
        each.close()


def test_records_of_a_newer_version_are_refused_and_left_alone(database: Database, records_url: str) -> None:
    database.run_blocking(
        lambda connection: connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    )
    later = Database(records_url)
    with pytest.raises(ConfigurationError, match=r"newer version of Oryn.*9999"):
        later.open()
    later.close()
    version = database.run_blocking(
        lambda connection: connection.execute(text("SELECT * FROM alembic_version")).scalar()
    )
    assert version == "9999"


async def test_the_clock_is_the_databases(database: Database) -> None:
    before = time.time()
    found = await database.run(lambda connection: connection.execute(select(database_time())).scalar_one())
    assert abs(found - before) < 5


async def test_a_transaction_that_fails_changes_nothing(database: Database) -> None:
    def twice(connection: object) -> None:
        for _ in range(2):
            connection.execute(SECRETS.insert().values(name="a", value="b"))  # type: ignore[attr-defined]

    with pytest.raises(IntegrityError):
        await database.run(twice)
    assert await database.run(lambda connection: connection.execute(select(SECRETS)).all()) == []


@pytest.mark.parametrize("database", ["nothing", "closed"])
def test_a_database_that_is_away_at_the_start(database: str) -> None:
    host = "127.0.0.1" if database == "closed" else "nowhere.invalid"
    away = Database(f"postgresql://user:hidden@{host}:{free_port()}/oryn")
    with pytest.raises(RecordsUnavailable) as failed:
        away.open()
    assert f"{host}" in failed.value.message and "hidden" not in failed.value.message
    away.close()


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    away = Database(f"sqlite:///{tmp_path}/file/records.sqlite")
    with pytest.raises(RecordsUnavailable, match="Not a directory"):
        away.open()
    away.close()


def test_a_file_of_sqlite_is_the_owners_alone(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/records.sqlite")
    database.open()
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.glob("records.sqlite*")} == {0o600}
    database.close()


@pytest.mark.postgresql
def test_connections_are_made_again_after_a_restart(own_postgresql: PostgresServer) -> None:
    database = Database(own_postgresql.url)
    database.open()
    own_postgresql.restart()
    assert database.run_blocking(lambda connection: connection.execute(select(SECRETS)).all()) == []
    own_postgresql.kill()
    own_postgresql.start()
    assert database.run_blocking(lambda connection: connection.execute(select(SECRETS)).all()) == []
    database.close()


@pytest.mark.postgresql
def test_a_database_that_takes_no_writes_says_so(own_postgresql: PostgresServer) -> None:
    database = Database(own_postgresql.url)
    database.open()
    own_postgresql.set("default_transaction_read_only", "on")
    with pytest.raises(RecordsUnavailable, match="read-only transaction"):
        database.run_blocking(lambda connection: connection.execute(SECRETS.insert().values(name="a", value="b")))
    database.close()
