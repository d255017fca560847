"""The worker's event loop: what is ready runs in one turn, timers when they are due, and the browser in between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from oryn.extension.event_loop import SLICE_SECONDS, WorkerLoop
from scripts.extension.browser import Target


class ManualTurns:
    """Turns a loop when the test says so."""

    def __init__(self) -> None:
        self.turn: Callable[[], float] = lambda: -1
        self.requests = 0

    def drive(self, turn: Callable[[], float]) -> None:
        self.turn = turn

    def soon(self) -> None:
        self.requests += 1


@pytest.fixture
def turns() -> Iterator[ManualTurns]:
    by_hand = ManualTurns()
    loop = WorkerLoop(by_hand)
    loop.install()
    yield by_hand
    asyncio._set_running_loop(None)
    loop._thread_id = None
    loop.close()


async def steps(heard: list[str], count: int) -> None:
    for number in range(count):
        await asyncio.sleep(0)
        heard.append(f"step {number}")


def test_all_that_is_ready_runs_in_one_turn(turns: ManualTurns) -> None:
    heard: list[str] = []
    task = asyncio.get_running_loop().create_task(steps(heard, 3))
    assert (turns.requests, heard) == (1, [])
    assert turns.turn() == -1  # nothing is left to wait for
    assert heard == ["step 0", "step 1", "step 2"] and task.done()
    assert turns.requests == 1  # what becomes ready within a turn needs no other


def test_a_turn_says_when_the_next_is_due(turns: ManualTurns) -> None:
    loop, heard = asyncio.get_running_loop(), list[str]()
    loop.call_later(30, heard.append, "late")
    near = loop.call_later(10, heard.append, "near")
    assert turns.requests == 2
    assert 9_000 < turns.turn() <= 10_000
    near.cancel()
    loop.call_later(0, heard.append, "now")
    turns.turn()
    assert heard == ["now"]
    assert 29_000 < turns.turn() <= 30_000


def test_a_limit_of_time_ends_what_waits(turns: ManualTurns) -> None:
    async def wait() -> str:
        try:
            async with asyncio.timeout(0):
                await asyncio.get_running_loop().create_future()
        except TimeoutError:
            return "over"
        return "never"

    task = asyncio.get_running_loop().create_task(wait())
    turns.turn()
    assert task.result() == "over"


def test_the_browser_gets_its_turn_before_python_has_had_all_of_its_own(turns: ManualTurns) -> None:
    loop = asyncio.get_running_loop()
    begun = loop.time()

    async def endless() -> None:
        while True:  # noqa: ASYNC110
            await asyncio.sleep(0)

    task = loop.create_task(endless())
    assert turns.turn() == 0
    assert SLICE_SECONDS <= loop.time() - begun
    task.cancel()
    assert turns.turn() == -1
    assert task.cancelled()


def test_a_turn_within_a_turn_does_nothing(turns: ManualTurns) -> None:
    heard: list[object] = []
    asyncio.get_running_loop().call_soon(lambda: heard.append(turns.turn()))
    turns.turn()
    assert heard == [-1]


def test_what_fails_ends_neither_the_turn_nor_the_loop(turns: ManualTurns, caplog: pytest.LogCaptureFixture) -> None:
    loop, heard = asyncio.get_running_loop(), list[str]()
    loop.call_soon(lambda: 1 / 0)
    loop.call_soon(heard.append, "after")
    turns.turn()
    assert heard == ["after"]
    assert "ZeroDivisionError" in caplog.text


def test_a_generator_that_is_left_is_closed(turns: ManualTurns) -> None:
    heard: list[str] = []

    async def generate() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            heard.append("closed")

    async def leave() -> None:
        async for _ in generate():
            return

    asyncio.get_running_loop().create_task(leave())
    turns.turn()
    turns.turn()
    assert heard == ["closed"]


async def test_the_worker_runs_python_in_it(worker: Target) -> None:
    code = """
import asyncio, time
heard = [type(asyncio.get_event_loop()).__name__]
async def go():
    before = time.monotonic()
    await asyncio.sleep(0.05)
    heard.append(0.04 < time.monotonic() - before)
    for _ in range(100):
        await asyncio.create_task(asyncio.sleep(0))
    try:
        async with asyncio.timeout(0.05):
            await asyncio.get_running_loop().create_future()
    except TimeoutError:
        heard.append("over")
task = asyncio.get_event_loop().create_task(go())
"""
    await worker.evaluate(f"oryn.pyodide.runPython({json.dumps(code)}), null")
    await worker.until("oryn.pyodide.runPython('task.done()')")
    heard = json.loads(await worker.evaluate("oryn.pyodide.runPython('import json; json.dumps(heard)')"))
    assert heard == ["WorkerLoop", True, "over"]


async def test_the_browser_is_heard_while_python_works(worker: Target) -> None:
    """An endless chain of ready callbacks keeps no message from the worker."""
    code = """
import asyncio
async def work():
    while not stopped:
        await asyncio.sleep(0)
stopped = False
work = asyncio.get_event_loop().create_task(work())
"""
    await worker.evaluate(f"oryn.pyodide.runPython({json.dumps(code)}), null")
    assert await worker.evaluate("new Promise((done) => setTimeout(() => done('heard'), 100))") == "heard"
    await worker.evaluate("oryn.pyodide.runPython('stopped = True')")
    await worker.until("oryn.pyodide.runPython('work.done()')")
