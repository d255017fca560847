"""Finds the running daemon, or starts one; clients that start at the same time get the same daemon."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from _socket import AF_INET, SOCK_STREAM, socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from oryn.core.error_text import last_error
from oryn.daemon_client.http import connect, read_token
from oryn.errors import DaemonFailed
from oryn.system import processes
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.locks import locked, try_lock
from oryn.system.paths import private_folder

TIMEOUT_SECONDS = 30.0
"""Maximum seconds for a daemon to start or to end."""
_MAX_LOG_BYTES = 1_000_000
_POLL_SECONDS = 0.02


def connect_or_start(place: DaemonInstance) -> tuple[socket, str]:
    """Connect to the daemon, which is started if it does not run; return the connection and the daemon's token.

    Raises `DaemonFailed`."""
    found = connect_running(place)
    if found is None:
        ensure_started(place)
        found = connect_running(place)
    if found is None:
        raise DaemonFailed("the daemon ended at once", "'oryn daemon logs' may show why.")
    return found, read_token(str(place.paths.daemon))


def connect_running(place: DaemonInstance) -> socket | None:
    """Connect to the running daemon; None if no daemon can be reached."""
    with contextlib.suppress(OSError, ImportError):
        return connect(str(place.paths.runtime))
    # Without a socket, use the daemon's port, which is certainly the daemon's only while it holds its lock.
    if is_stopped(place):
        return None
    try:
        port = json.loads(place.info_file.read_bytes())["port"]
        connection = socket(AF_INET, SOCK_STREAM)
        connection.connect(("127.0.0.1", port))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return connection


def is_stopped(place: DaemonInstance) -> bool:
    """Whether no daemon is running, starting or ending."""
    try:
        with place.lock_file.open("r+", encoding="ascii") as file:
            return try_lock(file)
    except FileNotFoundError:
        return True


def daemon_pid(place: DaemonInstance) -> int | None:
    """The number of the daemon's process, from its file; None if no daemon runs or it has not written its file yet."""
    if is_stopped(place):
        return None
    try:
        return int(json.loads(place.info_file.read_bytes())["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def ensure_started(place: DaemonInstance, options: Sequence[str] = ()) -> bool:
    """Start a daemon unless one runs; return whether it is a new one, with these options. Raises `DaemonFailed`."""
    private_folder(place.paths.runtime)
    with locked(place.paths.runtime / "daemon.start"):
        latest = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < latest:
            if connection := connect_running(place):
                connection.close()
                return False
            if is_stopped(place) and _start(place, options):
                return True
            time.sleep(_POLL_SECONDS)  # another daemon is starting or ending, and gives no notice of when it is done
    raise DaemonFailed("a daemon runs, but does not answer", "End it with 'oryn daemon stop', then try again.")


def wait_until_stopped(place: DaemonInstance, limit: float = TIMEOUT_SECONDS) -> bool:
    """Wait until no daemon runs, for at most `limit` seconds; return whether that is so."""
    latest = time.monotonic() + limit
    while not is_stopped(place):
        if time.monotonic() > latest:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def log_file(place: DaemonInstance) -> Path:
    """The log of the daemon."""
    return place.paths.daemon / "daemon.log"


def _start(place: DaemonInstance, options: Sequence[str]) -> bool:
    """Start a daemon and wait until it listens; False if another one was faster. Raises `DaemonFailed`."""
    # -P: don't import modules from the current folder.
    command = [sys.executable, "-P", "-m", "oryn", "daemon", "serve", *options]
    with _open_log(place) as log:
        start = log.tell()
        wait = _started_with_pipe if processes.PASSES_DESCRIPTORS else _started_without_pipe
        process = wait(place, command, log)
        if process is None:
            return True
        process.wait()
    if not is_stopped(place):
        return False
    raise _failure(log_file(place), start)


def _started_with_pipe(place: DaemonInstance, command: Sequence[str], log: BinaryIO) -> subprocess.Popen[bytes] | None:
    """Start a daemon that reports over a pipe when it listens: None then, and its process if it ends before. Raises
    `DaemonFailed`."""
    with _ready_pipe() as (ready, write_end):
        environment = {**os.environ, "ORYN_READY_FD": str(write_end)}
        process = processes.start_detached(command, log, environment, [write_end])
        os.close(write_end)
        if not select.select([ready], [], [], TIMEOUT_SECONDS)[0]:
            raise _too_slow(process)
        if os.read(ready, 1):
            process.returncode = 0  # from here on, this process no longer waits for the daemon's end
            return None
        return process


def _started_without_pipe(
    place: DaemonInstance, command: Sequence[str], log: BinaryIO
) -> subprocess.Popen[bytes] | None:
    """The same where pipes can't be inherited (Windows): it listens once a connection succeeds."""
    process = processes.start_detached(command, log, os.environ)
    latest = time.monotonic() + TIMEOUT_SECONDS
    while process.poll() is None:
        if daemon_pid(place) == process.pid and (connection := connect_running(place)):
            connection.close()
            process.returncode = 0
            return None
        if time.monotonic() > latest:
            raise _too_slow(process)
        time.sleep(_POLL_SECONDS)  # nothing gives notice
    return process


def _too_slow(process: subprocess.Popen[bytes]) -> DaemonFailed:
    process.terminate()
    return DaemonFailed(f"the daemon did not start within {TIMEOUT_SECONDS:g} s", "'oryn daemon logs' may show why.")


@contextlib.contextmanager
def _ready_pipe() -> Iterator[tuple[int, int]]:
    """A pipe; its read end is closed after the block, its write end within it by the caller."""
    read_end, write_end = os.pipe()
    try:
        yield read_end, write_end
    finally:
        os.close(read_end)


def _open_log(place: DaemonInstance) -> BinaryIO:
    """Open the daemon's log for appending; a long log is rotated first."""
    file = private_folder(place.paths.daemon) / log_file(place).name
    with contextlib.suppress(FileNotFoundError):
        if file.stat().st_size > _MAX_LOG_BYTES:
            file.replace(file.with_suffix(".prev.log"))
    stream = os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab", buffering=0)
    stream.seek(0, os.SEEK_END)
    return stream


def _failure(log: Path, start: int) -> DaemonFailed:
    """The error of a daemon that did not start, from the last lines of its log."""
    with log.open("rb") as file:
        file.seek(start)
        output = file.read().decode("utf-8", "replace")
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    why, hint = last_error(output) or (lines[-1] if lines else "it printed nothing", None)
    return DaemonFailed(f"the daemon did not start: {why}", hint or "'oryn daemon logs' shows its whole output.")
