"""What a terminal, or `nohup` in front of one, does to the processes that are started in it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress


def printed_on_terminal(command: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """Run a command whose standard output and error are a terminal: its exit code, and the characters that it sends,
    with the line ends of a file."""
    master, slave = pty.openpty()
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    sent = b""
    with suppress(OSError):  # EIO: the last process has closed the terminal
        while chunk := os.read(master, 65536):
            sent += chunk
    os.close(master)
    return process.wait(), sent.decode().replace("\r\n", "\n")


@contextmanager
def ignoring_hang_ups() -> Iterator[None]:
    """What is started in the block ignores SIGHUP from the start, as under `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)
