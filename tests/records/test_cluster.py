"""Several real daemons with the same records: leases, relay, a daemon that dies (docs/spec/records.md)."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection

from oryn.daemon.access.database_store import SharedTokens
from oryn.daemon.access.principals import SCOPES, TokenLimits
from oryn.daemon.access.tokens import Token, hash_of, new_token
from oryn.records.database import Database
from scripts.fleet.postgresql import PostgresServer
from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.daemon.live import takeover_socket
from tests.headless.conftest import Pages
from tests.records.conftest import Start, recorded, until_ready

pytestmark = pytest.mark.browser


async def title(daemon: RunningDaemon) -> str:
    """The title of the page of the session `work`."""
    return str((await daemon.ok("title", session="work"))["text"]).split('"')[1]


async def listed(daemon: RunningDaemon) -> list[tuple[str, str, str]]:
    return [(each["name"], each["daemon"], each["url"]) for each in (await daemon.status())["sessions"]]


async def status_of(daemon: RunningDaemon, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in (await daemon.status())["sessions"] if each["name"] == name)
    return found


@pytest.mark.slow
async def test_any_daemon_answers_for_any_session(start: Start, records_url: str, pages: Pages) -> None:
    one, two = start("one", records_url), start("two", records_url)
    await one.ok(f"goto {pages.url('/')}", session="work")
    assert "Mark" in (await two.ok("observe", session="work"))["text"]
    await two.ok('click "Mark"', session="work")
    assert await title(one) == "Marked"
    # Of either daemon, the commands of both are the history; each of them once.
    rows = [line for line in recorded(records_url) if '"session":"work"' in line]
    assert [line.count('"ok":true') for line in rows] == [1, 1, 1, 1]
    for daemon in (one, two):
        found = (await daemon.client.get("/history", params={"session": "work"})).json()["rows"]
        assert len(found) == 4
    assert not two.processes() and one.processes()


@pytest.mark.slow
async def test_a_session_of_a_token_is_its_own_in_every_daemon(start: Start, records_url: str, pages: Pages) -> None:
    host = f"127.0.0.1:{pages.server.server_port}"
    tokens: dict[str, str] = {name: new_token() for name in ("owner_of_work", "other")}
    limits = {"owner_of_work": TokenLimits(0, 1, (host,)), "other": TokenLimits(0, 1)}

    async def ask(daemon: RunningDaemon, name: str, line: str, session: str) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {tokens[name]}"}
        request = {"line": line, "session": session}
        answer: dict[str, Any] = (await daemon.client.post("/command", json=request, headers=headers)).json()
        return answer

    one, two = start("one", records_url), start("two", records_url)
    database = Database(records_url)
    for name, token in tokens.items():
        SharedTokens(database).put(Token(name, hash_of(token), frozenset(SCOPES), limits[name]))
    database.close()
    assert (await ask(one, "owner_of_work", f"goto {pages.url('/')}", "work"))["ok"]
    for daemon in (two, one):  # by relay, and where it is
        assert (await ask(daemon, "other", "title", "work"))["error_kind"] == "session_not_found"
        assert "Home" in (await ask(daemon, "owner_of_work", "title", "work"))["text"]
        refused = await ask(daemon, "owner_of_work", f"goto {pages.url('/', 'localhost')}", "work")
        assert refused["error_kind"] == "domain_not_allowed"
    async with asyncio.timeout(30):
        while await listed(two) != [("work", "one", pages.url("/"))]:  # a heartbeat later
            await asyncio.to_thread(two.process.poll)
    assert (await ask(two, "owner_of_work", "goto about:blank", "more"))["error_kind"] == "session_limit"
    await one.wait_until_saved("work")
    await one.kill()
    assert "Home" in (await two.ok("title", session="work"))["text"]  # an administrator wakes it
    assert (await ask(two, "other", "title", "work"))["error_kind"] == "session_not_found"
    assert "Home" in (await ask(two, "owner_of_work", "title", "work"))["text"]


@pytest.mark.slow
async def test_a_list_names_the_daemon_that_runs_a_session(start: Start, records_url: str, pages: Pages) -> None:
    one, two = start("one", records_url), start("two", records_url)
    await one.ok(f"goto {pages.url('/')}", session="work")
    async with asyncio.timeout(30):
        while await listed(two) != [("work", "one", pages.url("/"))]:  # a heartbeat later
            await asyncio.to_thread(two.process.poll)
    await two.ok({"argv": ["close"]}, session="work")
    assert (await one.status())["sessions"] == []


@pytest.mark.slow
async def test_a_session_goes_on_in_another_daemon_when_its_own_is_killed(
    start: Start, records_url: str, pages: Pages, run: Any
) -> None:
    one, two = start("one", records_url), start("two", records_url)
    await one.ok(f"goto {pages.url('/')}", session="work")
    await one.ok('click "Mark"', session="work")
    await one.ok(f"goto {pages.url('/next')}", session="work")
    await one.wait_until_saved("work")
    async with asyncio.timeout(30):  # the cookies are copied a moment after the answer
        while "mark" not in await asyncio.to_thread(saved_state, records_url, "work"):
            await asyncio.to_thread(one.process.poll)
    await one.kill()
    answer = await two.ok("text", session="work")
    assert "mark=1" in answer["text"] and "session restored at" in answer["text"]
    one.start()
    assert "mark=1" in (await one.ok("text", session="work"))["text"]  # by relay
    assert (await status_of(two, "work"))["daemon"] is None


def saved_state(url: str, name: str) -> str:
    from sqlalchemy import select

    from oryn.records.schema import STATES

    database = Database(url)
    found = database.run_blocking(
        lambda connection: connection.execute(select(STATES.c.content).where(STATES.c.name == name)).scalar()
    )
    database.close()
    return found.decode() if found else ""


@pytest.mark.slow
async def test_a_daemon_that_was_suspended_does_not_write_over_what_another_has_saved(
    start: Start, records_url: str, pages: Pages
) -> None:
    one, two = start("one", records_url), start("two", records_url)
    await one.ok(f"goto {pages.url('/')}", session="work")
    one.signal(signal.SIGSTOP)
    refused = await two.client.post("/command", json={"line": "title", "session": "work"})
    assert refused.status_code == 400 and "the daemon one, which has the session work, does not answer" in refused.text
    assert "Next" in (await two.ok(f"goto {pages.url('/next')}", session="work"))["text"]
    one.signal(signal.SIGCONT)
    assert await title(one) == "Next"
    async with asyncio.timeout(30):
        while one.processes():  # its own browser ends
            await asyncio.to_thread(one.process.poll)


@pytest.mark.slow
async def test_a_session_that_was_closed_in_order_opens_elsewhere_at_once(
    start: Start, records_url: str, pages: Pages
) -> None:
    one, two = start("one", records_url), start("two", records_url)
    await one.ok(f"goto {pages.url('/next')}", session="work")
    assert await one.stop() == 0
    assert await title(two) == "Next"


@pytest.mark.slow
def test_two_daemons_with_one_name(start: Start, records_url: str, tmp_path: Path) -> None:
    start("one", records_url)
    second = subprocess.run(
        [sys.executable, "-m", "oryn", "daemon", "serve"],
        env=daemon_environment(tmp_path / "second") | {"ORYN_RECORDS": records_url, "ORYN_DAEMON_NAME": "one"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert second.returncode
    assert "a daemon one with the same records runs already, at http://127.0.0.1" in second.stderr


@pytest.mark.slow
async def test_sessions_from_before_the_daemon_had_records_are_taken_over(
    start: Start, records_url: str, pages: Pages, tmp_path: Path
) -> None:
    alone = RunningDaemon(tmp_path / "one")
    await alone.ok(f"goto {pages.url('/next')}", session="work")
    await alone.stop()
    one = start("one", records_url)
    assert await title(one) == "Next"
    await one.ok({"argv": ["close"]}, session="work")
    await one.stop()
    one.start()
    assert (await one.status())["sessions"] == []


@pytest.mark.slow
async def test_a_person_takes_a_session_over_by_way_of_another_daemon(
    start: Start, records_url: str, pages: Pages
) -> None:
    one, two = start("one", records_url), start("two", records_url)
    await one.ok(f"goto {pages.url('/')}", session="work")
    async with asyncio.timeout(60), takeover_socket(two, "work") as person:
        taken = await next_message(person, "taken")
        headers = {"Oryn-Takeover": taken["token"]}
        own = await two.client.post("/command", json={"line": 'click "Mark"', "session": "work"}, headers=headers)
        assert own.json()["ok"], own.text
        assert not two.processes()
        await one.kill()
        assert (await next_message(person, "ended"))["error_kind"] == "daemon_failed"
    async with asyncio.timeout(60), takeover_socket(two, "work") as person:
        await next_message(person, "taken")  # by this daemon now, which has the lease
        assert (await status_of(two, "work"))["taken_over"]
        await person.send(json.dumps({"type": "give_back"}))
        assert (await next_message(person, "ended"))["error"] is None


@pytest.mark.slow
async def test_events_of_all_daemons_are_in_the_stream_of_each(start: Start, records_url: str) -> None:
    one, two = start("one", records_url), start("two", records_url)
    async with asyncio.timeout(60), two.client.stream("GET", "/events?type=action.finish") as events:
        received = (json.loads(line[5:]) async for line in events.aiter_lines() if line.startswith("data:"))
        following = asyncio.create_task(anext(received))
        while not following.done():  # the other daemon's are there a moment later
            await one.ok("help click", session="work")
        assert (await following)["data"]["session"] == "work"
        ids = {(await each.ok("help goto", session="work"))["action_id"] for each in (one, two)}
        async for event in received:
            ids.discard(event["data"]["action_id"])
            if not ids:
                break


async def next_message(person: ClientConnection, type: str) -> dict[str, Any]:
    """The next message of a type."""
    while (message := json.loads(await person.recv()))["type"] != type:
        pass
    found: dict[str, Any] = message
    return found


@pytest.mark.postgresql
async def test_a_database_that_is_restarted(start: Start, own_postgresql: PostgresServer, pages: Pages) -> None:
    url = own_postgresql.create_database("restarted")
    one = start("one", url)
    await one.ok(f"goto {pages.url('/')}", session="work")
    own_postgresql.kill()
    assert await title(one) == "Home"  # its lease still holds
    refused = await one.client.post("/command", json={"line": "title", "session": "other"})
    assert refused.status_code == 504 and "records_unavailable" in refused.text
    assert (await one.client.get("/readyz")).status_code == 200  # a short outage takes no daemon out of service
    await until_ready(one, 503)
    lapsed = await one.client.post("/command", json={"line": "title", "session": "work"})
    assert "records_unavailable" in lapsed.text
    own_postgresql.start()
    await until_ready(one, 200)
    assert await title(one) == "Home"
    async with asyncio.timeout(30):
        while len(recorded(url)) < 3:
            await asyncio.to_thread(one.process.poll)
    ids = [line.partition('"action_id":"')[2][:16] for line in recorded(url)]
    assert len(ids) == len(set(ids)) == 3


LOSES_EVERY_OTHER_HEARTBEAT = """
CREATE SEQUENCE heartbeats;
CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('heartbeats') % 2 = 0 THEN PERFORM pg_sleep(60); END IF;
    RETURN new;
END $$;
CREATE TRIGGER lose BEFORE UPDATE ON daemons FOR EACH ROW EXECUTE FUNCTION lose()
"""


@pytest.mark.postgresql
async def test_a_heartbeat_that_is_lost_breaks_no_command_off(
    start: Start, postgresql_server: PostgresServer, pages: Pages
) -> None:
    url = postgresql_server.create_database("lost_heartbeats")
    one = start("one", url)
    await one.ok(f"goto {pages.url('/')}", session="work")
    postgresql_server.query(LOSES_EVERY_OTHER_HEARTBEAT, database="lost_heartbeats")
    running = asyncio.create_task(one.ask("wait 100s", session="work"))
    async with asyncio.timeout(90):
        while int(postgresql_server.query("SELECT last_value FROM heartbeats", database="lost_heartbeats")) < 12:
            assert (await one.client.get("/readyz")).status_code == 200
            assert not running.done(), running.result()
    running.cancel()
