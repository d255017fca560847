"""The registry of running sessions, in a folder that all processes of a user share
(docs/spec/line-protocol.md#registry-of-running-sessions).

`<name>.pid` holds the number of the session's process, which locks the file for as long as it lives. The number alone
is not enough, as another process may have it by now. `<name>.json` has the details: `{"mode": "headless", "started":
"2026-01-24T10:30:00Z", "socket": "/run/…"}`, where `socket` is the address to send commands to (`server.py`)."""

from __future__ import annotations

import json
import logging
import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from oryn.core.records import Record
from oryn.errors import ConfigurationError
from oryn.system.locks import try_lock
from oryn.system.paths import private_folder, write_private
from oryn.system.processes import is_running

log = logging.getLogger(__name__)

FALLBACK_PREFIX = "oryn-"
"""Prefix of the folders that are created for a socket alone."""

_ATTEMPTS = 50
_RETRY_SECONDS = 0.001


class RegisteredSession(Record):
    """A running session. Values are None while its process starts.

    `started` is in UTC (ISO 8601), `socket` is the Unix socket that accepts its lines."""

    name: str
    process: int
    mode: str | None = None
    started: str | None = None
    socket: Path | None = None


class SessionRegistration:
    """The entry of one session of this process, until `release`."""

    def __init__(self, file: Path, held: IO[str]) -> None:
        self._file = file
        self._lock_file = held

    def publish(self, *, mode: str, started: str, socket: Path | None) -> None:
        """Write the details that other processes need to reach the session. Failures are logged."""
        about = {"mode": mode, "started": started, "socket": str(socket) if socket else None}
        try:
            write_private(_info_file(self._file), json.dumps(about))
        except (ConfigurationError, OSError) as error:
            log.warning("other processes can't reach the session %s: %s", self._file.stem, error)

    def release(self) -> None:
        """Remove the entry. Safe to call twice."""
        if not self._lock_file.closed:
            if _is_at(self._lock_file, self._file):
                _remove(self._file)
            self._lock_file.close()


def register(folder: Path, name: str) -> SessionRegistration | None:
    """Enter the session `name` of this process into the registry.

    Returns None if another process has a session of that name, or if the file can't be written."""
    file = folder / f"{name}.pid"
    try:
        private_folder(folder)
        held = _acquire(file)
    except (ConfigurationError, OSError) as error:
        log.warning("the session %s is not listed: %s", name, error)
        return None
    if held is None:
        log.info("a session %s is running already; this one is not listed", name)
        return None
    return SessionRegistration(file, held)


def running(folder: Path) -> Iterator[RegisteredSession]:
    """Every running session, also of this process. Entries of dead processes are removed."""
    for file in sorted(folder.glob("*.pid")):
        try:
            held = file.open("r+", encoding="ascii")
        except OSError:
            continue  # it has ended meanwhile
        with held:
            if try_lock(held):
                if _is_at(held, file):
                    _remove_stale(file)
                    _remove(file)
            elif is_running(process := _read_pid(held) or 0):  # else the lock is that of a process that removes it
                yield _read_entry(file, process)


def _acquire(file: Path) -> IO[str] | None:
    for _ in range(_ATTEMPTS):
        held = os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii")
        if try_lock(held):
            if _is_at(held, file):
                _remove_stale(file)
                held.truncate(0)
                held.write(f"{os.getpid()}\n")
                held.flush()
                return held
            held.close()  # another process has removed it meanwhile as that of a dead process
            continue
        with held:
            if is_running(_read_pid(held) or 0):
                return None
        # A process that removes a dead process's entry holds its lock for a moment.
        time.sleep(_RETRY_SECONDS)
    return None


def _read_pid(held: IO[str]) -> int | None:
    held.seek(0)
    try:
        return int(held.read())
    except ValueError:
        return None


def _read_entry(file: Path, process: int) -> RegisteredSession:
    about: Any = None
    with suppress(OSError, ValueError):
        about = json.loads(_info_file(file).read_text("utf-8"))
    if not isinstance(about, dict):
        return RegisteredSession(file.stem, process)
    mode, started, socket = (about.get(key) for key in ("mode", "started", "socket"))
    return RegisteredSession(
        file.stem,
        process,
        mode if isinstance(mode, str) else None,
        started if isinstance(started, str) else None,
        Path(socket) if isinstance(socket, str) else None,
    )


def _info_file(file: Path) -> Path:
    return file.with_suffix(".json")


def _remove(file: Path) -> None:
    for each in (_info_file(file), file):
        with suppress(OSError):
            each.unlink(missing_ok=True)


def _remove_stale(file: Path) -> None:
    """Remove a dead process's details of its session, and its socket, which all its sessions shared."""
    if socket := _read_entry(file, 0).socket:
        remove_socket(socket)
    with suppress(OSError):
        _info_file(file).unlink(missing_ok=True)


# sun_path, including the terminating zero: 104 bytes on macOS, 108 on Linux
_MAX_SOCKET_PATH_BYTES = 103


def socket_path(wanted: Path) -> Path:
    """The path for a new socket: `wanted`, whose folder is created, or one in a new temporary folder.

    The latter is used if `wanted` is too long for a socket. Raises `ConfigurationError`, `OSError`."""
    private_folder(wanted.parent)
    if len(os.fsencode(wanted)) <= _MAX_SOCKET_PATH_BYTES:
        return wanted
    import tempfile

    return Path(tempfile.mkdtemp(prefix=FALLBACK_PREFIX)) / wanted.name


def remove_socket(socket: Path) -> None:
    """Remove a socket, if it is still there, and its folder if that was created for it alone.

    From Python 3.13 on, asyncio removes it when its server closes:
    https://docs.python.org/3/whatsnew/3.13.html#asyncio"""
    with suppress(OSError):
        if stat.S_ISSOCK(socket.lstat().st_mode):
            socket.unlink()
    if socket.parent.name.startswith(FALLBACK_PREFIX):
        with suppress(OSError):
            socket.parent.rmdir()


def _is_at(held: IO[str], file: Path) -> bool:
    """Whether the open file is still the one at that path."""
    try:
        return os.path.samestat(os.fstat(held.fileno()), file.stat())
    except OSError:
        return False
