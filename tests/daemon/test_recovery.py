"""Sessions of a daemon that is killed a moment after an answer, and of a browser that is (docs/sessions.md)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.daemon_process import END_SECONDS, RunningDaemon, daemon_environment
from tests.headless.conftest import Pages
from tests.soak import repeated, repetitions

pytestmark = pytest.mark.browser

Start = Callable[..., RunningDaemon]

ROUNDS = repetitions(2, soak=25)
BLANK = "about:blank"

LATE_SAVES = """
from oryn.sessions.persistence import schedule
schedule.DEBOUNCE_SECONDS = schedule.MAX_DELAY_SECONDS = 3600
"""
"""A `sitecustomize` with which a daemon is always killed before it has saved what a command changed."""


@pytest.fixture
def site(pages: Pages) -> Pages:
    """Pages that store something when they are loaded for the first time, and never again."""
    for path in ("/", "/two", "/three"):
        pages[path] = f"<title>Page {path}</title><label>Name <input name=n></label><button>Go</button>"
    return pages


async def restart(daemon: RunningDaemon) -> None:
    """Kill it at once, and start another in its place."""
    await daemon.kill()
    await daemon.no_process()
    daemon.start()


async def tabs_of(daemon: RunningDaemon, session: str = "default") -> list[tuple[str, bool]]:
    answer = await daemon.ok("tabs", session=session)
    return [(tab["url"], tab["current"]) for tab in answer["data"]["result"]]


async def url_of(daemon: RunningDaemon, session: str = "default") -> str:
    """What the page itself says."""
    url: str = (await daemon.ok('eval "location.href"', session=session))["data"]["result"]
    return url


async def notes_of(daemon: RunningDaemon, session: str = "default") -> list[str]:
    notes: list[str] = (await daemon.ok("title", session=session))["data"].get("notes", [])
    return notes


async def wait_until(what: Callable[[], bool]) -> None:
    """Wait until something is on disk."""
    async with asyncio.timeout(END_SECONDS):
        while not what():
            await asyncio.to_thread(time.sleep, 0.01)  # nothing tells of a file that is written


def texts(daemon: RunningDaemon) -> str:
    """Everything in its folder of data."""
    files = [file for file in (daemon.home / "data" / "daemon").rglob("*") if file.is_file()]
    return "\n".join(file.read_text(errors="replace") for file in files if file.name not in ("token", "actions.jsonl"))


def journal(daemon: RunningDaemon) -> str:
    file = daemon.home / "data" / "daemon" / "sessions.journal"
    return file.read_text() if file.exists() else ""


def browser_of(daemon: RunningDaemon) -> int:
    """The one process of the browser that its sessions share."""
    mark = f"{daemon.home}/run/browser-".encode()
    words = {process: Path(f"/proc/{process}/cmdline").read_bytes() for process in daemon.processes()}
    (found,) = [process for process, line in words.items() if mark in line and b"--type=" not in line]
    return found


# --- the daemon is killed ---


@pytest.mark.slow
@repeated
async def test_a_page_is_there_again_however_soon_the_kill_comes(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    for number in range(ROUNDS):
        url = site.url(f"/?{number}")
        await daemon.ok(f"goto {url}")
        await restart(daemon)
        notes = await notes_of(daemon)
        assert notes[0].startswith(f"session restored at {url};")
        assert await url_of(daemon) == url


@pytest.mark.slow
async def test_a_verb_of_the_command_line_right_before_the_kill(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()

    def oryn(*words: str) -> str:
        answer = subprocess.run(
            [sys.executable, "-m", "oryn", *words],
            env=daemon_environment(daemon.home), capture_output=True, text=True, check=True,
        )  # fmt: skip
        return answer.stdout

    await asyncio.to_thread(oryn, "goto", site.url("/two"))
    await restart(daemon)
    assert site.url("/two") in await asyncio.to_thread(oryn, "url")


@pytest.mark.slow
@pytest.mark.whole_browser
async def test_tabs_and_which_is_current(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    one, two, three = (site.url(path) for path in ("/", "/two", "/three"))
    await daemon.ok(f"goto {one}")
    await daemon.ok(f"tab new {two}")
    await restart(daemon)
    assert await tabs_of(daemon) == [(one, False), (two, True)]
    await daemon.ok("tab switch 1")
    await restart(daemon)
    assert await tabs_of(daemon) == [(one, True), (two, False)]
    await daemon.ok("tab close 1")
    await daemon.ok(f"tab new {three}")
    await daemon.ok("tab switch 2")
    await restart(daemon)
    assert await tabs_of(daemon) == [(two, True), (three, False)]


@pytest.mark.slow
async def test_storage_of_a_tab_does_not_move_to_its_neighbour(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    await daemon.ok(f"goto {site.url('/')}")
    await daemon.ok("storage set --session who first")
    await daemon.ok(f"tab new {site.url('/two')}")
    await daemon.ok("storage set --session who second")
    state = daemon.home / "data" / "daemon" / "sessions" / "default.json"
    await wait_until(lambda: state.exists() and "second" in state.read_text())
    await daemon.ok("tab close 1")
    await restart(daemon)
    assert (await daemon.ok("storage get --session who"))["data"]["result"] == "second"


@pytest.mark.slow
async def test_cookies_and_storage_a_moment_later(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    await daemon.ok(f"goto {site.url('/')}")
    await daemon.ok("cookies set who ada")
    await daemon.ok("storage set where here")
    state = daemon.home / "data" / "daemon" / "sessions" / "default.json"
    await wait_until(lambda: state.exists() and "ada" in state.read_text() and "here" in state.read_text())
    await wait_until(lambda: journal(daemon).endswith('"behind":false}\n') or not journal(daemon))
    await restart(daemon)
    notes = await notes_of(daemon)
    assert len(notes) == 1
    assert (await daemon.ok("cookies get who"))["data"]["result"] == "ada"
    assert (await daemon.ok("storage get where"))["data"]["result"] == "here"


@pytest.mark.slow
async def test_first_answer_after_recovery_names_missing_state(daemon_of: Start, site: Pages, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(LATE_SAVES)
    daemon = daemon_of(PYTHONPATH=str(tmp_path))
    await daemon.ok(f"goto {site.url('/')}")
    daemon.environment.clear()
    await restart(daemon)
    assert (await notes_of(daemon))[1:] == ["its cookies and storage were not saved"]
    state = daemon.home / "data" / "daemon" / "sessions" / "default.json"
    await wait_until(state.exists)
    await wait_until(lambda: '"behind":true' not in journal(daemon).rpartition("\n{")[2])
    daemon.environment["PYTHONPATH"] = str(tmp_path)
    await restart(daemon)
    await daemon.ok("cookies set who ada")
    await daemon.ok('type "Name" "Ada"')
    await restart(daemon)
    notes = await notes_of(daemon)
    assert "input entered on the page is lost" in notes
    assert "changes that its last commands made to cookies and storage may be missing" in notes


@pytest.mark.slow
async def test_a_page_that_moves_by_itself_after_the_answer(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    site["/"] = "<title>First</title><button onclick='setTimeout(() => location = \"/late\", 1500)'>Go</button>"
    site["/late"] = "<title>Late</title><script>setTimeout(() => history.pushState(0, '', '/later'), 500)</script>"
    await daemon.ok(f"goto {site.url('/')}")
    await daemon.ok('click "Go"')
    await wait_until(lambda: site.url("/later") in texts(daemon))
    site["/later"] = "<title>Later</title>"
    await restart(daemon)
    assert await url_of(daemon) == site.url("/later")


@pytest.mark.slow
async def test_two_sessions_at_once(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    names = ("a", "b", "c")
    await asyncio.gather(*(daemon.ok(f"goto {site.url(f'/?{name}')}", session=name) for name in names))
    await restart(daemon)
    for name in names:
        assert await url_of(daemon, name) == site.url(f"/?{name}")


@pytest.mark.slow
async def test_a_session_that_was_only_opened(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    await daemon.ok("session new work")
    await daemon.ok({"action": "url", "args": {}}, session="mine", settings={"profile": "mine"})
    await restart(daemon)
    rows = (await daemon.ok("sessions"))["data"]["result"]
    assert {row["name"] for row in rows if row["dormant"]} == {"work", "mine"}
    await daemon.ok("url", session="mine")
    rows = (await daemon.ok("sessions"))["data"]["result"]
    assert {row["name"]: row["profile"] for row in rows} == {"work": None, "mine": "mine"}


@pytest.mark.slow
async def test_a_session_that_was_closed_does_not_come_back(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    state = daemon.home / "data" / "daemon" / "sessions" / "work.json"
    await daemon.ok(f"goto {site.url('/')}", session="work")
    await daemon.ok("cookies set who ada", session="work")
    await wait_until(lambda: state.exists() and "ada" in state.read_text())
    await daemon.ok("session close work", session="work")
    await restart(daemon)
    assert "work" not in {row["name"] for row in (await daemon.ok("sessions"))["data"]["result"]}
    assert not state.exists()
    assert await url_of(daemon, "work") == BLANK


@pytest.mark.slow
async def test_an_ephemeral_session_leaves_nothing(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    url = site.url("/?hidden")
    await daemon.ok(f"goto {url}", session="secret", settings={"ephemeral": True})
    await daemon.ok(f"goto {site.url('/two')}")
    await wait_until(lambda: site.url("/two") in texts(daemon))
    await daemon.kill()
    assert '"secret"' not in texts(daemon)
    assert "hidden" not in texts(daemon)
    daemon.start()


@pytest.mark.slow
async def test_a_line_of_another_process_right_before_the_kill(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    await daemon.ok("url")
    about = daemon.home / "sessions" / "default.json"
    await wait_until(lambda: about.exists() and "socket" in about.read_text())
    place = json.loads(about.read_text())["socket"]
    with socket.socket(socket.AF_UNIX) as other:
        other.settimeout(END_SECONDS)
        other.connect(place)
        other.sendall(f"@default goto {site.url('/two')}\n".encode())
        answer = b""
        while b"---\n" not in answer:
            answer += await asyncio.to_thread(other.recv, 65_536)
    assert answer.startswith(b"ok ")
    await restart(daemon)
    assert await url_of(daemon) == site.url("/two")


@pytest.mark.slow
async def test_a_journal_that_ends_in_the_middle_of_a_line(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    await daemon.ok(f"goto {site.url('/')}")
    await daemon.kill()
    with (daemon.home / "data" / "daemon" / "sessions.journal").open("a") as file:
        file.write('{"session":"default","tabs":["https://exam')
    daemon.start()
    assert await url_of(daemon) == site.url("/")
    assert "damaged" not in daemon.log()


async def test_commands_run_with_an_unwritable_journal(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    (daemon.home / "data" / "daemon" / "sessions.journal").mkdir(parents=True)
    await daemon.ok(f"goto {site.url('/')}")
    await daemon.ok('click "Go"')
    await wait_until(lambda: "sessions can't be saved" in daemon.log())


# --- the browser is killed ---


@pytest.mark.slow
@pytest.mark.whole_browser
@repeated
async def test_both_sessions_of_a_browser_come_back_to_their_pages(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    for number in range(ROUNDS):
        still, here = site.url(f"/?still-{number}"), site.url(f"/?here-{number}")
        await daemon.ok(f"goto {still}", session="still")
        await daemon.ok(f"goto {here}")
        os.kill(browser_of(daemon), signal.SIGKILL)
        assert await position_of(daemon, "default") == here
        assert await position_of(daemon, "still") == still


async def position_of(daemon: RunningDaemon, session: str) -> str:
    """Where a session stands; the command that the browser's death is noticed by fails."""
    answer: dict[str, Any] = await daemon.ask('eval "location.href"', session=session)
    if not answer["ok"]:
        assert answer["error_kind"] == "browser_failed", answer["text"]
        return await url_of(daemon, session)
    url: str = answer["data"]["result"]
    return url


@pytest.mark.slow
@pytest.mark.whole_browser
async def test_a_browser_that_is_ended_in_good_order_takes_no_tab_with_it(daemon_of: Start, site: Pages) -> None:
    daemon = daemon_of()
    await daemon.ok(f"goto {site.url('/')}")
    await daemon.ok(f"tab new {site.url('/two')}")
    process = browser_of(daemon)
    os.kill(process, signal.SIGTERM)
    await wait_until(lambda: not Path(f"/proc/{process}/cmdline").exists() or not _alive(process))
    await position_of(daemon, "default")
    assert await tabs_of(daemon) == [(site.url("/"), False), (site.url("/two"), True)]


def _alive(process: int) -> bool:
    try:
        return bool(Path(f"/proc/{process}/cmdline").read_bytes())
    except OSError:
        return False
