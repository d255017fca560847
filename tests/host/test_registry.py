from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from oryn import paths
from oryn.host.registry import is_running, registered


def test_a_session_is_listed_while_it_runs(tmp_path: Path) -> None:
    home = paths.find({"ORYN_HOME": str(tmp_path)})
    with registered("agent1", home):
        file = home.sessions / "agent1.pid"
        assert int(file.read_text()) == os.getpid()
        assert file.stat().st_mode & 0o777 == 0o600
    assert not file.exists()


def test_what_a_dead_process_left_is_taken_over(tmp_path: Path) -> None:
    home = paths.find({"ORYN_HOME": str(tmp_path)})
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    paths.write_private(home.sessions / "default.pid", f"{ended.pid}\n")
    with registered("default", home):
        assert int((home.sessions / "default.pid").read_text()) == os.getpid()


def test_the_first_of_two_sessions_of_one_name_stays_listed(tmp_path: Path) -> None:
    home = paths.find({"ORYN_HOME": str(tmp_path)})
    file = home.sessions / "default.pid"
    paths.write_private(file, f"{os.getppid()}\n")
    with registered("default", home):
        assert int(file.read_text()) == os.getppid()
    assert int(file.read_text()) == os.getppid()


def test_a_registry_that_cannot_be_written_does_not_stop_the_session(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("in the way")
    ran = False
    with registered("default", paths.find({"ORYN_HOME": str(tmp_path)})):
        ran = True
    assert ran


def test_which_processes_run() -> None:
    assert is_running(os.getpid())
    assert not is_running(0)
    assert not is_running(-1)
