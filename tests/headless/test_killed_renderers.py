"""Renderers that are killed while a page loads: the answer is that it crashed, and the session goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from tests.headless.conftest import Driver, Pages
from tests.soak import repeated, repetitions

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
    pytest.mark.whole_browser,
]


def renderers(of: int) -> list[int]:
    """The renderer processes of a browser."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = []
    for process in parents:
        above = process
        while above in parents and above != of:
            above = parents[above]
        try:
            if above == of and b"--type=renderer" in (Path("/proc") / str(process) / "cmdline").read_bytes():
                found.append(process)
        except OSError:
            continue
    return found


def long_page(pages: Pages) -> asyncio.Event:
    """Serve a long page at `/long`; the event is set whenever somebody asks for it."""
    asked, loop = asyncio.Event(), asyncio.get_running_loop()

    def held(handler: Any) -> str:
        loop.call_soon_threadsafe(asked.set)
        return "<title>long</title>" + "<p>x</p>" * 50_000

    pages["/long"] = held
    return asked


async def killed_at(rounds: int, host: str, pages: Pages, folder: Path) -> list[str]:
    """What `goto` a long page of `host` answers if every renderer is killed once the page is asked for; the session goes
    on after each."""
    pages.bodies.clear()
    browser = ChromiumBrowser(runtime_dir=folder)
    session = Session(browser, options=Options(timeout=60))
    driver = Driver(session, pages)
    asked, told = long_page(pages), []
    await driver.show("<title>home</title>", "/")
    process = browser._shared.process
    assert process is not None
    url = pages.url("/long", host)
    for _ in range(rounds):
        asked.clear()
        going = asyncio.ensure_future(session.execute(f"goto {url}"))
        await asked.wait()
        for each in renderers(process.pid):
            os.kill(each, signal.SIGKILL)
        answer = await going
        told.append(answer.error.code if answer.error else "ok")
        if "the page crashed" in (again := await driver(f"goto {pages.url('/')}")):
            again = await driver(f"goto {pages.url('/')}")  # the new tab had got a renderer that was killed along
        assert '"home"' in again, told
    await session.close()
    return told


@pytest.mark.slow
@repeated
async def test_a_renderer_that_dies_while_a_page_loads(pages: Pages, tmp_path: Path) -> None:
    told = await killed_at(repetitions(4, soak=40), "127.0.0.1", pages, tmp_path)
    assert set(told) <= {"PAGE_CRASHED", "ok"}, told
    assert "PAGE_CRASHED" in told, told


@pytest.mark.slow
@repeated
async def test_a_renderer_that_dies_between_two_sites(pages: Pages, tmp_path: Path) -> None:
    """The load moves to another process while the one that it began in dies."""
    told = set(await killed_at(repetitions(6, soak=60), "localhost", pages, tmp_path))
    # A commit that meets the process's death can leave a tab that tells of neither: that is found out by its time limit.
    assert told <= {"PAGE_CRASHED", "TIMEOUT", "ok"} and told & {"PAGE_CRASHED", "ok"}, told
