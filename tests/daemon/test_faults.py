"""What may go wrong around a daemon, with the real processes (docs/daemon.md).

After each of these there is a clear error, nothing is left running, no row of the history is lost or there twice, and
the sessions go on with the next command."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.daemon_client.http import STATUS_ENDING
from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages

pytestmark = pytest.mark.whole_browser

Start = Callable[..., RunningDaemon]

PAGE = "<title>Shop</title><h1>Shop</h1><button>Buy</button>"
NEVER = 'wait visible css("#never") --timeout 60s'


class SlowPage:
    """A page that is loading until somebody lets it go; `requested` is set when a browser wants it."""

    def __init__(self) -> None:
        self.requested, self.go = threading.Event(), threading.Event()

    def __call__(self, _request: Any) -> str:
        self.requested.set()
        self.go.wait(60)
        return PAGE


@pytest.fixture
def slow(pages: Pages) -> Iterator[SlowPage]:
    page = SlowPage()
    pages["/slow"] = page
    yield page
    page.go.set()


class EventStream:
    """The daemon's events, as they come."""

    def __init__(self, daemon: RunningDaemon) -> None:
        self._stream = daemon.client.stream("GET", "/events")

    async def __aenter__(self) -> EventStream:
        self._lines = (await self._stream.__aenter__()).aiter_lines()
        return self

    async def __aexit__(self, *about: Any) -> None:
        await self._stream.__aexit__(*about)

    async def until(self, type: str, count: int = 1) -> list[dict[str, Any]]:
        """The data of the next events of a type."""
        found: list[dict[str, Any]] = []
        async for line in self._lines:
            if line.startswith("data: ") and (event := json.loads(line[6:]))["type"] == type:
                found.append(event["data"])
                if len(found) == count:
                    return found
        raise AssertionError(f"the daemon ended with {found}")


