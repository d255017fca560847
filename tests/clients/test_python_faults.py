"""What goes wrong around the Python library, with the real engine and real Chromium where it matters."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.client import Oryn, engine_process
from oryn.errors import (
    ConfigurationError,
    ConnectionLost,
    EngineFailed,
    EngineNotFound,
    NoAnswer,
    NotConnected,
    UnexpectedInput,
)
from oryn.system.processes import is_running
from tests.clients.conftest import Program

READY = "ready oryn-h v1.0.0 protocol=2\n---\n"
FOREVER = 'eval "await new Promise(() => 0)" --timeout 60s'


@pytest.fixture(autouse=True)
def _nothing_left(program: Program, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No process, not even a zombie, and no word of asyncio's, whatever happened."""
    yield
    for each in program.processes:
        _wait_for_exit(each)
    assert not [each for each in program.processes if is_running(each)]
    assert not caplog.records


def _wait_for_exit(process: int) -> None:
    """A process that was killed needs a moment to end on a busy machine."""
    with contextlib.suppress(ProcessLookupError):
        descriptor = os.pidfd_open(process)  # Linux, as all tests that stop a process
        try:
            select.select([descriptor], [], [], 10)
        finally:
            os.close(descriptor)


async def _at_a_page(oryn: Oryn) -> None:
    assert await oryn.send("goto about:blank") == 'ok goto about:blank\n\n@ about:blank ""'


async def _under_way(oryn: Oryn, line: str) -> asyncio.Task[str]:
    """A command that the engine does now: one that was sent before it is answered."""
    await oryn.send("url")
    return asyncio.create_task(oryn.send(line))


@pytest.mark.slow
@pytest.mark.browser
async def test_an_engine_killed_in_the_middle_of_a_command_is_started_again(program: Program) -> None:
    async with Oryn(binary=program.path, session="work") as oryn:
        await _at_a_page(oryn)
        asked = await _under_way(oryn, FOREVER)
        waiting = asyncio.create_task(oryn.send("click 3"))
        await asyncio.sleep(0)  # both are asked for
        os.kill(program.processes[0], signal.SIGKILL)
        with pytest.raises(ConnectionLost, match="SIGKILL before it answered 'eval'") as failed:
            await asked
        assert failed.value.hint == ConnectionLost.advice
        with pytest.raises(ConnectionLost, match="SIGKILL before 'click' was sent") as failed:
            await waiting
        assert failed.value.hint == "It was not done: send it again."
        assert "name: work\n" in await oryn.send("session")
        assert len(program.processes) == 2


@pytest.mark.slow
@pytest.mark.browser
async def test_commands_sent_at_once_are_done_in_order(program: Program) -> None:
    async with Oryn(binary=program.path) as oryn:
        await _at_a_page(oryn)
        answers = await asyncio.gather(
            *(oryn.send(f"eval \"(window.n ??= '') || 1, window.n += '{n}'\"") for n in "abc")
        )
        assert [answer.partition("\n\n| ")[2] for answer in answers] == ["a", "ab", "abc"]


@pytest.mark.slow
@pytest.mark.browser
async def test_a_command_given_up_does_not_disturb_those_after_it(program: Program) -> None:
    async with Oryn(binary=program.path) as oryn:
        await _at_a_page(oryn)
        given_up = await _under_way(oryn, 'eval "await new Promise(r => setTimeout(r, 400)); 1"')
        never_sent = asyncio.create_task(oryn.send('eval "window.sent = true"'))
        after = asyncio.create_task(oryn.send("title"))
        await asyncio.sleep(0)
        given_up.cancel()
        never_sent.cancel()
        assert await after == 'ok title\n\n""'
        assert await oryn.send('eval "window.sent"') == 'ok eval "window.sent"\n\n| null'
        assert given_up.cancelled() and never_sent.cancelled()


@pytest.mark.slow
@pytest.mark.browser
async def test_an_engine_that_hangs_is_no_answer_and_goes_on_when_it_can(program: Program) -> None:
    async with Oryn(binary=program.path, timeout=180) as oryn:
        await _at_a_page(oryn)
        os.kill(program.processes[0], signal.SIGSTOP)
        oryn._connection._timeout = 0.2
        with pytest.raises(NoAnswer, match=r"no answer within 0.2 s"):
            await oryn.send("eval 1")
        os.kill(program.processes[0], signal.SIGCONT)
        oryn._connection._timeout = 180
        assert await oryn.send("eval 2") == 'ok eval "2"\n\n| 2'


@pytest.mark.slow
async def test_an_engine_that_hangs_is_ended_nevertheless(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_process, "TERMINATE_SECONDS", 0.2)
    monkeypatch.setattr(engine_process, "QUIT_SECONDS", 0.2)
    async with Oryn(binary=program.path):
        os.kill(program.processes[0], signal.SIGSTOP)


