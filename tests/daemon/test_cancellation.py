"""A client that goes cancels its command, and what waited in a session's queue is dropped: over HTTP, from the command
line with Ctrl-C, and from the Python library (docs/daemon.md, Failures)."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from oryn import Oryn
from oryn.daemon_client.http import request_bytes
from tests.cli.shell import SLOW, Shell
from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.live import takeover_socket
from tests.headless.conftest import Pages

Start = Callable[..., RunningDaemon]

COUNTER = "<title>Counter</title><button onclick='pressed++'>Go</button><script>var pressed = 0</script>"
NEVER = 'wait visible css("#never") --timeout 30s'
PROMPT_SECONDS = 5.0
"""A command that waited for another one's 30 s would take longer; a busy machine does not need as much."""


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await condition():
            await asyncio.to_thread(time.sleep, 0.01)  # nothing tells of a queue that changes


async def queue(daemon: RunningDaemon, name: str = "default") -> list[str]:
    sessions = (await daemon.status())["sessions"]
    return [each["action"] for one in sessions if one["name"] == name for each in one["queue"]]


async def until_queue(daemon: RunningDaemon, *actions: str) -> None:
    async def is_so() -> bool:
        return await queue(daemon) == list(actions)

    await until(is_so)


async def pressed(daemon: RunningDaemon) -> Any:
    return (await daemon.ok("eval pressed"))["data"]["result"]


async def prompt(daemon: RunningDaemon, line: str) -> dict[str, Any]:
    async with asyncio.timeout(PROMPT_SECONDS):
        return await daemon.ok(line)


@pytest.fixture
def counter(daemon: RunningDaemon, pages: Pages, run: Any) -> RunningDaemon:
    """A daemon whose session `default` shows the counter."""
    pages["/counter"] = COUNTER
    run(daemon.ok({"argv": ["close", "--all"]}))
    run(daemon.ok(f"goto {pages.url('/counter')}"))
    return daemon


async def give_up(task: asyncio.Future[Any]) -> None:
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.slow
async def test_a_client_that_goes_cancels_its_command_and_what_it_has_queued(counter: RunningDaemon) -> None:
    running = asyncio.ensure_future(counter.ask(NEVER))
    await until_queue(counter, "wait")
    queued = [asyncio.ensure_future(counter.ask('click "Go"')) for _ in range(5)]
    await until_queue(counter, "wait", *["click"] * 5)
    for each in queued:
        await give_up(each)
    await until_queue(counter, "wait")
    await give_up(running)
    assert "Counter" in (await prompt(counter, "title"))["text"]
    assert await pressed(counter) == 0
    kinds = [row["error_kind"] for row in counter.rows() if row["session"] == "default" and not row["ok"]]
    assert kinds[-6:] == ["cancelled"] * 6


@pytest.mark.slow
async def test_a_command_continues_without_its_client_if_the_client_wants_that(counter: RunningDaemon) -> None:
    headers = {"oryn-on-disconnect": "continue"}
    running = asyncio.ensure_future(counter.client.post("/command", json={"line": NEVER}, headers=headers))
    await until_queue(counter, "wait")
    queued = asyncio.ensure_future(counter.client.post("/command", json={"line": 'click "Go"'}, headers=headers))
    await until_queue(counter, "wait", "click")
    await give_up(running)
    await give_up(queued)
    assert await queue(counter) == ["wait", "click"]
    await counter.ok({"argv": ["close"]})


@pytest.mark.slow
async def test_a_client_that_has_gone_before_its_command_is_read(counter: RunningDaemon) -> None:
    body = json.dumps({"line": 'click "Go"'}).encode()
    for _ in range(20):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(counter.about["socket"])
            connection.sendall(request_bytes("POST", "/command", counter.token, body))
    await until_queue(counter)
    assert await pressed(counter) == 0


