"""Tokens and the audit log in the database that daemons share (docs/spec/records.md#tokens)."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from oryn.daemon.access.audit import AuditFile, AuditLog, AuditRow
from oryn.daemon.access.database_store import SharedAudit, SharedTokens
from oryn.daemon.access.principals import TokenLimits
from oryn.daemon.access.token_file import TokenFile
from oryn.daemon.access.tokens import Token, hash_of, new_token
from oryn.records import access
from oryn.records.database import Database
from scripts.fleet.postgresql import PostgresServer
from tests.daemon.daemon_process import RunningDaemon

Start = Callable[..., RunningDaemon]


@pytest.fixture
def start(run: Any, tmp_path: Path) -> Iterator[Start]:
    """Starts a daemon of a name with a database: `start("one", url)`."""
    started: list[RunningDaemon] = []

    def begin(name: str, url: str, **environment: str) -> RunningDaemon:
        settings = {"ORYN_RECORDS": url, "ORYN_DAEMON_NAME": name, **environment}
        started.append(RunningDaemon(tmp_path / name, settings))
        return started[-1]

    yield begin
    for each in started:
        run(each.stop())


async def status_of(daemon: RunningDaemon, token: str) -> tuple[int, str]:
    """The status of the response to a request with a token, and the code of its error."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=daemon.url, headers=headers, timeout=60, trust_env=False) as client:
        response = await client.get("/status")
    return response.status_code, response.json().get("error_kind", "")


def oryn(home: Path, *words: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "oryn", *words],
        env={**os.environ, "ORYN_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
async def test_a_token_counts_at_every_daemon_until_it_is_revoked_at_one(
    start: Start, records_url: str, tmp_path: Path
) -> None:
    one, two = start("one", records_url), start("two", records_url)
    words = ("token", "create", "ci", "--scope", "see", "--sessions", "2", "--domain", "example.org")
    token = (await asyncio.to_thread(partial(oryn, one.home, *words, ORYN_RECORDS=records_url))).strip()
    for _ in range(2):
        assert [await status_of(daemon, token) for daemon in (one, two)] == [(200, "")] * 2
    # From a computer without a daemon.
    elsewhere = partial(oryn, tmp_path / "elsewhere", ORYN_RECORDS=records_url)
    listed = json.loads(await asyncio.to_thread(partial(elsewhere, "token", "list", "--json")))
    assert [(each["name"], each["sessions"], each["domains"]) for each in listed] == [("ci", 2, ["example.org"])]
    assert await asyncio.to_thread(partial(elsewhere, "token", "revoke", "ci")) == "revoked: ci\n"
    assert [await status_of(daemon, token) for daemon in (one, two)] == [(401, "unauthorized")] * 2
    assert token not in json.dumps(listed) and "sha256" not in listed[0]
    # Each has refused the token, and the records have the rows of both.
    await one.stop()
    await two.stop()
    rows = json.loads(await asyncio.to_thread(partial(elsewhere, "token", "audit", "--json")))
    assert [row["detail"].partition(":")[0] for row in rows if row["subject"] == "ci"] == ["created", "revoked"]
    assert sum(row["principal"] == "unknown" and "unauthorized" in row["detail"] for row in rows) == 2


@pytest.mark.slow
async def test_a_stream_ends_when_its_token_is_revoked_elsewhere(start: Start, records_url: str) -> None:
    one, two = start("one", records_url), start("two", records_url)
    token = (await asyncio.to_thread(partial(oryn, one.home, "token", "create", "w", ORYN_RECORDS=records_url))).strip()
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx.AsyncClient(base_url=two.url, headers=headers, timeout=60, trust_env=False) as client,
        client.stream("GET", "/events") as events,
    ):
        await asyncio.to_thread(partial(oryn, one.home, "token", "revoke", "w", ORYN_RECORDS=records_url))
        await two.ask("intents")  # an event
        with pytest.raises(httpx.RemoteProtocolError):
            async for chunk in events.aiter_bytes():
                assert b"action." not in chunk


