"""A test past its limit fails with the stacks, whatever holds it; the tests after it run, and no process is left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from tests import reaper
from tests.terminal import ignoring_hang_ups

PROJECT = Path(__file__).parent.parent
PYTEST = (sys.executable, "-m", "pytest", "-v", "-p", "tests.conftest", "-p", "no:cacheprovider")

pytestmark = [pytest.mark.processes, pytest.mark.skipif(not reaper.ENVIRONMENT.is_file(), reason="needs Linux")]

HEAD = """
import asyncio, ctypes, os, signal, subprocess, sys, threading, pytest

def left():
    process = subprocess.Popen(
        [sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(600)", "left-by-MARK"],
        start_new_session=True, stdout=subprocess.PIPE,
    )
    process.stdout.readline()
    return process
"""

HANGING = """
ended = []
async def deep():
    await asyncio.get_running_loop().create_future()
async def test_coroutine():
    try:
        await deep()
    finally:
        ended.append(True)
async def test_coroutine_after(runner):
    assert ended and len(asyncio.all_tasks()) == 1

async def test_stubborn_coroutine():
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if asyncio.current_task().cancelling() > 1:
                raise
async def test_stubborn_coroutine_after():
    assert len(asyncio.all_tasks()) == 1

async def test_forgiving_coroutine():
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        pass

def test_own_loop():
    asyncio.run(asyncio.Event().wait())

async def test_blocked_loop():
    subprocess.run(["sleep", "600"])
async def test_blocked_loop_after():
    assert len(asyncio.all_tasks()) == 1

@pytest.fixture
def never(run):
    run(asyncio.Event().wait())
def test_fixture(never):
    pass

def test_process():
    left().wait()

async def test_thread():
    process = left()
    await asyncio.to_thread(process.wait)

def test_lock():
    lock = threading.Lock()
    with lock:
        lock.acquire()

@pytest.mark.timeout(0.5)
def test_mark():
    threading.Event().wait()
def test_mark_after():
    threading.Event().wait(0.7)

@pytest.fixture
def never_ends(run):
    yield
    run(asyncio.Event().wait())
def test_teardown(never_ends):
    pass
def test_teardown_after_failure(never_ends):
    assert False, "this too"
async def test_last():
    pass
"""

STACKS = {
    "coroutine": "in deep",
    "stubborn_coroutine": "in wait",
    "forgiving_coroutine": "in wait",
    "own_loop": "in wait",
    "blocked_loop": "in communicate|in wait",
    "fixture": "in wait",
    "process": "in wait",
    "thread": "in to_thread",
    "lock": r"lock\.acquire",
    "mark": r"wait\(\)",
    "teardown": "in wait",
    "teardown_after_failure": "in wait",
}
"""Each test that hangs, and what its stacks say of it."""

BLOCKED_IN_C = """
def test_blocked():
    left()
    # No signal breaks this off, and no other thread executes Python meanwhile.
    mutex = ctypes.create_string_buffer(64)
    library = ctypes.PyDLL(None)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)
"""

KILLED = """
def test_killed():
    left()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def run(folder: Path, source: str, under_nohup: bool = False) -> tuple[int, str]:
    """Exit code and output of pytest with this project's configuration for a module of these tests.

    No process is left of it."""
    mark = uuid.uuid4().hex
    (folder / "test_it.py").write_text(HEAD.replace("MARK", mark) + source)
    with ignoring_hang_ups() if under_nohup else nullcontext():
        ended = subprocess.run(
            [*PYTEST, "-c", PROJECT / "pyproject.toml", "--rootdir", folder, "--timeout", "1", "test_it.py"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(PROJECT), "COLUMNS": "200"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=170,
        )
    assert [line for line in command_lines() if f"left-by-{mark}" in line] == [], ended.stdout
    return ended.returncode, ended.stdout


def command_lines() -> Iterator[str]:
    """Of all processes."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield file.read_bytes().replace(b"\0", b" ").decode(errors="replace")


@pytest.mark.slow
@pytest.mark.parametrize("under_nohup", [False, True], ids=["plain", "nohup"])
def test_what_hangs_fails_and_the_others_go_on(tmp_path: Path, under_nohup: bool) -> None:
    code, told = run(tmp_path, HANGING, under_nohup)
    assert code == 1, told
    for name, where in STACKS.items():
        failure = rf"^(FAILED|ERROR) test_it.py::test_{name} - Failed: Timeout: it took more than (1|0.5) s"
        assert re.search(failure, told, re.MULTILINE), told
        stacks = told[told.index(f"test_it.py::test_{name}: Timeout: more than") :]
        stacks = stacks[: stacks.index("\ntest_it.py::")]  # the next one's line
        assert "--- thread MainThread" in stacks, told
        assert re.search(where, stacks), (where, stacks)
    passed = re.findall(r"^test_it.py::test_(\w+) PASSED", told, re.MULTILINE)
    after = ["coroutine_after", "stubborn_coroutine_after", "blocked_loop_after", "mark_after", "last"]
    assert passed == [*after[:4], "teardown", after[4]], told
    assert "FAILED test_it.py::test_teardown_after_failure - AssertionError: this too" in told, told


@pytest.mark.slow
def test_what_is_blocked_in_c_ends_the_run_with_its_stacks_and_its_processes(tmp_path: Path) -> None:
    code, told = run(tmp_path, BLOCKED_IN_C)
    assert code == 1, told
    assert "Timeout (0:00:03)!" in told, told
    assert re.search(r'test_it.py", line \d+ in test_blocked', told), told


@pytest.mark.slow
def test_what_is_killed_leaves_no_process(tmp_path: Path) -> None:
    code, told = run(tmp_path, KILLED)
    assert code == -signal.SIGKILL, told


@pytest.mark.slow
def test_what_is_left_behind_is_told(tmp_path: Path) -> None:
    _, told = run(tmp_path, "def test_leaves(): left().stdout.close()")
    assert re.search(r"left behind by the tests, and ended: \d+ .*left-by-", told), told


@pytest.mark.slow
def test_a_run_that_leaves_nothing_says_nothing_of_it(tmp_path: Path) -> None:
    code, told = run(tmp_path, "async def test_passes(): assert len(asyncio.all_tasks()) == 1")
    assert code == 0, told
    assert "1 passed" in told
    assert "left behind" not in told
