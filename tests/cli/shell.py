"""A user's shell: `oryn` as processes of their own, with a home of their own, in a folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.daemon.daemon_process import daemon_environment

SECONDS = 120.0
SLOW = "waiting for the daemon, which does not answer (Ctrl-C cancels this one)\n"
SLOW_ATTACH = "waiting for Chromium, which may ask to allow this\n"
"""What is printed after some seconds, which a busy machine may need."""


class CompletedCommand(NamedTuple):
    code: int
    out: str
    err: str


class Shell:
    """`shell("click", "3")` runs `oryn click 3` and waits for its end."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home = home
        self.folder = folder
        self.environment = {**daemon_environment(home), "NO_COLOR": "1", "COLUMNS": "200"}

    def start(self, *words: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*words),
            env={**self.environment, **environment},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *words: str, **environment: str) -> CompletedCommand:
        process = self.start(*words, **environment)
        out, err = process.communicate(timeout=SECONDS)
        return CompletedCommand(process.returncode, out, err)

    def ok(self, *words: str, **environment: str) -> str:
        """What it printed; it went well. That a busy machine was slow is no failure."""
        code, out, err = self(*words, **environment)
        assert code == 0 and not err.replace(SLOW, "").replace(SLOW_ATTACH, ""), (words, out, err)
        return out

    def json(self, *words: str) -> Any:
        return json.loads(self(*words).out)

    @staticmethod
    def command(*words: str) -> Sequence[str]:
        return [sys.executable, "-c", "from oryn.cli.main import main; main()", *words]

    def daemons(self) -> list[int]:
        """Living daemons of this home."""
        return [process for process in map(int, filter(str.isdigit, os.listdir("/proc"))) if self._is_daemon(process)]

    def _is_daemon(self, process: int) -> bool:
        entry = Path("/proc", str(process))
        try:
            command, environment = (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes()
        except OSError:  # it has ended
            return False
        return b"oryn\0daemon\0serve\0" in command and f"ORYN_HOME={self.home}\0".encode() in environment

    def close(self) -> None:
        assert self("daemon", "stop").code == 0, (self.home / "data" / "daemon" / "daemon.log").read_text()
        latest = time.monotonic() + SECONDS
        while self.daemons() and time.monotonic() < latest:
            time.sleep(0.02)  # the system has no event for the end of what is not our child
        assert self.daemons() == []
