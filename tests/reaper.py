"""Ends what a run of the tests left behind: every process that has the run's mark in its environment.

It is a process of its own, whose standard input ends when the tests' process does, in whichever way. What the tests
start inherits the mark, also where it has left their group and session, as daemons do. Linux alone shows environments.

usage: python reaper.py MARK
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

NAME = "TESTS_THAT_STARTED_IT"
ENVIRONMENT = Path("/proc/self/environ")
SECONDS = 10.0


def marked(mark: str) -> dict[int, str]:
    """The command lines of the living processes with this mark, but of the calling one."""
    wanted = f"{NAME}={mark}".encode()
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in folder.joinpath("environ").read_bytes().split(b"\0") and int(folder.name) != os.getpid():
                command = folder.joinpath("cmdline").read_bytes().replace(b"\0", b" ")
                found[int(folder.name)] = command.decode(errors="replace")
    return found


def end(mark: str) -> None:
    """Kill them, and what they start meanwhile, and tell on standard error which they were."""
    told: set[int] = set()
    until = time.monotonic() + SECONDS
    while (left := marked(mark)) and time.monotonic() < until:
        for number, command in left.items():
            if number not in told:
                sys.stderr.write(f"left behind by the tests, and ended: {number} {command:.200}\n")
                told.add(number)
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.05)  # nothing tells of the end of somebody else's child


if __name__ == "__main__":
    sys.stdin.buffer.read()
    end(sys.argv[1])
