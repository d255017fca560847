"""Engines that speak the line protocol, as any client sees them: a process, lines in, answers out
(docs/spec/line-protocol.md#framing)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from oryn.sessions.framing import TERMINATOR, decode

PROJECT = Path(__file__).parents[3]
Transcript = list[tuple[str, str]]
"""Lines, each with its answer."""
HEADLESS = (sys.executable, "-m", "oryn", "headless")
REMOTE = (sys.executable, "-m", "scripts.remote_engine")


class LineEngine:
    """One engine's process, which works in the folder `home`. `ready` is its first answer."""

    def __init__(self, command: Sequence[str], home: str) -> None:
        path = os.pathsep.join(filter(None, (str(PROJECT), os.environ.get("PYTHONPATH"))))
        # A slow machine is no difference: neither gives up before the browser has started and the page is quiet.
        limits = {"ORYN_TIMEOUT": "60", "ORYN_SETTLE_LIMIT": "30"}
        self._environment = {**os.environ, **limits, "ORYN_HOME": home, "PYTHONPATH": path}
        self._command = command
        self.home = home
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def say(self, line: str) -> str:
        """The answer to a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()
        return self._answer()

    def transcript(self, lines: Sequence[str]) -> Transcript:
        """Each line with its answer. None has console messages of earlier lines, to which browsers add their own."""
        self.say("console clear")
        return [(line, self.say(line)) for line in lines]

    def restart(self) -> None:
        """End the process, also one that hangs, and start another."""
        with suppress(subprocess.TimeoutExpired):
            self.close()
        self._process.kill()
        self._start()

    def close(self) -> None:
        self._process.communicate(timeout=60)

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment, cwd=self.home
        )
        self.ready = self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        lines: list[bytes] = []
        for line in self._process.stdout:
            lines.append(line)
            if line == f"{TERMINATOR}\n".encode():
                return decode(b"".join(lines))
        raise AssertionError(f"the engine ended with {self._process.wait()} after {b''.join(lines)!r}")