async def test_a_click_that_is_given_up_during_a_takeover_never_runs(counter: RunningDaemon) -> None:
    async with takeover_socket(counter) as person:
        while json.loads(await person.recv())["type"] != "taken":
            pass
        clicking = asyncio.ensure_future(counter.ask('click "Go"'))
        await until_queue(counter, "click")
        await give_up(clicking)
        await until_queue(counter)
        await person.send(json.dumps({"type": "give_back"}))
        while json.loads(await person.recv())["type"] != "ended":
            pass
    assert await pressed(counter) == 0


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["daemon", "headless"])
async def test_a_cancelled_call_of_the_library_is_cancelled_in_its_engine(
    mode: Any, pages: Pages, daemon: RunningDaemon, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pages["/counter"] = COUNTER
    monkeypatch.setenv("ORYN_HOME", str(daemon.home if mode == "daemon" else tmp_path))
    async with Oryn(mode, session="library") as oryn:
        await oryn.goto(pages.url("/counter"))
        for _ in range(3):
            running = asyncio.ensure_future(oryn.wait_visible("Never", timeout=30))
            queued = asyncio.ensure_future(oryn.click("Go"))
            done, _ = await asyncio.wait([running, queued], timeout=0.2)
            assert not done
            await give_up(queued)
            await give_up(running)
            async with asyncio.timeout(PROMPT_SECONDS):
                assert (await oryn.eval("pressed")).data == 0


# --- the command line ---


@pytest.fixture
def counter_shell(counter: RunningDaemon, tmp_path: Path) -> Shell:
    """A shell whose daemon shows the counter."""
    return Shell(counter.home, tmp_path)


async def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = await asyncio.to_thread(process.communicate, timeout=60)
    return process.returncode, out, err


@pytest.mark.slow
async def test_ctrl_c_cancels_a_verb(counter: RunningDaemon, counter_shell: Shell) -> None:
    waiting = counter_shell.start("wait", "visible", "Never", "--timeout", "30s")
    await until_queue(counter, "wait")
    waiting.send_signal(signal.SIGINT)
    assert await ended(waiting) == (130, "", "interrupted: the command is cancelled\n")
    assert "Counter" in (await prompt(counter, "title"))["text"]


@pytest.mark.slow
async def test_a_verb_that_waits_says_for_what(counter: RunningDaemon, counter_shell: Shell) -> None:
    running = asyncio.ensure_future(counter.ask(NEVER))
    await until_queue(counter, "wait")
    clicking = counter_shell.start("click", "Go", "--session", "default")
    assert clicking.stderr is not None
    notice = await asyncio.to_thread(clicking.stderr.readline)
    assert notice.startswith("waiting for 'wait' of ") and notice.endswith(
        "s ago in the session default (Ctrl-C cancels this one)\n"
    )
    clicking.send_signal(signal.SIGINT)
    assert (await ended(clicking))[0] == 130
    await give_up(running)
    assert await pressed(counter) == 0


@pytest.mark.slow
async def test_a_verb_that_waits_for_a_person_says_so(counter: RunningDaemon, counter_shell: Shell) -> None:
    async with takeover_socket(counter) as person:
        while json.loads(await person.recv())["type"] != "taken":
            pass
        clicking = counter_shell.start("click", "Go")
        assert clicking.stderr is not None
        notice = await asyncio.to_thread(clicking.stderr.readline)
        assert notice.startswith("waiting for a person, who has had the session default since 20")
        clicking.send_signal(signal.SIGINT)
        assert (await ended(clicking))[0] == 130
    assert await pressed(counter) == 0


@pytest.mark.slow
async def test_a_verb_whose_daemon_does_not_answer_says_so(counter: RunningDaemon, counter_shell: Shell) -> None:
    counter.signal(signal.SIGSTOP)
    try:
        title = counter_shell.start("title")
        assert title.stderr is not None
        notice = await asyncio.to_thread(title.stderr.readline)
        assert notice == SLOW
    finally:
        counter.signal(signal.SIGCONT)
    code, out, _ = await ended(title)
    assert code == 0 and "Counter" in out