@pytest.mark.slow
@pytest.mark.browser
async def test_close_cancels_commands_in_flight(program: Program) -> None:
    oryn = Oryn(binary=program.path)
    await oryn.connect()
    await _at_a_page(oryn)
    asked = await _under_way(oryn, FOREVER)
    await asyncio.gather(oryn.close(), oryn.close())
    with pytest.raises(ConnectionLost, match="the client was closed before it answered 'eval'"):
        await asked
    with pytest.raises(NotConnected, match="the client is not connected"):
        await oryn.send("url")
    await oryn.connect()
    assert await oryn.send("url") == "ok url\n\nabout:blank"
    await oryn.close()


@pytest.mark.slow
async def test_an_engine_that_ended_while_nothing_was_asked_is_started_again(program: Program) -> None:
    async with Oryn(binary=program.path) as oryn:
        assert await oryn.send("exit") == "ok exit"
        with contextlib.suppress(ConnectionLost):  # it may still be ending
            await oryn.send("sessions")
        assert await oryn.send("sessions") == "ok sessions\n\n# active sessions\n- default (current)"


async def test_engine_stderr_is_in_the_error_and_not_on_the_terminal(
    program: Program, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(EngineFailed, match="exit code 2 before it was ready; it said: loud\n") as failed:
        await Oryn(binary=program.path, arguments=["--loud", "--no-such"]).connect()
    assert "no such option '--no-such'" in failed.value.message
    assert capfd.readouterr() == ("", "")


async def test_a_start_that_is_given_up_leaves_nothing(fake_engine: Any) -> None:
    oryn = Oryn(binary=fake_engine([{"wait": True}]), timeout=0.3)
    with pytest.raises(NoAnswer, match=r"the engine did not get ready within 0.3 s"):
        await oryn.connect()
    assert not oryn.connected
    starting = asyncio.create_task(oryn.connect())
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not oryn.connected


@pytest.mark.parametrize("turns", [1, 2, 5, 50])
async def test_closing_while_it_starts(fake_engine: Any, turns: int) -> None:
    oryn = Oryn(binary=fake_engine([{"wait": True}]))
    starting = asyncio.create_task(oryn.connect())
    for _ in range(turns):
        await asyncio.sleep(0)
    await oryn.close()
    with pytest.raises(EngineFailed, match="the client was closed before it was ready"):
        await starting


@pytest.mark.slow
async def test_a_start_that_takes_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_process, "START_SECONDS", 3)
    engine = tmp_path / "oryn-h"
    engine.write_text("#!/bin/sh\necho still thinking >&2\ncat\n")
    engine.chmod(0o755)
    with pytest.raises(EngineFailed, match=r"the engine was not ready within 3 s; it said: still thinking"):
        await Oryn(binary=engine).connect()


async def test_an_engine_that_closes_its_output_is_lost(fake_engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_process, "_PIPE_DRAIN_SECONDS", 0.1)
    async with Oryn(binary=fake_engine([{"say": READY}, {"hear": 1}, {"hang_up": True}, {"wait": True}])) as oryn:
        with pytest.raises(ConnectionLost, match="the engine closed its output before it answered 'url'"):
            await oryn.send("url")


async def test_an_answer_without_an_end(fake_engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_process, "MAX_ANSWER_BYTES", 100_000)
    async with Oryn(binary=fake_engine([{"say": READY}, {"hear": 1}, {"flood": 200_000}, {"wait": True}])) as oryn:
        with pytest.raises(ConnectionLost, match="an answer of the engine does not end before it answered 'url'"):
            await oryn.send("url")


async def test_long_lines_pass_both_ways(fake_engine: Any) -> None:
    line = f'type 1 "{"ß" * 2_000_000}"'
    async with Oryn(
        binary=fake_engine([{"say": READY}, {"hear": 1}, {"say": "{heard}\n---\n"}, {"wait": True}])
    ) as oryn:
        assert await oryn.send(line) == line


async def test_invalid_client_arguments_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="the mode can't be 'firefox'"):
        Oryn("firefox")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="the arguments can't be one text"):
        Oryn(arguments="--timeout 60s")
    with pytest.raises(NotConnected):
        await Oryn().send("url")
    with pytest.raises(UnexpectedInput, match="half a character at position 8"):
        await Oryn().send('type 1 "\ud800"')
    with pytest.raises(EngineNotFound, match=r"no program .*nothing"):
        await Oryn(binary=tmp_path / "nothing").connect()
    (tmp_path / "text").write_text("")
    (tmp_path / "text").chmod(0o755)
    with pytest.raises(EngineFailed, match="text can't be run: "):
        await Oryn(binary=tmp_path / "text").connect()


async def test_it_connects_once(fake_engine: Any) -> None:
    async with Oryn(binary=fake_engine([{"say": READY}, {"wait": True}])) as oryn:
        with pytest.raises(ConfigurationError, match="connected already"):
            await oryn.connect("another")
        assert oryn.connected
