"""`kill -9` in the middle of a program: of the program's own process, and of the daemon. The session stands, the rows
of the history say how far the program came, and nothing is done twice."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages
from tests.program.conftest import ProgramHost

PAGE = """<link rel=icon href=data:,><title>{count}</title><form method=post action=/buy><button>Buy</button></form>
<button>Idle</button>"""


class Counter:
    """A page whose button buys once more at the server. What counts is what the server has done."""

    def __init__(self, pages: Pages) -> None:
        self.bought = 0
        self.changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        pages["/"] = lambda _: PAGE.format(count=self.bought)
        pages["/buy"] = self._buy

    def _buy(self, _: Any) -> tuple[int, dict[str, str], str]:
        self.bought += 1
        self._loop.call_soon_threadsafe(self.changed.set)
        return 303, {"Location": "/"}, ""

    async def reach(self, count: int) -> None:
        async with asyncio.timeout(60):
            while self.bought < count:
                self.changed.clear()
                await self.changed.wait()


def inner_rows(daemon: RunningDaemon) -> list[tuple[str, bool]]:
    """The commands of programs and whether each is done."""
    return [(row["args"]["line"], row["ok"]) for row in daemon.rows() if row.get("program")]


async def test_the_process_of_the_program_is_killed(host: ProgramHost) -> None:
    counter = Counter(host.pages)
    await host.daemon.ok(f"goto {host.pages.url('/')}")
    running = asyncio.create_task(host.run("click('Buy')\nclick('Buy')\nwhile True: pass"))
    await counter.reach(2)
    (worker,) = host.workers()
    os.kill(worker, signal.SIGKILL)
    answer = await running
    assert answer["error_kind"] == "program_failed"
    assert "process has ended" in answer["error"]
    assert answer["data"]["result"]["commands"]["click"] >= 1
    assert all(is_done for _, is_done in inner_rows(host.daemon))
    assert (await host.daemon.ok("title"))["data"]["result"] == "2"
    assert await host.value("click('Buy')\npage.title") == "3"
    assert counter.bought == 3


@pytest.mark.slow
async def test_the_daemon_is_killed(daemon_of: Callable[..., RunningDaemon], served_pages: Pages) -> None:
    """The command line asks, which starts a daemon where there is none, and must not send the program to it."""
    counter = Counter(served_pages)
    daemon = daemon_of()
    await daemon.ok(f"goto {served_pages.url('/')}")
    await daemon.wait_until_saved("default")
    program = "for n in range(3): click('Buy')\nwait(60)\nfor n in range(3): click('Buy')"
    asking = asyncio.create_task(asyncio.to_thread(
        subprocess.run, [sys.executable, "-m", "oryn", "program", "-"],
        input=program, env=daemon_environment(daemon.home), capture_output=True, text=True, check=False,
    ))  # fmt: skip
    await counter.reach(3)
    async with asyncio.timeout(60):
        while len(inner_rows(daemon)) < 3:
            await asyncio.to_thread(time.sleep, 0.05)  # nothing tells of a row that is written
    await daemon.kill()
    asked = await asking
    assert asked.returncode != 0, asked.stdout
    await daemon.no_process()
    daemon.start()
    assert (await daemon.ok("title"))["data"]["result"] == "3"
    assert inner_rows(daemon)[:3] == [('click "Buy"', True)] * 3
    assert not any("Buy" in line for line, _ in inner_rows(daemon)[3:])
    assert counter.bought == 3


@pytest.mark.slow
async def test_a_program_that_has_stopped_does_not_outlive_the_daemon(
    daemon_of: Callable[..., RunningDaemon], served_pages: Pages
) -> None:
    counter = Counter(served_pages)
    daemon = daemon_of()
    await daemon.ok(f"goto {served_pages.url('/')}")
    await daemon.wait_until_saved("default")
    text = "click('Buy')\nclick('Sell', timeout=0)"
    answer = await daemon.ask({"action": "program", "args": {"text": text}})
    id = answer["data"]["result"]["stopped"]["resume"]
    await daemon.kill()
    await daemon.no_process()
    daemon.start()
    again = await daemon.ask({"action": "program", "args": {"resume": id}})
    assert again["error_kind"] == "program_not_found"
    assert counter.bought == 1


RUN = """
import asyncio
from oryn.sandbox.monty import new_interpreter

async def run():
    async with new_interpreter([], print) as interpreter:
        print((await interpreter.start("1 + 1", {})).value)

asyncio.run(run())
"""


@pytest.mark.slow
def test_a_host_that_has_run_a_program_ends_well() -> None:
    """With a pool that is still open, about one in five aborts at its exit."""
    for _ in range(5):
        ended = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "2\n", "")
