from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import oryn
from oryn.sessions.registry import RegisteredSession, is_running, register, running
from oryn.system import paths
from oryn.system.locks import try_lock
from oryn.system.socket_files import remove_socket

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and sockets of POSIX systems")

HOLDER = """
import sys, pathlib
from oryn.sessions.registry import register
held = register(pathlib.Path(sys.argv[1]), sys.argv[2])
held.publish(mode="headless", started="2026-01-24T10:30:00Z", socket=pathlib.Path(sys.argv[3]))
print("held", flush=True)
sys.stdin.read()
held.release()
"""


@contextmanager
def another_process(folder: Path, name: str, at: Path = Path("/nowhere")) -> Iterator[subprocess.Popen[bytes]]:
    """A process with a session on the list."""
    source = str(Path(oryn.__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), name, str(at)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": source},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return paths.find({"ORYN_HOME": str(tmp_path)}).sessions


def test_a_session_is_listed_while_it_runs(folder: Path) -> None:
    registration = register(folder, "agent1")
    assert registration is not None
    file = folder / "agent1.pid"
    assert int(file.read_text()) == os.getpid()
    assert file.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(running(folder)) == [RegisteredSession("agent1", os.getpid())]
    registration.release()
    registration.release()
    assert list(running(folder)) == []
    assert list(folder.iterdir()) == []


def test_what_others_may_want_to_know(folder: Path) -> None:
    registration = register(folder, "agent1")
    assert registration is not None
    registration.publish(mode="headless", started="2026-01-24T10:30:00Z", socket=Path("/run/it"))
    assert list(running(folder)) == [
        RegisteredSession("agent1", os.getpid(), "headless", "2026-01-24T10:30:00Z", Path("/run/it")),
    ]
    assert (folder / "agent1.json").stat().st_mode & 0o777 == 0o600
    registration.release()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{", "[]", '{"mode": 1, "started": [], "socket": {}}', "\ud800"])
def test_a_broken_note_tells_nothing(folder: Path, text: str) -> None:
    registration = register(folder, "agent1")
    assert registration is not None
    (folder / "agent1.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert list(running(folder)) == [RegisteredSession("agent1", os.getpid())]
    registration.release()


@posix
def test_sessions_of_another_process(folder: Path) -> None:
    with another_process(folder, "work") as process:
        [found] = running(folder)
        assert found == RegisteredSession("work", process.pid, "headless", "2026-01-24T10:30:00Z", Path("/nowhere"))
        process.communicate(b"")
    assert list(running(folder)) == []


@posix
def test_entry_of_a_dead_process_is_removed_by_listing(folder: Path, tmp_path: Path) -> None:
    at = tmp_path / "it.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(at))
    with another_process(folder, "work", at) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert sorted(file.name for file in folder.iterdir()) == ["work.json", "work.pid"]
    assert list(running(folder)) == []
    assert list(folder.iterdir()) == []
    assert not at.exists()


@posix
def test_entry_of_a_dead_process_is_replaced(folder: Path, tmp_path: Path) -> None:
    at = tmp_path / "it.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(at))
    with another_process(folder, "work", at) as process:
        process.kill()
    registration = register(folder, "work")
    assert registration is not None
    assert list(running(folder)) == [RegisteredSession("work", os.getpid())]
    assert not at.exists()
    registration.release()


def test_a_number_that_belongs_to_another_process_by_now_is_no_session(folder: Path) -> None:
    paths.write_private(folder / "work.pid", f"{os.getppid()}\n")
    assert list(running(folder)) == []
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("text", ["", "x", "-1", "99999999999999999999", "\n"])
def test_what_is_no_number_is_no_session(folder: Path, text: str) -> None:
    paths.write_private(folder / "work.pid", text)
    assert list(running(folder)) == []
    assert list(folder.iterdir()) == []


@posix
@pytest.mark.parametrize("number", ["dead", "", "99999999999999999999"])
def test_an_entry_that_another_process_is_removing_is_no_session(folder: Path, number: str) -> None:
    with another_process(folder, "work") as process:
        process.kill()
    if number != "dead":
        (folder / "work.pid").write_text(number)
    with (folder / "work.pid").open("r+") as theirs:
        assert try_lock(theirs)
        assert list(running(folder)) == []
    registration = register(folder, "work")
    assert registration is not None
    registration.release()


def test_the_first_of_two_sessions_of_one_name_stays_listed(folder: Path) -> None:
    with another_process(folder, "default") as process:
        assert register(folder, "default") is None
        assert [found.process for found in running(folder)] == [process.pid]
        process.communicate(b"")


def test_a_list_that_cannot_be_written_does_not_stop_the_session(folder: Path) -> None:
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("in the way")
    assert register(folder, "default") is None
    assert list(running(folder)) == []


def test_a_folder_that_was_removed_under_a_session(folder: Path) -> None:
    registration = register(folder, "agent1")
    assert registration is not None
    (folder / "agent1.pid").unlink()
    again = register(folder, "agent1")
    assert again is not None
    registration.release()  # it is not its own any more
    assert [found.name for found in running(folder)] == ["agent1"]
    again.release()


def test_only_sockets_are_removed_as_sockets(tmp_path: Path) -> None:
    file = tmp_path / "precious"
    file.write_text("kept")
    remove_socket(file)
    remove_socket(tmp_path / "none")
    assert file.read_text() == "kept"


def test_which_processes_run() -> None:
    assert is_running(os.getpid())
    assert not is_running(0)
    assert not is_running(-1)
