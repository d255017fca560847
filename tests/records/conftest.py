"""Databases for the records: SQLite in every run, PostgreSQL in the layer `all`, for the same tests; and daemons."""

from __future__ import annotations

import asyncio
import itertools
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.records.database import Database
from oryn.records.history import page
from scripts.fleet.postgresql import PostgresServer, find_programs
from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages

Start = Callable[..., RunningDaemon]

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


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as served:
        served["/"] = (
            "<title>Home</title><button onclick=\"document.cookie='mark=1'; document.title='Marked'\">Mark</button>"
        )
        served["/next"] = "<title>Next</title><p id=c></p><script>c.textContent = document.cookie</script>"
        yield served


@pytest.fixture
def start(run: Any, tmp_path: Path) -> Iterator[Callable[[str, str], RunningDaemon]]:
    """Starts a daemon of a name with a database: `start("one", url)`."""
    started: list[RunningDaemon] = []

    def begin(name: str, url: str, **environment: str) -> RunningDaemon:
        settings = {"ORYN_RECORDS": url, "ORYN_DAEMON_NAME": name, **environment}
        started.append(RunningDaemon(tmp_path / name, settings))
        return started[-1]

    yield begin
    for each in started:
        if each.process.poll() is None:
            each.signal(signal.SIGCONT)
        run(each.stop())
        run(each.no_process())


def recorded(url: str) -> list[str]:
    database = Database(url)
    lines = [line for _, line in database.run_blocking(lambda connection: page(connection, None))]
    database.close()
    return lines


async def until_ready(daemon: RunningDaemon, status: int) -> None:
    """Wait until `/readyz` answers with a status."""
    async with asyncio.timeout(60):
        while (await daemon.client.get("/readyz")).status_code != status:
            await asyncio.to_thread(daemon.process.poll)
