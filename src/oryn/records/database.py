"""`Database`: the connection to the records (docs/spec/records.md#database). Statements run in threads, so the event
loop never waits for the database; what a driver raises becomes `RecordsUnavailable` here alone.

PostgreSQL by psycopg, SQLite for several daemons of one machine, both by SQLAlchemy."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, PoolProxiedConnection, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from oryn.errors import ConfigurationError, RecordsUnavailable
from oryn.records.schema import REVISION

log = logging.getLogger(__name__)

THREADS = 4
"""How many statements run at once."""
CONNECT_SECONDS = 3
STATEMENT_SECONDS = 4
"""Limits after which a database that does not answer counts as away."""
MIGRATION_SECONDS = 60
"""How long a daemon waits for another one that migrates."""
_POSTGRESQL_LIMITS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
"""The last one ends transactions whose daemon is gone or stopped: others wait for what they have locked."""
_MIGRATION_LOCK = 0x4F52594E
"""The key of the advisory lock, `ORYN` in ASCII."""

Result = TypeVar("Result")


class Database:
    """The database at `url`. Creating it opens no connection; `open` does. A statement may take `limit` seconds."""

    def __init__(self, url: str, limit: int = STATEMENT_SECONDS) -> None:
        self.url = _driver_url(url)
        self.place = self.url.set(drivername=self.url.get_backend_name()).render_as_string(hide_password=True)
        """The URL for messages, without the password."""
        self.is_postgresql = self.url.get_backend_name() == "postgresql"
        self._threads = ThreadPoolExecutor(THREADS, "records")
        self._lookups = ThreadPoolExecutor(1, "records-lookup")
        self._lookup_connection: PoolProxiedConnection | None = None
        if self.is_postgresql:
            self._engine = create_engine(
                self.url,
                pool_size=THREADS + 1,  # one for lookups
                max_overflow=0,
                pool_timeout=limit,
                pool_pre_ping=True,
                hide_parameters=True,
                connect_args=_postgresql_arguments(limit),
            )
        else:
            self._engine = create_engine(self.url, hide_parameters=True, connect_args={"timeout": limit})
            event.listen(self._engine, "connect", _on_sqlite_connected)
            event.listen(self._engine, "begin", _on_sqlite_begun)

    def with_limit(self, seconds: int) -> Database:
        """The same database, open already, by threads and connections of its own with another limit."""
        return Database(self.url.render_as_string(hide_password=False), seconds)

    def open(self) -> None:
        """Connect, and bring the tables up to date; blocks. Raises `RecordsUnavailable`; `ConfigurationError` if a
        newer Oryn has written them."""
        if not self.is_postgresql:
            _create_file(Path(self.url.database or ""))
        with self._errors_mapped(), self._engine.begin() as connection:
            if _revision(connection) == REVISION:
                return
            if self.is_postgresql:
                for name in _POSTGRESQL_LIMITS:
                    connection.execute(text(f"SET LOCAL {name} = '{MIGRATION_SECONDS}s'"))
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            self._migrate(connection)

    def _migrate(self, connection: Connection) -> None:
        found = _revision(connection)  # another daemon may have migrated meanwhile
        if found == REVISION:
            return
        from alembic import command
        from alembic.config import Config
        from alembic.script import ScriptDirectory

        config = Config()
        config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
        revisions = {each.revision for each in ScriptDirectory.from_config(config).walk_revisions()}
        if found is not None and found not in revisions:
            raise ConfigurationError(
                f"a newer version of Oryn has written the records in {self.place} (revision {found}; this one has "
                f"{REVISION})",
                "Use that version, or another database.",
            )
        log.info("migrating the records in %s from revision %s to %s", self.place, found, REVISION)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

    async def run(self, work: Callable[[Connection], Result]) -> Result:
        """Run `work` in a transaction, in a thread. It is committed when this returns. Raises `RecordsUnavailable`;
        what else `work` raises."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.run_blocking, work)

    def run_blocking(self, work: Callable[[Connection], Result]) -> Result:
        """As `run`, in this thread, which waits for the database."""
        with self._errors_mapped(), self._engine.begin() as connection:
            return work(connection)

    async def lookup(self, sql: str, value: str) -> Any:
        """The first value that a query finds for its one parameter, `{}`; None if it finds nothing. For what each
        request asks: it has a connection and a thread of its own, and no transaction. Raises `RecordsUnavailable`."""
        return await asyncio.get_running_loop().run_in_executor(self._lookups, self._lookup, sql, value)

    def _lookup(self, sql: str, value: str) -> Any:
        errors = self._engine.dialect.dbapi.Error if self._engine.dialect.dbapi else sqlite3.Error
        with self._errors_mapped():
            try:
                return self._first(sql, value)
            except errors:  # the connection is an old one, of a server that was restarted
                self._close_lookup()
            try:
                return self._first(sql, value)
            except errors as error:
                self._close_lookup()
                raise self._unavailable(error) from error

    def _first(self, sql: str, value: str) -> Any:
        if self._lookup_connection is None:
            self._lookup_connection = connection = self._engine.raw_connection()
            if self.is_postgresql and (driver := connection.driver_connection) is not None:
                driver.rollback()
                driver.autocommit = True
        cursor = self._lookup_connection.cursor()
        try:
            cursor.execute(sql.format("%s" if self.is_postgresql else "?"), (value,))
            found = cursor.fetchone()
        finally:
            cursor.close()
        return None if found is None else found[0]

    def _close_lookup(self) -> None:
        connection, self._lookup_connection = self._lookup_connection, None
        if connection is not None:
            connection.invalidate()  # closes it, and keeps it from the others, who want transactions

    def close(self) -> None:
        """Close the connections."""
        self._threads.shutdown(wait=True)
        self._lookups.submit(self._close_lookup)
        self._lookups.shutdown(wait=True)
        self._engine.dispose()

    @contextmanager
    def _errors_mapped(self) -> Iterator[None]:
        """Map errors of a database that does not answer, takes no writes or has no room. An error of a statement itself
        is a bug and raised as it is."""
        try:
            yield
        except (DisconnectionError, PoolTimeout, sqlite3.Error, OSError) as error:
            raise self._unavailable(error) from error
        except DBAPIError as error:
            if not _is_outage(error):
                raise
            raise self._unavailable(error.orig or error) from error

    def _unavailable(self, error: BaseException) -> RecordsUnavailable:
        lines = str(error).strip().splitlines()
        return RecordsUnavailable(f"the records in {self.place}: {lines[0] if lines else type(error).__name__}")


