"""The running daemon's files: the lock that allows one daemon only, `daemon.json` with its address, and its socket."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn import __version__
from oryn.core.records import Record
from oryn.errors import DaemonFailed
from oryn.system.daemon_paths import INFO_FILE, SOCKET_FILE
from oryn.system.locks import try_lock
from oryn.system.paths import private_folder, write_private
from oryn.system.processes import is_running
from oryn.system.socket_files import remove_socket

if TYPE_CHECKING:
    from oryn.system.paths import Paths

log = logging.getLogger(__name__)

READY_VARIABLE = "ORYN_READY_FD"
_MAX_WAIT_SECONDS = 30.0
"""Maximum wait in seconds for an ending daemon, before a new one gives up."""
_RETRY_SECONDS = 0.02


class DaemonInstance(Record):
    """The files of a running daemon, in the runtime folder."""

    paths: Paths

    @property
    def lock_file(self) -> Path:
        """The file that a daemon locks for as long as it runs."""
        return self.paths.runtime / "daemon.lock"

    @property
    def info_file(self) -> Path:
        """`daemon.json`: `{"pid": …, "port": …, "socket": …, "version": …}`."""
        return self.paths.runtime / INFO_FILE

    @property
    def socket_file(self) -> Path:
        """The daemon's Unix socket."""
        return self.paths.runtime / SOCKET_FILE

    @contextmanager
    def acquire(self) -> Iterator[None]:
        """Hold the lock of the one daemon while the block runs. Waits for an ending daemon, and removes files that a
        dead one left.

        Raises `DaemonFailed` if another daemon is serving."""
        private_folder(self.paths.runtime)
        with os.fdopen(os.open(self.lock_file, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii") as file:
            until = time.monotonic() + _MAX_WAIT_SECONDS
            while not try_lock(file):
                if self._is_served() or time.monotonic() > until:
                    raise DaemonFailed("a daemon runs already", "'oryn daemon status' shows it.")
                time.sleep(_RETRY_SECONDS)  # a blocking lock has no timeout, so poll
            self.release()  # files that remain belong to a dead daemon
            yield

    def write_info(self, *, port: int, socket: Path | None) -> None:
        """Write the address of the daemon, which must be listening already: its loopback `port`, and its `socket` or
        None. Raises `ConfigurationError`, `OSError`."""
        about = {"pid": os.getpid(), "port": port, "socket": socket and str(socket), "version": __version__}
        write_private(self.info_file, json.dumps(about))

    def release(self) -> None:
        """Remove `daemon.json` and the socket, so that no client connects any more. Safe to call twice."""
        if socket := self._read_info().get("socket"):
            remove_socket(Path(str(socket)))
        remove_socket(self.socket_file)
        with suppress(OSError):
            self.info_file.unlink(missing_ok=True)

    def _is_served(self) -> bool:
        """Whether `daemon.json` names a live process. A daemon that is starting or ending has no such file."""
        process = self._read_info().get("pid")
        return isinstance(process, int) and is_running(process)

    def _read_info(self) -> dict[str, Any]:
        try:
            info = json.loads(self.info_file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return info if isinstance(info, dict) else {}


def notify_ready(port: int) -> None:
    """Write the port and a newline to the descriptor in `ORYN_READY_FD`, at which the program that started the daemon
    waits."""
    if number := os.environ.pop(READY_VARIABLE, None):
        try:
            with os.fdopen(int(number), "w", encoding="ascii") as waiting:
                waiting.write(f"{port}\n")
        except (OSError, ValueError) as error:
            log.warning("could not report that the daemon is ready: %s", error)
