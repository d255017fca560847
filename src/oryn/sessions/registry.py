"""The registry of running sessions, in a folder that all processes of a user share (seed 000 §3.3).

`<name>.pid` holds the number of the process that the session lives in, and is locked by it for as long as it lives
there: a number alone may belong to another process by now. `<name>.json` says more: `{"mode": "headless", "started":
"2026-01-24T10:30:00Z", "socket": "/run/…"}`, where `socket` is the way to send it commands (`server.py`).
"""

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

from oryn.errors import ConfigurationError
from oryn.locks import try_lock
from oryn.paths import private_folder, write_private
from oryn.processes import is_running
from oryn.records import Record

log = logging.getLogger(__name__)

FALLBACK_PREFIX = "oryn-"
"""What the folders begin with that are made for a socket alone."""

_ATTEMPTS = 50
_MOMENT = 0.001


class Listed(Record):
    """A running session. What is None is not known yet: its process is starting."""

    name: str
    process: int
    mode: str | None = None
    started: str | None = None
    socket: Path | None = None


class Registration:
    """One session of this process on the list, until `end`."""

    def __init__(self, file: Path, held: IO[str]) -> None:
        self._file = file
        self._held = held

    def tell(self, *, mode: str, started: str, socket: Path | None) -> None:
        """Write down what others may want to know."""
        about = {"mode": mode, "started": started, "socket": str(socket) if socket else None}
        try:
            write_private(_about(self._file), json.dumps(about))
        except (ConfigurationError, OSError) as error:
            log.warning("other processes can't reach the session %s: %s", self._file.stem, error)

    def end(self) -> None:
        """Safe to call twice."""
        if not self._held.closed:
            if _is_at(self._held, self._file):
                _remove(self._file)
            self._held.close()


def register(folder: Path, name: str) -> Registration | None:
    """Put the session `name` of this process on the list; None where another process has one of that name, or where
    nothing can be written."""
    file = folder / f"{name}.pid"
    try:
        private_folder(folder)
        held = _claim(file)
    except (ConfigurationError, OSError) as error:
        log.warning("the session %s is not listed: %s", name, error)
        return None
    if held is None:
        log.info("a session %s is running already; this one is not listed", name)
        return None
    return Registration(file, held)


def running(folder: Path) -> Iterator[Listed]:
    """Every listed session, this process's own too. What dead processes left is removed."""
    for file in sorted(folder.glob("*.pid")):
        try:
            held = file.open("r+", encoding="ascii")
        except OSError:
            continue  # it has ended meanwhile
        with held:
            if try_lock(held):
                if _is_at(held, file):
                    _forget(file)
                    _remove(file)
            elif process := _number(held):
                yield _listed(file, process)


def _claim(file: Path) -> IO[str] | None:
    for _ in range(_ATTEMPTS):
        held = os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii")
        if try_lock(held):
            if _is_at(held, file):
                _forget(file)
                held.truncate(0)
                held.write(f"{os.getpid()}\n")
                held.flush()
                return held
            held.close()  # somebody has removed it as a dead one's meanwhile
            continue
        with held:
            if is_running(_number(held) or 0):
                return None
        # Whoever removes what a dead process left holds its lock for a moment.
        time.sleep(_MOMENT)
    return None


def _number(held: IO[str]) -> int | None:
    held.seek(0)
    try:
        return int(held.read())
    except ValueError:
        return None


def _listed(file: Path, process: int) -> Listed:
    about: Any = None
    with suppress(OSError, ValueError):
        about = json.loads(_about(file).read_text("utf-8"))
    if not isinstance(about, dict):
        return Listed(file.stem, process)
    mode, started, socket = (about.get(key) for key in ("mode", "started", "socket"))
    return Listed(
        file.stem,
        process,
        mode if isinstance(mode, str) else None,
        started if isinstance(started, str) else None,
        Path(socket) if isinstance(socket, str) else None,
    )


def _about(file: Path) -> Path:
    return file.with_suffix(".json")


def _remove(file: Path) -> None:
    for each in (_about(file), file):
        with suppress(OSError):
            each.unlink(missing_ok=True)


def _forget(file: Path) -> None:
    """Remove what a dead process has told of its session, and its socket, which all its sessions shared."""
    if socket := _listed(file, 0).socket:
        remove_socket(socket)
    with suppress(OSError):
        _about(file).unlink(missing_ok=True)


# sun_path, the terminating zero included: 104 bytes on macOS, 108 on Linux
_LONGEST_SOCKET = 103


def socket_path(wanted: Path) -> Path:
    """Where a socket can be: at `wanted`, whose folder is made, or, where that is too long for one, in a new folder for
    it alone. Raises `ConfigurationError`, `OSError`."""
    private_folder(wanted.parent)
    if len(os.fsencode(wanted)) <= _LONGEST_SOCKET:
        return wanted
    import tempfile

    return Path(tempfile.mkdtemp(prefix=FALLBACK_PREFIX)) / wanted.name


def remove_socket(socket: Path) -> None:
    """Remove a socket, and the folder that was made for it alone."""
    with suppress(OSError):
        if stat.S_ISSOCK(socket.lstat().st_mode):
            socket.unlink()
            if socket.parent.name.startswith(FALLBACK_PREFIX):
                socket.parent.rmdir()


def _is_at(held: IO[str], file: Path) -> bool:
    """Whether the open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(held.fileno()), file.stat())
    except OSError:
        return False
