"""A database that is full, takes no writes or is away, and daemons whose names or clocks are wrong."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.records import daemons
from oryn.records.database import Database
from oryn.records.schema import DAEMONS, database_time
from scripts.fleet.postgresql import PostgresServer
from scripts.ports import free_port
from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages
from tests.records.conftest import Start, recorded, until_ready
from tests.small_disk import Disk, small_disk

pytestmark = [pytest.mark.browser, pytest.mark.postgresql]


@pytest.fixture
def disk() -> Iterator[Disk]:
    with small_disk(48) as disk:
        yield disk


def serve(home: Path, url: str) -> str:
    """What a daemon that does not start writes."""
    ended = subprocess.run(
        [sys.executable, "-m", "oryn", "daemon", "serve"],
        env=daemon_environment(home) | {"ORYN_RECORDS": url, "ORYN_DAEMON_NAME": "one"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode
    assert "Traceback" not in ended.stderr
    return ended.stderr


async def title(daemon: RunningDaemon, session: str) -> dict[str, Any]:
    """The answer to `title`, also if the records are away."""
    found: dict[str, Any] = (await daemon.client.post("/command", json={"line": "title", "session": session})).json()
    return found


async def until_recorded(daemon: RunningDaemon, url: str, ids: set[str]) -> None:
    """Wait until these rows of a daemon's history are in the database, each once."""
    async with asyncio.timeout(60):
        while not ids <= set(found := [line.partition('"action_id":"')[2][:16] for line in recorded(url)]):
            await asyncio.to_thread(daemon.process.poll)
    assert len(found) == len(set(found))


async def test_a_database_that_is_full(start: Start, own_postgresql: PostgresServer, pages: Pages, disk: Disk) -> None:
    place = disk.folder / "tables"
    place.mkdir()
    for folder in (disk.folder.parent, disk.folder, place):
        shutil.chown(folder, own_postgresql.folder.owner())
    own_postgresql.query(f"CREATE TABLESPACE small LOCATION '{place}'")
    own_postgresql.query("CREATE DATABASE small TABLESPACE small")
    url = own_postgresql.url_of("small")
    one = start("one", url)
    ids = {(await one.ok(f"goto {pages.url('/')}", session="work"))["action_id"]}
    disk.fill()
    said = "No space left on device"
    async with asyncio.timeout(60):
        while said not in one.log():
            ids.add((await one.ok("title", session="work"))["action_id"])
    (line,) = [each for each in one.log().splitlines() if said in each][:1]
    assert f"127.0.0.1:{own_postgresql.port}/small" in line
    ids.add((await one.ok(f"goto {pages.url('/next')}", session="work"))["action_id"])
    disk.make_room()
    await until_recorded(one, url, ids)
    await one.kill()
    one.start()
    assert "Next" in (await one.ok("title", session="work"))["text"]


async def test_a_database_that_takes_no_writes(start: Start, own_postgresql: PostgresServer, pages: Pages) -> None:
    one = start("one", own_postgresql.url)
    ids = {(await one.ok(f"goto {pages.url('/')}", session="work"))["action_id"]}
    own_postgresql.set("default_transaction_read_only", "on")
    await until_ready(one, 503)
    refused = await title(one, "work")
    assert refused["error_kind"] == "records_unavailable"
    assert f"127.0.0.1:{own_postgresql.port}/oryn: cannot execute" in refused["error"]
    assert "read-only transaction" in refused["error"]
    own_postgresql.query("ALTER SYSTEM RESET ALL", database="postgres")
    own_postgresql.query("SELECT pg_reload_conf()", database="postgres")
    await until_ready(one, 200)
    ids.add((await one.ok("title", session="work"))["action_id"])
    await until_recorded(one, own_postgresql.url, ids)


def test_a_daemon_that_cannot_use_its_database_does_not_start(own_postgresql: PostgresServer, tmp_path: Path) -> None:
    away = f"127.0.0.1:{free_port()}/oryn"
    assert f"the records in postgresql://oryn@{away}: " in serve(tmp_path, f"postgresql://oryn@{away}")
    own_postgresql.set("default_transaction_read_only", "on")
    assert "in a read-only transaction" in serve(tmp_path, own_postgresql.url)


async def test_what_was_saved_while_the_database_was_away_outlives_the_daemon(
    start: Start, own_postgresql: PostgresServer, pages: Pages
) -> None:
    url = own_postgresql.url
    one = start("one", url)
    ids = {(await one.ok(f"goto {pages.url('/')}", session="work"))["action_id"]}
    own_postgresql.kill()
    answer = await one.ask(f"goto {pages.url('/next')}", session="work")
    assert answer["ok"], answer["text"]
    await one.kill()
    own_postgresql.start()
    one.start()
    assert "Next" in (await one.ok("title", session="work"))["text"]
    await until_recorded(one, url, {*ids, answer["action_id"]})


