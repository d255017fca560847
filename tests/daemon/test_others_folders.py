"""Folders and sockets that another user has, or may write to: nothing of ours goes there, neither token nor command."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from oryn.errors import ConfigurationError
from oryn.system.paths import private_folder
from tests.daemon.daemon_process import RunningDaemon, daemon_environment

PROGRAMS = [
    ("title",), ("--json", "title"), ("do", "title"), ("daemon", "status"), ("daemon", "serve"), ("open", "--print"),
    ("headless",), ("mcp",), ("sessions",), ("config",), ("vault", "list"), ("remote",), ("search", "ferns"),
]  # fmt: skip
LIBRARY = """
import asyncio
from oryn import Oryn
async def main():
    async with Oryn("headless") as oryn:
        await oryn.execute("title")
asyncio.run(main())
"""

only_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user")


def oryn(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program with its folders there; its input ends at once."""
    program = [sys.executable, "-m", "oryn", *words]
    given = daemon_environment(home) | environment
    return subprocess.run(program, env=given, capture_output=True, text=True, timeout=120, input="")


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder whose name is short enough for a socket in it."""
    folder = Path(tempfile.mkdtemp(prefix="oryn-test-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def refused(ended: subprocess.CompletedProcess[str], words: tuple[str, ...], why: str) -> None:
    """It says what is wrong with which folder, and what to do, and nothing of Python's."""
    told = ended.stdout + ended.stderr
    assert ended.returncode == 2, (words, told)
    assert "Traceback" not in told and why in told, (words, told)
    assert "hint" in told, (words, told)


@pytest.mark.parametrize("words", PROGRAMS, ids=" ".join)
def test_a_home_that_is_a_file(home: Path, words: tuple[str, ...]) -> None:
    file = home / "file"
    file.write_text("kept")
    refused(oryn(file, *words), words, f"{file} is a file, and no folder")
    refused(oryn(file / "below", *words), words, f"{file / 'below'} is below a file")
    assert file.read_text() == "kept"


@pytest.mark.parametrize("words", PROGRAMS, ids=" ".join)
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o757, 0o1777], ids=oct)
def test_a_home_that_others_may_write_to(home: Path, words: tuple[str, ...], mode: int) -> None:
    home.chmod(mode)
    refused(oryn(home, *words), words, f"{home} can be written to by others")
    assert list(home.iterdir()) == []
    assert stat.S_IMODE(home.stat().st_mode) == mode


@only_root
@pytest.mark.parametrize("words", PROGRAMS, ids=" ".join)
def test_a_home_of_another_user(home: Path, words: tuple[str, ...]) -> None:
    nobody = pwd.getpwnam("nobody")
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    refused(oryn(home, *words), words, f"{home} belongs to another user")
    assert list(home.iterdir()) == []


def test_the_client_library_says_it_too(home: Path) -> None:
    file = home / "file"
    file.touch()
    ended = subprocess.run(
        [sys.executable, "-c", LIBRARY], env=daemon_environment(file), capture_output=True, text=True, timeout=120
    )
    assert ended.returncode != 0 and "is a file, and no folder" in ended.stderr, ended.stderr


class Listener:
    """What listens at a daemon's socket, and keeps what it is sent."""

    def __init__(self, path: Path) -> None:
        self.got = bytearray()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                with connection:
                    connection.settimeout(5)
                    with suppress(OSError):
                        self.got += connection.recv(1 << 16)

    def close(self) -> None:
        self._socket.close()


LISTENING = """
import os, socket, sys
os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
listening = socket.socket(fileno=int(sys.argv[1]))
listening.listen()
print("ready", flush=True)
while True:
    connection, _ = listening.accept()
    connection.settimeout(5)
    try:
        print(connection.recv(1 << 16), flush=True)
    except OSError:
        pass
    connection.close()
"""


@pytest.mark.slow
@only_root
def test_a_socket_at_which_another_user_listens_gets_nothing(home: Path) -> None:
    """In folders of our own even: whose process it is that listens, the system says."""
    private_folder(home / "run")
    (private_folder(home / "data" / "daemon") / "token").write_text("our-secret-token")
    nobody = pwd.getpwnam("nobody").pw_uid
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(home / "run" / "daemon.sock"))
        os.set_inheritable(bound.fileno(), True)
        theirs = subprocess.Popen(
            [sys.executable, "-c", LISTENING, str(bound.fileno()), str(nobody)],
            pass_fds=[bound.fileno()],
            stdout=subprocess.PIPE,
        )
    assert theirs.stdout is not None and theirs.stdout.readline() == b"ready\n"
    try:
        for words in (("title",), ("do", "title"), ("daemon", "status"), ("open", "--print"), ("search", "ferns")):
            refused(
                oryn(home, *words), words, f"another user's program (user {nobody}) listens at {home}/run/daemon.sock"
            )
    finally:
        theirs.kill()
        got = theirs.stdout.read()
        theirs.wait()
        theirs.stdout.close()
    assert b"our-secret-token" not in got and b"title" not in got


@pytest.mark.parametrize("name", ["run", "data", "data/daemon"])
def test_a_folder_below_that_others_may_write_to(home: Path, name: str) -> None:
    """They may have put a socket there, or a token that they know: neither is used."""
    for each in ("run", "data/daemon", "config"):
        private_folder(home / each)
    (home / "data" / "daemon" / "token").write_text("planted")
    listener = Listener(home / "run" / "daemon.sock")
    (home / name).chmod(0o777)
    try:
        for words in (("title",), ("do", "title"), ("daemon", "status"), ("daemon", "serve")):
            ended = oryn(home, *words)
            refused(ended, words, f"{home / name} can be written to by others")
    finally:
        listener.close()
    assert b"planted" not in listener.got and b"title" not in listener.got


@pytest.mark.parametrize("name", ["config", "data", "cache", "run", "sessions", "intents"])
def test_any_folder_that_others_may_write_to(home: Path, name: str) -> None:
    (home / name).mkdir()
    (home / name).chmod(0o777)
    for words in (("daemon", "serve"), ("headless",), ("mcp",)):
        refused(oryn(home, *words), words, f"{home / name} can be written to by others")


def test_a_private_folder_is_ones_own(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with pytest.raises(ConfigurationError, match="can be written to by others"):
        private_folder(shared)
    read = tmp_path / "read"
    read.mkdir()
    read.chmod(0o755)
    assert stat.S_IMODE(private_folder(read).stat().st_mode) == 0o700, "that others could read it is mended"
    file = tmp_path / "file"
    file.touch()
    for place in (file, file / "below", file / "far" / "below"):
        with pytest.raises(ConfigurationError, match="file"):
            private_folder(place)


def test_folder_is_accepted_after_its_permissions_are_fixed(home: Path) -> None:
    home.chmod(0o770)
    told = oryn(home, "daemon", "status")
    assert f"chmod go-w {home}" in told.stderr
    subprocess.run(["chmod", "go-w", str(home)], check=True)
    assert "can be written" not in oryn(home, "daemon", "status").stderr


async def test_a_daemon_as_ever(daemon: RunningDaemon) -> None:
    told = oryn(daemon.home, "--json", "tabs", "--session", "none")
    assert json.loads(told.stdout)["session"] == "none"
