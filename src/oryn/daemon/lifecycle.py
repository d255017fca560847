"""Where a daemon says that it is there, and that there is one only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.errors import DaemonFailed
from oryn.locks import try_lock
from oryn.paths import private_folder
from oryn.places import ABOUT, SOCKET
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.paths import Paths


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
        """Be the one daemon while the block runs. Raises `DaemonFailed` where another one is."""
        private_folder(self.paths.runtime)
        with os.fdopen(os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii") as file:
            if not try_lock(file):
                raise DaemonFailed("a daemon runs already", "'oryn daemon status' tells of it.")
            yield