def open_database(url: str) -> Database:
    """Open the database at `url`, and bring its tables up to date. Raises as `Database.open` does."""
    database = Database(url)
    database.open()
    return database


def _driver_url(url: str) -> URL:
    parsed = make_url(url)
    drivers = {"postgresql": "postgresql+psycopg", "sqlite": "sqlite+pysqlite"}
    return parsed.set(drivername=drivers[parsed.get_backend_name()])


def _postgresql_arguments(limit: int) -> dict[str, Any]:
    return {
        "connect_timeout": min(CONNECT_SECONDS, limit),
        "application_name": "oryn",
        "prepare_threshold": None,  # PgBouncer gives each transaction another connection
        "options": " ".join(f"-c {name}={limit * 1000}" for name in _POSTGRESQL_LIMITS),
        # A server whose machine has died answers nothing, not even that it is away.
        "tcp_user_timeout": limit * 1000,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
    }


def _is_outage(error: DBAPIError) -> bool:
    """Whether the database is away, takes no writes or is full, so that the same statement may succeed later."""
    if error.connection_invalidated or isinstance(error.orig, sqlite3.Error):
        return error.connection_invalidated or isinstance(error.orig, sqlite3.OperationalError)
    # https://www.postgresql.org/docs/current/errcodes-appendix.html: connections, read-only transactions, dead locks,
    # resources, locks and limits of time, a server that ends, input and output.
    state = getattr(error.orig, "sqlstate", None)
    return state is None or state[:2] in ("08", "40", "53", "55", "57", "58") or state == "25006"


def _on_sqlite_connected(connection: sqlite3.Connection, record: object) -> None:
    connection.isolation_level = None  # https://docs.sqlalchemy.org/en/20/dialects/sqlite.html#pysqlite-serializable
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")


def _on_sqlite_begun(connection: Connection) -> None:
    # A transaction that reads first and writes then would fail if another one has written in between.
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _create_file(file: Path) -> None:
    from oryn.system.paths import private_folder

    try:
        private_folder(file.parent) if not file.parent.exists() else None
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite's other files get the mode of this one
    except OSError as error:
        raise RecordsUnavailable(f"the records in {file}: {error.strerror}") from error


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found
