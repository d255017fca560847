"""Where a daemon says that it is there, and that there is one only."""

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
from oryn.errors import DaemonFailed
from oryn.locks import try_lock
from oryn.paths import private_folder, write_private
from oryn.places import ABOUT, SOCKET
from oryn.processes import is_running
from oryn.records import Record
from oryn.sessions.registry import remove_socket

if TYPE_CHECKING:
    from oryn.paths import Paths

log = logging.getLogger(__name__)

READY = "ORYN_READY_FD"
_SECONDS_TO_END = 30.0
"""How long a daemon that ends may take, before another one that starts gives up."""
_MOMENT = 0.02


class Place(Record):
    """The files of a running daemon, in the folder of what lives as long as a process."""

    paths: Paths

    @property
    def lock(self) -> Path:
        """Held for as long as a daemon runs."""
        return self.paths.runtime / "daemon.lock"

    @property
    def about(self) -> Path:
        """`{"pid": …, "port": …, "socket": …, "version": …}`."""
        return self.paths.runtime / ABOUT

    @property
    def socket(self) -> Path:
        return self.paths.runtime / SOCKET

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Be the one daemon while the block runs, with nothing left of the one before, which may take a while to end.

        Raises `DaemonFailed` where another one serves."""
        private_folder(self.paths.runtime)
        with os.fdopen(os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii") as file:
            until = time.monotonic() + _SECONDS_TO_END
            while not try_lock(file):
                if self._is_served() or time.monotonic() > until:
                    raise DaemonFailed("a daemon runs already", "'oryn daemon status' tells of it.")
                time.sleep(_MOMENT)  # nothing tells of a lock's end without waiting for ever
            self.leave()  # what is there is a dead one's
            yield

    def tell(self, *, port: int, socket: Path | None) -> None:
        """Say where the daemon can be reached, which it can. Raises `ConfigurationError`, `OSError`."""
        about = {"pid": os.getpid(), "port": port, "socket": socket and str(socket), "version": __version__}
        write_private(self.about, json.dumps(about))

    def leave(self) -> None:
        """Nobody shall come any more: remove what says where, and the socket. Safe to call twice."""
        if socket := self._told().get("socket"):
            remove_socket(Path(str(socket)))
        remove_socket(self.socket)
        with suppress(OSError):
            self.about.unlink(missing_ok=True)

    def _is_served(self) -> bool:
        """Whether a daemon that lives says where it can be reached: one that starts or ends does not."""
        process = self._told().get("pid")
        return isinstance(process, int) and is_running(process)

    def _told(self) -> dict[str, Any]:
        try:
            told = json.loads(self.about.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return told if isinstance(told, dict) else {}


def tell_ready(port: int) -> None:
    """Write the port and a line's end to the descriptor that whoever started the daemon waits at (`ORYN_READY_FD`)."""
    if number := os.environ.pop(READY, None):
        try:
            with os.fdopen(int(number), "w", encoding="ascii") as waiting:
                waiting.write(f"{port}\n")
        except (OSError, ValueError) as error:
            log.warning("nobody could be told that the daemon is ready: %s", error)
