"""Systems without Unix sockets and inherited pipes, as Windows is: the daemon is reached over loopback with its token.

What they lack is taken away from Python by a `sitecustomize` in every process of the test. That is not Windows, but the
same code runs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.system import processes
from tests.cli.shell import Shell

POORER = """
import _socket
import socket  # which keeps the constant for the pipe to the browser
del _socket.AF_UNIX
from oryn.system import processes
processes.HAS_UNIX_SOCKETS = processes.PASSES_DESCRIPTORS = False
"""


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    folder = tmp_path / "folder"
    folder.mkdir()
    poorer = tmp_path / "poorer"
    poorer.mkdir()
    (poorer / "sitecustomize.py").write_text(POORER)
    shell = Shell(tmp_path / "oryn", folder)
    shell.environment["PYTHONPATH"] = f"{poorer}{os.pathsep}{shell.environment['PYTHONPATH']}"
    yield shell
    shell("daemon", "stop")


def test_a_process_in_the_background_has_the_options_of_its_system() -> None:
    assert processes.detached_options("posix") == {"start_new_session": True}
    assert processes.detached_options("nt") == {"creationflags": 0x08000200}
    if os.name == "nt":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
        assert processes.detached_options() == {"creationflags": flags}


@pytest.mark.slow
@pytest.mark.browser
def test_verbs_reach_the_daemon_over_loopback(shell: Shell) -> None:
    assert '"Page"' in shell.ok("goto", "data:text/html,<title>Page</title><button>Press</button>")
    assert '[1] button "Press"' in shell.ok("observe")
    about = json.loads((shell.home / "run" / "daemon.json").read_text("utf-8"))
    assert about["socket"] is None and about["port"] > 0
    assert not (shell.home / "run" / "daemon.sock").exists()
    status = json.loads(shell.ok("daemon", "status", "--json"))
    assert status["pid"] == about["pid"]


@pytest.mark.slow
def test_a_daemon_that_does_not_start_says_why(shell: Shell) -> None:
    ended = shell("title", ORYN_PORT="1", ORYN_LISTEN="192.0.2.1")
    assert ended.code == 3 and "can't listen on port 1" in ended.err


@pytest.mark.slow
def test_another_token_is_refused(shell: Shell) -> None:
    shell.ok("daemon", "start")
    token = shell.home / "data" / "daemon" / "token"
    token.write_text("not-the-token\n")
    assert shell("title").code != 0
