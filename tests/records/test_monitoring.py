"""Several daemons with the same records, seen from outside (docs/monitoring.md)."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages

pytestmark = pytest.mark.browser


@pytest.fixture
def start(run: Any, tmp_path: Path) -> Iterator[Callable[..., RunningDaemon]]:
    """Starts a daemon of a name, whose records are those of the others."""
    started: list[RunningDaemon] = []

    def begin(name: str, **environment: str) -> RunningDaemon:
        url = f"sqlite:///{tmp_path / 'records.sqlite'}"
        started.append(RunningDaemon(tmp_path / name, {"ORYN_RECORDS": url, "ORYN_DAEMON_NAME": name, **environment}))
        return started[-1]

    yield begin
    for each in started:
        run(each.stop())
        run(each.no_process())


async def command_line(daemon: RunningDaemon, *words: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "oryn", "daemon", *words),
        env=daemon_environment(daemon.home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    output, errors = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode(), errors.decode()


@pytest.mark.slow
async def test_the_status_of_all_lists_every_daemon(start: Callable[..., RunningDaemon]) -> None:
    one, two = start("one"), start("two")
    code, output, _ = await command_line(one, "status", "--all")
    assert code == 0
    assert [line.split()[:2] for line in output.splitlines()[1:]] == [["one", "yes"], ["two", "yes"]]
    listed = json.loads((await command_line(two, "status", "--all", "--json"))[1])
    assert {each["name"]: each["pid"] for each in listed} == {"one": one.process.pid, "two": two.process.pid}
    two.signal(signal.SIGKILL)
    await two.ended()
    async with asyncio.timeout(30):
        while json.loads((await command_line(one, "status", "--all", "--json"))[1])[1]["alive"]:
            pass  # its heartbeat is missed after seconds


async def test_without_records_there_are_no_others(
    start: Callable[..., RunningDaemon], run: Any, tmp_path: Path
) -> None:
    alone = RunningDaemon(tmp_path / "alone")
    code, output, errors = await command_line(alone, "status", "--all")
    await alone.stop()
    assert code != 0
    assert output == ""
    assert "records" in errors


@pytest.mark.slow
async def test_a_relayed_command_is_one_trace(start: Callable[..., RunningDaemon]) -> None:
    pytest.importorskip("opentelemetry.sdk")
    from tests.daemon.otlp import Receiver, children, command, named

    receiver = Receiver()
    environment = {"ORYN_TRACING": receiver.url, "OTEL_BSP_SCHEDULE_DELAY": "50"}
    one, two = start("one", **environment), start("two", **environment)
    with Pages() as pages:
        pages["/"] = "<title>Shop</title>"
        await one.ok(f"goto {pages.url('/')}", session="work")
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    headers = {"traceparent": f"00-{trace}-{parent}-01"}
    response = await two.client.post("/command", json={"line": "title", "session": "work"}, headers=headers)
    action_id = response.json()["action_id"]
    done = await asyncio.to_thread(receiver.wait_for, lambda spans: command(spans, action_id))
    outer = await asyncio.to_thread(
        receiver.wait_for,
        lambda spans: next((each for each in spans if each.parent_span_id.hex() == parent), None),
    )
    relay = named(receiver.spans, outer, "relay")
    # Each daemon sends its spans when it likes.
    (inner,) = await asyncio.to_thread(receiver.wait_for, lambda spans: children(spans, relay))
    assert inner.name == "POST /command"
    assert named(receiver.spans, inner, "title").span_id == done.span_id
    assert {each.trace_id.hex() for each in (outer, relay, inner, done)} == {trace}