async def test_a_database_that_hangs(start: Start, own_postgresql: PostgresServer, pages: Pages) -> None:
    url = own_postgresql.url
    one = start("one", url)
    ids = {(await one.ok(f"goto {pages.url('/')}", session="work"))["action_id"]}
    with own_postgresql.frozen():
        while (answer := await title(one, "work"))["ok"]:  # as long as its lease is sure
            ids.add(answer["action_id"])
        assert answer["error_kind"] == "records_unavailable", answer
        await until_ready(one, 503)
        for session in ("work", "other"):  # one that it had, and one that it would have to ask for
            assert (await title(one, session))["error_kind"] == "records_unavailable"
    await until_ready(one, 200)
    ids.add((await one.ok("title", session="work"))["action_id"])
    await until_recorded(one, url, ids)


async def test_a_daemon_whose_name_another_one_has_taken_runs_no_sessions_until_that_one_ends(
    start: Start, records_url: str, pages: Pages
) -> None:
    one = start("one", records_url)
    await one.ok(f"goto {pages.url('/')}", session="work")
    database = Database(records_url)
    database.run_blocking(
        lambda connection: (
            connection.execute(DAEMONS.update().values(heartbeat=0.0)),
            daemons.register(
                connection, name="one", instance="b", folder="b", address="http://b:1", version="1", pid=1
            ),
            connection.execute(DAEMONS.update().values(heartbeat=database_time() + 3600)),
        )
    )
    await until_ready(one, 503)
    refused = await one.client.post("/command", json={"line": "title", "session": "work"})
    assert "a daemon one with the same records runs already, at http://b:1" in refused.json()["error"], one.log()
    database.run_blocking(lambda connection: connection.execute(DAEMONS.update().values(heartbeat=0.0)))
    database.close()
    await until_ready(one, 200)
    assert "Home" in (await one.ok("title", session="work"))["text"]


CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(id, now);
    if (!failed && id == CLOCK_REALTIME) now->tv_sec += atoi(getenv("CLOCK_AHEAD"));
    return failed;
}
time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return out ? *out = now.tv_sec : now.tv_sec;
}
int gettimeofday(struct timeval *out, void *zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A library with which a process has a clock that is so many seconds ahead (`CLOCK_AHEAD`)."""
    if not sys.platform.startswith("linux") or shutil.which("cc") is None:
        pytest.skip("needs a C compiler on Linux")
    folder = tmp_path_factory.mktemp("clock")
    (folder / "clock.c").write_text(CLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "clock.so", "clock.c", "-ldl"], cwd=folder, check=True)
    return str(folder / "clock.so")


async def test_the_clocks_of_daemons_may_differ_by_minutes(
    start: Start, postgresql_server: PostgresServer, pages: Pages, clock: str
) -> None:
    url = postgresql_server.create_database("clocks")
    one = start("one", url, LD_PRELOAD=clock, CLOCK_AHEAD="300")
    two = start("two", url, LD_PRELOAD=clock, CLOCK_AHEAD="-300")
    ids = [(await one.ok(f"goto {pages.url('/')}", session="work"))["action_id"]]
    assert await ahead(one) > 200 and await ahead(two) < -200
    await until_listed(two)
    for daemon in (two, one, two):
        ids.append((await daemon.ok("title", session="work"))["action_id"])
    listed = (await two.client.get("/daemons")).json()["daemons"]
    assert [each["alive"] for each in listed] == [True, True]
    assert not two.processes(), "a lease that is renewed is nobody else's"
    rows = (await two.client.get("/history", params={"session": "work"})).json()["rows"]
    assert [each["action_id"] for each in rows] == ids[::-1], "in the order in which they were given"
    await one.kill()
    assert "session restored at" in (await two.ok("title", session="work"))["text"]


async def ahead(daemon: RunningDaemon) -> float:
    """How far a daemon's clock is ahead, in seconds, by the time at which it says that it has started."""
    from datetime import UTC, datetime

    started = datetime.fromisoformat((await daemon.status())["started"])
    return (started - datetime.now(UTC)).total_seconds()


async def until_listed(daemon: RunningDaemon) -> None:
    """Wait until a daemon knows that the other one has the session `work`."""
    async with asyncio.timeout(30):
        while [each["daemon"] for each in (await daemon.status())["sessions"]] != ["one"]:
            await asyncio.to_thread(daemon.process.poll)
