"""`SyncOryn`, the twin without an event loop, and what a program that uses either imports, prints and leaves behind."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from oryn.client import Oryn, SyncOryn
from oryn.errors import ConnectionLost, EngineFailed, NotConnected
from oryn.system.processes import is_running
from tests.clients.conftest import SOURCE, Program

ROOT = SOURCE.parent
READY = "ready oryn-h v1.0.0 protocol=2\n---\n"
ECHO = [{"say": READY}, *([{"hear": 1}, {"say": "heard {heard}\n---\n"}] * 20), {"wait": True}]


def run(code: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program with this library, in which every warning is an error."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *words],
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_sync_client_has_the_methods_of_the_async_client() -> None:
    def public(kind: type) -> dict[str, Any]:
        members = {name: each for name, each in vars(kind).items() if not name.startswith("_")}
        return {name: str(inspect.signature(each)) if callable(each) else "property" for name, each in members.items()}

    twins = {name: signature.replace("SyncExpectation", "Expectation") for name, signature in public(SyncOryn).items()}
    assert twins == public(Oryn)
    assert inspect.signature(SyncOryn) == inspect.signature(Oryn)


@pytest.mark.slow
@pytest.mark.browser
def test_it_drives_a_browser(program: Program) -> None:
    with SyncOryn(binary=program.path, session="work") as oryn:
        assert oryn.send("goto about:blank") == 'ok goto about:blank\n\n@ about:blank ""'
        assert "name: work\n" in oryn.send("session")
        assert oryn.connected
    assert not oryn.connected and not is_running(program.processes[0])
    assert "oryn" not in [each.name for each in threading.enumerate()]


def test_from_several_threads(fake_engine: Any) -> None:
    heard: list[str] = []
    with SyncOryn(binary=fake_engine(ECHO)) as oryn:
        threads = [threading.Thread(target=lambda n=n: heard.append(oryn.send(f"eval {n}"))) for n in range(5)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert sorted(heard) == [f"heard eval {n}" for n in range(5)]


async def test_where_a_loop_runs_already(fake_engine: Any) -> None:
    with SyncOryn(binary=fake_engine(ECHO)) as oryn:
        assert oryn.send("url") == "heard url"


def test_errors_come_through_and_no_thread_stays(fake_engine: Any) -> None:
    with pytest.raises(EngineFailed, match="no Oryn engine"):
        SyncOryn(binary=fake_engine([{"say": "hello\n"}, {"wait": True}])).connect()
    with pytest.raises(NotConnected):
        SyncOryn().send("url")
    with SyncOryn(binary=fake_engine([{"say": READY}, {"hear": 1}, {"die": True}])) as oryn:
        with pytest.raises(ConnectionLost):
            oryn.send("url")
    oryn.close()
    assert "oryn" not in [each.name for each in threading.enumerate()]


@pytest.mark.slow
def test_an_interrupted_call_is_given_up(fake_engine: Any) -> None:
    code = """
import os, signal, sys, threading
from oryn.client import SyncOryn
with SyncOryn(binary=sys.argv[1]) as oryn:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        oryn.send("first")
    except KeyboardInterrupt:
        print(oryn.connected)
"""
    ended = run(code, str(fake_engine([{"say": READY}, {"hear": 1}, {"wait": True}])))
    assert (ended.stdout, ended.stderr, ended.returncode) == ("True\n", "", 0)


@pytest.mark.parametrize("kind", ["SyncOryn", "Oryn"])
def test_a_program_that_forgets_to_close_ends_and_so_does_its_engine(fake_engine: Any, kind: str) -> None:
    code = f"""
import asyncio, sys
from oryn.client import {kind}
oryn = {kind}(binary=sys.argv[1])
{"oryn.connect(); print(oryn.send('pid'))" if kind == "SyncOryn" else "asyncio.run(oryn.connect())"}
"""
    ended = run(code, str(fake_engine(ECHO)))
    assert ended.returncode == 0
    if kind == "SyncOryn":  # asyncio itself warns of processes that outlive their loop
        assert (ended.stdout, ended.stderr) == ("heard pid\n", "")


@pytest.mark.slow
def test_a_process_mode_needs_nothing_but_the_standard_library(fake_engine: Any) -> None:
    """Nothing else is there."""
    code = f"""
import sys
sys.path.insert(0, {str(SOURCE)!r})
import asyncio
from oryn.client import Oryn, SyncOryn
async def main():
    async with Oryn(binary=sys.argv[1]) as oryn:
        await oryn.send("url")
asyncio.run(main())
with SyncOryn(binary=sys.argv[1]) as oryn:
    oryn.send("url")
print(*(name for name in sys.modules if name.startswith("oryn.")))
"""
    command = [sys.executable, "-I", "-S", "-W", "error", "-c", code, str(fake_engine(ECHO))]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.stderr == ""
    ours = ended.stdout.split()
    assert {name.split(".")[1] for name in ours} <= {"client", "core", "errors", "language", "sessions"}
    assert [name for name in ours if name.startswith("oryn.sessions.")] == ["oryn.sessions.framing"]


def test_the_package_alone_imports_nothing() -> None:
    code = "import sys; before = set(sys.modules); import oryn.client; print(*set(sys.modules) - before)"
    assert set(run(code).stdout.split()) <= {"__future__", "oryn", "oryn.client"}
    import oryn.client

    with pytest.raises(AttributeError, match="no attribute 'Onyx'"):
        oryn.client.Onyx  # noqa: B018


def test_the_engine_is_found_beside_the_interpreter(tmp_path: Path) -> None:
    """As in an environment that nobody has activated."""
    code = "from oryn.client.local_engine import engine_command; print(engine_command('headless')[0])"
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    engine = tmp_path / "bin" / "oryn-h"
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    found = subprocess.run(
        [python, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(SOURCE)!r}); {code}"],
        env={"PATH": "", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    installed = Path("/usr/local/bin/oryn-h").exists()
    assert found.stdout.strip() == ("/usr/local/bin/oryn-h" if installed else str(engine)), found.stderr