@pytest.mark.slow
async def test_tokens_of_a_file_are_taken_over(start: Start, records_url: str, run: Any, tmp_path: Path) -> None:
    token, folder = new_token(), tmp_path / "one" / "data" / "daemon"
    file = TokenFile(folder / "tokens.json")
    file.put(Token("old", hash_of(token), frozenset({"see"}), TokenLimits(600), "2026-01-01T00:00:00Z"))
    for each in (folder, folder.parent, folder.parent.parent):
        each.chmod(0o700)
    one, two = start("one", records_url), start("two", records_url)
    assert [await status_of(daemon, token) for daemon in (one, two)] == [(200, "")] * 2
    await asyncio.to_thread(partial(oryn, one.home, "token", "revoke", "old", ORYN_RECORDS=records_url))
    await one.stop()
    one.start()
    assert await status_of(one, token) == (401, "unauthorized")  # the file does not bring it back
    assert [each.name for each in folder.glob("tokens*")] == ["tokens.taken.json"]


@pytest.mark.postgresql
async def test_while_the_database_is_away_only_the_daemons_own_token_counts(
    start: Start, own_postgresql: PostgresServer
) -> None:
    one = start("one", own_postgresql.create_database("away"))
    url = one.environment["ORYN_RECORDS"]
    token = (await asyncio.to_thread(partial(oryn, one.home, "token", "create", "ci", ORYN_RECORDS=url))).strip()
    assert await status_of(one, token) == (200, "")
    own_postgresql.stop()
    assert await status_of(one, token) == (504, "records_unavailable")
    assert await status_of(one, one.token) == (200, "")
    own_postgresql.start()
    async with asyncio.timeout(60):
        while await status_of(one, token) != (200, ""):
            await asyncio.to_thread(one.process.poll)


# --- without a daemon ---


def token(name: str, *, created: str = "", **fields: Any) -> Token:
    return Token(name, hash_of(name), frozenset({"see", "act"}), created=created, **fields)


async def test_the_store_of_tokens(database: Database) -> None:
    store = SharedTokens(database)
    first = token("b", created="2026-01-01T00:00:00Z", limits=TokenLimits(1, 2, ("*.example.org",)))
    second = token("a", created="2026-01-02T00:00:00Z", expires="2027-01-01T00:00:00Z")

    def change() -> None:
        for each in (first, second):
            store.put(each)

    await asyncio.to_thread(change)
    assert await asyncio.to_thread(store.all) == [first, second]
    assert await store.find(first.sha256) == first == await store.named("b")
    assert await store.find("0" * 64) is None is await store.named("c")
    await asyncio.to_thread(store.put, first.replace(sha256="f" * 64))
    assert await store.find(first.sha256) is None
    assert (await store.named("b") or first).sha256 == "f" * 64
    assert [await asyncio.to_thread(store.revoke, "b") for _ in range(2)] == [True, False]


def test_the_audit_of_several_daemons(database: Database, tmp_path: Path, run: Any) -> None:
    stores = [SharedAudit(AuditFile(tmp_path / name), database, name) for name in ("one", "two")]

    async def write() -> None:
        for store in stores:
            log = AuditLog(store)
            for number in range(600):  # more than a page
                log.change("owner", "", "token", f"t{number}", "created")
            await log.close()

    run(write())
    stores[0].append(AuditRow("2026-01-01T00:00:00Z", "owner", "", "token", "last", "done", "by a command"))
    rows = list(stores[1].newest())
    assert len(rows) == 1201 and rows[0].subject == "last"
    assert {row.subject for row in rows} == {*(f"t{number}" for number in range(600)), "last"}
    assert len(list(AuditFile(tmp_path / "one").newest())) == 601
    for _ in range(2):  # a repeat after a lost answer
        database.run_blocking(partial(access.append_audit, daemon="one", rows=[("same", "{}")]))
    assert len(database.run_blocking(partial(access.audit_page, before=None))) == access.PAGE_ROWS
