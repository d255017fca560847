"""The life of a daemon: one only, ready when it says so, and nothing left when it ends."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages
from tests.terminal import ignoring_hang_ups

Start = Callable[..., RunningDaemon]


def serve(home: Path, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "oryn", "daemon", "serve"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**daemon_environment(home), **environment},
    )  # fmt: skip


def left_of(daemon: RunningDaemon) -> list[str]:
    """What is in the folder of what lives as long as a daemon does, besides its lock."""
    return sorted(entry.name for entry in (daemon.home / "run").iterdir() if entry.name != "daemon.lock")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.slow
async def test_it_serves_until_a_signal(daemon_of: Start, pages: Pages) -> None:
    pages["/"] = "<h1>Hello</h1>"
    daemon = daemon_of()
    socket = Path(daemon.about["socket"])  # in another folder if the path of this one is too long for a socket
    assert mode_of(socket) == 0o600 and socket.name == "daemon.sock"
    assert daemon.about == {
        "pid": daemon.process.pid,
        "port": daemon.port,
        "socket": str(socket),
        "version": (await daemon.status())["version"],
    }
    answer = await daemon.ok(f"goto {pages.url()}")
    assert (answer["action"], answer["session"]) == ("goto", "default")
    assert daemon.processes()
    assert await daemon.stop() == 0
    await daemon.no_process()
    assert left_of(daemon) == []
    assert sorted(path.name for path in (daemon.home / "data" / "daemon").glob("actions*")) == ["actions.jsonl"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
async def test_other_signals_end_it_too(daemon_of: Start, number: signal.Signals) -> None:
    daemon = daemon_of()
    daemon.signal(number)
    assert await daemon.ended() == 0
    assert left_of(daemon) == []


@pytest.mark.slow
async def test_under_nohup_a_hang_up_does_not_end_it(daemon_of: Start) -> None:
    with ignoring_hang_ups():
        daemon = daemon_of()
    daemon.signal(signal.SIGHUP)
    await daemon.ok("help click")
    assert daemon.process.poll() is None
    daemon.signal(signal.SIGTERM)
    assert await daemon.ended() == 0


@pytest.mark.slow
async def test_stop_request_with_token_ends_the_daemon(daemon_of: Start) -> None:
    daemon = daemon_of()
    anybody = await daemon.client.post("/stop", headers={"Authorization": ""})
    assert anybody.status_code == 401
    answer = await daemon.client.post("/stop")
    assert answer.status_code == 202
    assert answer.json() == {"protocol_version": "1", "ok": True, "pid": daemon.process.pid}
    assert await daemon.ended() == 0
    assert left_of(daemon) == []


@pytest.mark.slow
async def test_a_drained_daemon_saves_its_sessions_and_opens_no_more(daemon_of: Start, pages: Pages) -> None:
    pages["/"] = "<title>Here</title><button>Go</button>"
    daemon = daemon_of()
    await daemon.ok(f"goto {pages.url()}")
    refused = await daemon.client.post("/drain?provider=farm")
    assert refused.status_code == 400
    assert (await daemon.client.get("/readyz")).status_code == 200
    assert (await daemon.client.post("/drain")).json() == {"protocol_version": "1", "ok": True, "sessions": 1}
    assert (await daemon.client.get("/readyz")).status_code == 503
    assert (await daemon.client.get("/healthz")).status_code == 200
    answer = await daemon.client.post("/command", json={"protocol_version": "1", "line": "observe"})
    assert answer.json()["error_kind"] == "provider_unavailable"
    daemon.signal(signal.SIGTERM)
    assert await daemon.ended() == 0
    later = daemon_of()
    assert "session restored at" in (await later.ok("observe"))["text"]
    assert await later.stop() == 0


@pytest.mark.slow
async def test_unix_socket_needs_the_token(daemon_of: Start) -> None:
    daemon = daemon_of()
    transport = httpx.AsyncHTTPTransport(uds=daemon.about["socket"])
    headers = {"Authorization": f"Bearer {daemon.token}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        assert (await client.get("/status")).json()["pid"] == daemon.process.pid
        assert (await client.get("/status", headers={"Authorization": "Bearer wrong"})).status_code == 401


@pytest.mark.slow
async def test_one_of_ten_concurrent_daemons_starts(tmp_path: Path) -> None:
    started = [serve(tmp_path) for _ in range(10)]
    ends = {asyncio.create_task(asyncio.to_thread(each.communicate)): each for each in started}
    going, lost = set(ends), set[asyncio.Task[Any]]()
    async with asyncio.timeout(90):
        while len(going) > 1:
            done, going = await asyncio.wait(going, return_when=asyncio.FIRST_COMPLETED)
            lost |= done
    try:
        assert [ends[each].returncode for each in lost] == [3] * 9
        assert all(b"error daemon serve: a daemon runs already" in each.result()[1] for each in lost)
        (winner,) = (ends[each] for each in going)
        about = json.loads((tmp_path / "run" / "daemon.json").read_text())
        assert about["pid"] == winner.pid
        async with httpx.AsyncClient() as client:
            assert (await client.get(f"http://127.0.0.1:{about['port']}/healthz")).text == "ok"
    finally:
        for each in going:
            ends[each].terminate()
            await each
            assert ends[each].returncode == 0


@pytest.mark.slow
async def test_a_new_one_waits_for_the_end_of_the_one_before(daemon_of: Start, pages: Pages) -> None:
    daemon = daemon_of()
    await daemon.ok(f"goto {pages.url()}")
    before = daemon.process
    await daemon.client.post("/stop")
    await daemon.client.aclose()
    daemon.start()
    assert before.wait(30) == 0  # it lets the next in by ending: the system tells of it a little later
    assert daemon.about["pid"] == daemon.process.pid != before.pid
    assert (await daemon.status())["commands"] == 0


@pytest.mark.slow
async def test_several_side_by_side_and_a_port_that_is_taken(daemon_of: Start, tmp_path: Path) -> None:
    one, other = daemon_of("one"), daemon_of("other")
    assert one.port != other.port
    assert one.token != other.token
    refused = await other.client.get(f"{one.url}/status")
    assert refused.status_code == 401
    third = serve(tmp_path / "third", ORYN_PORT=str(one.port))
    _, said = await asyncio.to_thread(third.communicate, None, 30)
    assert third.returncode == 3
    assert f"error daemon serve: can't listen on port {one.port}: Address already in use" in said.decode()


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has the whole of 127.0.0.0/8 as loopback")
async def test_it_listens_on_the_address_of_the_setting(daemon_of: Start) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # so that no other program listens there
        daemon = daemon_of(ORYN_LISTEN="127.0.0.2", ORYN_PORT=str(unused.getsockname()[1]))
        headers = {"Authorization": f"Bearer {daemon.token}", "Host": f"localhost:{daemon.port}"}
        async with httpx.AsyncClient(base_url=f"http://127.0.0.2:{daemon.port}") as client:
            assert (await client.get("/status", headers=headers)).json()["port"] == daemon.port
            assert (await client.get("/status", headers={"Host": headers["Host"]})).status_code == 401
            # A name that leads there, as a page elsewhere could have one, is not enough.
            headers["Host"] = f"127.0.0.2:{daemon.port}"
            assert (await client.get("/status", headers=headers)).status_code == 403
        with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", daemon.port)):
            pass


async def test_the_default_port_may_be_taken(daemon_of: Start) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 7720))
            taken.listen()
        except OSError:
            pass  # somebody has it, which is as well
        daemon = daemon_of(ORYN_PORT="")
        assert daemon.port not in (0, 7720)


@pytest.mark.slow
async def test_a_home_whose_path_is_too_long_for_a_socket(daemon_of: Start) -> None:
    daemon = daemon_of("long" * 30)
    place = Path(daemon.about["socket"])
    assert len(str(place)) < 100
    assert (mode_of(place), mode_of(place.parent)) == (0o600, 0o700)
    async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=str(place))) as client:
        assert (await client.get("http://localhost/healthz")).text == "ok"
    await daemon.kill()
    daemon.start()
    assert not place.parent.exists()
    assert daemon.about["socket"] != str(place)
    await daemon.stop()
    assert left_of(daemon) == []


@pytest.mark.slow
async def test_files_of_a_killed_daemon_are_removed(daemon_of: Start, pages: Pages) -> None:
    daemon = daemon_of()
    await daemon.ok(f"goto {pages.url()}", settings={"profile": "kept"})
    await daemon.ok(f"goto {pages.url()}", session="other")
    assert daemon.processes()
    await daemon.kill()
    await daemon.no_process()
    assert any(name.startswith("browser-") for name in left_of(daemon))
    daemon.start()
    await daemon.stop()
    assert left_of(daemon) == []


@pytest.mark.slow
async def test_idle_daemon_stops(daemon_of: Start) -> None:
    daemon = daemon_of(ORYN_IDLE_STOP="500ms")
    assert await daemon.ended() == 0
    assert left_of(daemon) == []


@pytest.mark.slow
async def test_event_listener_prevents_idle_stop(daemon_of: Start) -> None:
    daemon = daemon_of(ORYN_IDLE_STOP="1s", ORYN_LOG_LEVEL="info")
    async with daemon.client.stream("GET", "/events") as events:
        for _ in range(3):  # a second each: a command, which would be the last one
            await daemon.ok("help click")
            await asyncio.to_thread(wait_for_exit, daemon, 1.2)
        assert daemon.process.poll() is None
        await events.aclose()
    assert await daemon.ended() == 0
    assert "ending: nothing was to do for 1 s" in daemon.log()


def wait_for_exit(daemon: RunningDaemon, seconds: float) -> None:
    try:
        daemon.process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass


@pytest.mark.slow
async def test_sessions_that_are_dormant_are_closed_too(daemon_of: Start, pages: Pages) -> None:
    pages["/"] = "<title>Shop</title>"
    daemon = daemon_of()
    for name in ("one", "two", "three"):
        await daemon.ok(f"goto {pages.url()}", session=name)
    await daemon.stop()
    daemon.start()
    assert {each["state"] for each in (await daemon.status())["sessions"]} == {"dormant"}
    assert (await daemon.ok({"action": "close"}, session="two"))["data"]["result"] == {"closed": ["two"]}
    assert "Shop" in (await daemon.ok("title", session="one"))["text"]
    closed = await daemon.ok({"action": "close", "args": {"all": True}})
    assert closed["data"]["result"] == {"closed": ["one", "three"]}
    assert (await daemon.status())["sessions"] == []


@pytest.mark.slow
async def test_the_next_one_goes_on_with_the_history(daemon_of: Start) -> None:
    daemon = daemon_of()
    await daemon.ok("help click")
    await daemon.stop()
    daemon.start()
    await daemon.ok("help goto")
    rows: list[dict[str, Any]] = daemon.rows()
    assert [row["line"] or row["args"].get("line") for row in rows] == ["help click", "help goto"]