def unique(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, each of which is there once."""
    identifiers = [row["action_id"] for row in rows]
    assert len(set(identifiers)) == len(identifiers)
    return rows


def outcomes(rows: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    return [(row["action"], row["error_kind"]) for row in unique(rows)]


def processes_with(daemon: RunningDaemon, *words: bytes, without: bytes = b"\0\0") -> list[int]:
    """Processes of the daemon's browsers, by their command lines."""
    lines = {process: Path(f"/proc/{process}/cmdline").read_bytes() for process in daemon.processes()}
    return [process for process, line in lines.items() if all(word in line for word in words) and without not in line]


@pytest.mark.slow
async def test_the_browser_is_killed_in_the_middle_of_a_command(daemon_of: Start, pages: Pages) -> None:
    pages["/"] = PAGE
    daemon = daemon_of()
    await daemon.ok(f"goto {pages.url()}")
    await daemon.wait_until_saved("default")
    before = set(daemon.processes())
    async with EventStream(daemon) as watch:
        waiting = asyncio.create_task(daemon.ask(NEVER))
        await watch.until("action.start")
    (browser,) = processes_with(daemon, b"--remote-debugging-pipe", without=b"--type=")
    os.kill(browser, signal.SIGKILL)
    answer = await waiting
    assert (answer["error_kind"], answer["ok"]) == ("browser_failed", False)
    again = await daemon.ok("title")
    assert "Shop" in again["text"]
    assert not before & set(daemon.processes())
    assert outcomes(daemon.rows()) == [("goto", None), ("wait", "browser_failed"), ("title", None)]


@pytest.mark.slow
async def test_a_tab_crashes_in_the_middle_of_a_command(daemon_of: Start, pages: Pages) -> None:
    pages["/"] = PAGE
    daemon = daemon_of()
    await daemon.ok(f"goto {pages.url()}")
    async with EventStream(daemon) as watch:
        waiting = asyncio.create_task(daemon.ask(NEVER))
        await watch.until("action.start")
    for renderer in processes_with(daemon, b"--type=renderer"):
        os.kill(renderer, signal.SIGKILL)
    answer = await waiting
    assert answer["error_kind"] == "page_crashed"
    assert answer["hint"] == "Run 'goto' to load it again in a new tab."
    before = answer["snapshot_generation"]
    again = await daemon.ok("title")
    assert "Shop" in again["text"] and f"the tab crashed and shows {pages.url()} again" in again["text"]
    assert again["snapshot_generation"] > before
    assert outcomes(daemon.rows()) == [("goto", None), ("wait", "page_crashed"), ("title", None)]


@pytest.mark.slow
async def test_the_daemon_is_killed_while_eight_sessions_work(daemon_of: Start, pages: Pages) -> None:
    names = [f"s{number}" for number in range(8)]
    for name in names:
        pages[f"/{name}"] = f"<title>{name}</title>"
    daemon = daemon_of()
    for name in names:
        await daemon.ok(f"goto {pages.url(f'/{name}')}", session=name)
    await daemon.wait_until_saved(*names)
    async with EventStream(daemon) as watch:
        waiting = [
            asyncio.create_task(daemon.client.post("/command", json={"line": NEVER, "session": name})) for name in names
        ]
        begun = await watch.until("action.start", 8)
        daemon.signal(signal.SIGKILL)
        assert all(isinstance(each, Exception) for each in await asyncio.gather(*waiting, return_exceptions=True))
    await daemon.ended()
    await daemon.no_process()
    daemon.start()
    rows = unique(daemon.rows())
    lost = [row for row in rows if row["error_kind"] == "daemon_failed"]
    assert {row["action_id"] for row in lost} == {event["action_id"] for event in begun}
    assert {row["session"] for row in lost} == set(names)
    assert {row["error"] for row in lost} == {"the daemon ended in the middle of the command"}
    assert lost[0]["args"] == {"line": 'wait visible css("#never") --timeout 60s'}
    assert len(rows) == 16
    titles = await asyncio.gather(*(daemon.ok("title", session=name) for name in names))
    assert [each["session"] in each["text"] for each in titles] == [True] * 8
    assert len(unique(daemon.rows())) == 24


async def test_the_disk_is_full_while_history_is_written(daemon_of: Start) -> None:
    daemon = daemon_of()
    await daemon.ok("help click")
    file = daemon.home / "data" / "daemon" / "actions.jsonl"
    aside = file.rename(file.with_suffix(".aside"))
    file.symlink_to("/dev/full")  # where every write fails with ENOSPC
    for topic in ("goto", "type", "tabs"):
        await daemon.ok(f"help {topic}")
    assert (await daemon.status())["history"] == "No space left on device"
    file.unlink()
    aside.rename(file)
    await daemon.ok("help press")
    assert (await daemon.status())["history"] is None
    lines = [row["args"]["line"] for row in unique(daemon.rows())]
    assert lines == [f"help {topic}" for topic in ("click", "goto", "type", "tabs", "press")]
    assert daemon.log().count("the history can't be written") == 1


@pytest.mark.slow
async def test_the_disk_is_full_and_the_daemon_is_killed(daemon_of: Start) -> None:
    daemon = daemon_of()
    await daemon.ok("help click")
    file = daemon.home / "data" / "daemon" / "actions.jsonl"
    aside = file.rename(file.with_suffix(".aside"))
    file.symlink_to("/dev/full")
    answer = await daemon.ok("help goto")
    await daemon.kill()
    file.unlink()
    aside.rename(file)
    daemon.start()
    rows = unique(daemon.rows())
    # What became of it is not known any more, but that it was begun is.
    assert [(row["args"]["line"], row["error_kind"]) for row in rows] == [
        ("help click", None), ("help goto", "daemon_failed"),
    ]  # fmt: skip
    assert rows[1]["action_id"] == answer["action_id"]


@pytest.mark.slow
async def test_sigterm_during_a_navigation(daemon_of: Start, pages: Pages, slow: SlowPage) -> None:
    pages["/"] = PAGE
    daemon = daemon_of()
    await daemon.ok(f"goto {pages.url()}")
    waiting = asyncio.create_task(daemon.ask(f"goto {pages.url('/slow')}"))
    await asyncio.to_thread(slow.requested.wait, 30)
    daemon.signal(signal.SIGTERM)
    answer = await waiting
    assert answer["error_kind"] == "daemon_failed"
    assert answer["error"] == "the daemon ended in the middle of the command"
    assert answer["hint"] == "Give it again: another one starts."
    assert await daemon.ended() == 0
    await daemon.no_process()
    assert outcomes(daemon.rows()) == [("goto", None), ("goto", "daemon_failed")]
    slow.go.set()
    daemon.start()
    assert "Shop" in (await daemon.ok("title"))["text"]


@pytest.mark.slow
async def test_a_command_that_is_soon_done_is_done_though_the_daemon_ends(
    daemon_of: Start, pages: Pages, slow: SlowPage
) -> None:
    daemon = daemon_of()
    waiting = asyncio.create_task(daemon.ask(f"goto {pages.url('/slow')}"))
    await asyncio.to_thread(slow.requested.wait, 30)
    daemon.signal(signal.SIGTERM)
    slow.go.set()
    answer = await waiting
    assert answer["ok"], answer["text"]
    assert await daemon.ended() == 0


@pytest.mark.slow
async def test_a_command_that_comes_while_the_daemon_ends_is_not_begun(
    daemon_of: Start, pages: Pages, slow: SlowPage
) -> None:
    daemon = daemon_of()
    await daemon.status()  # a connection: nobody who connects later is let in
    waiting = asyncio.create_task(daemon.ask(f"goto {pages.url('/slow')}"))
    await asyncio.to_thread(slow.requested.wait, 30)
    await daemon.ending()
    late = await daemon.client.post("/command", json={"line": "title"})
    slow.go.set()
    failure = late.json()
    assert (late.status_code, failure["error_kind"]) == (STATUS_ENDING, "daemon_ending")
    assert (failure["error"], failure["hint"]) == ("the daemon is ending", "Give it again: another one starts.")
    assert (await waiting)["ok"]
    assert await daemon.ended() == 0
    assert outcomes(daemon.rows()) == [("goto", None)]


@pytest.mark.slow
async def test_a_client_that_vanishes_in_the_middle_of_a_command(
    daemon_of: Start, pages: Pages, slow: SlowPage
) -> None:
    daemon = daemon_of()
    async with EventStream(daemon) as watch:
        waiting = asyncio.create_task(daemon.ask(f"goto {pages.url('/slow')}"))
        await asyncio.to_thread(slow.requested.wait, 30)
        waiting.cancel()
        await asyncio.wait([waiting])
        (finished,) = await watch.until("action.finish")
    assert (finished["ok"], finished["error_kind"]) == (False, "cancelled")
    slow.go.set()
    await daemon.ok("title")
    assert outcomes(daemon.rows()) == [("goto", "cancelled"), ("title", None)]


SHIFTED_CLOCK = """
import datetime, os, time
_offset, _now, _time = os.environ["CLOCK_OFFSET_FILE"], datetime.datetime.now, time.time
def _shift():
    with open(_offset) as file:
        return float(file.read())
class Shifted(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return _now(tz) + datetime.timedelta(seconds=_shift())
datetime.datetime = Shifted
time.time = lambda: _time() + _shift()
"""


@pytest.mark.slow
async def test_the_clock_is_set_back(daemon_of: Start, tmp_path: Path, pages: Pages) -> None:
    """The system's own clock is not ours to set: the daemon's process is told another time, from its start on."""
    pages["/"] = PAGE
    site, offset = tmp_path / "site", tmp_path / "offset"
    site.mkdir()
    (site / "sitecustomize.py").write_text(SHIFTED_CLOCK)
    offset.write_text("0")
    source = str(Path(__file__).parents[2] / "src")
    daemon = daemon_of(PYTHONPATH=f"{site}{os.pathsep}{source}", CLOCK_OFFSET_FILE=str(offset))
    await daemon.ok(f"goto {pages.url()}")
    await daemon.ok("title")
    offset.write_text("-7200")
    waiting = asyncio.create_task(daemon.ask('wait visible css("#never") --timeout 1s'))
    assert (await waiting)["error_kind"] == "timeout"
    await daemon.ok("url")
    rows = unique(daemon.rows())
    assert [row["action"] for row in rows] == ["goto", "title", "wait", "url"]
    assert rows[2]["ts"] < rows[0]["ts"]
    assert all(row["elapsed_ms"] >= 0 for row in rows)
    assert 900 <= rows[2]["elapsed_ms"] < 3_600_000  # without the two hours
    since = select(daemon.home / "data" / "daemon", since=rows[2]["ts"])
    assert [row.action for row in since] == ["wait", "url"]


def select(folder: Path, **chosen: Any) -> list[Any]:
    from oryn.daemon.history.log import ActionHistory

    return ActionHistory(folder).select(**chosen)
