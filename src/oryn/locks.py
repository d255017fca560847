"""A lock on an open file, which the system lets go of when its holder dies, however it dies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    # Nobody can read a locked byte there, so it is one far behind the end.
    _FAR = 1 << 30

    def try_lock(file: IO[str]) -> bool:
        """Lock `file` for as long as it is open, unless somebody else has."""
        place = file.tell()
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(place)
        return True

    def lock(file: IO[str]) -> None:
        """The same, once nobody else has. Raises `OSError` after ten seconds."""
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def try_lock(file: IO[str]) -> bool:
        """Lock `file` for as long as it is open, unless somebody else has."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def lock(file: IO[str]) -> None:
        """The same, once nobody else has."""
        fcntl.flock(file, fcntl.LOCK_EX)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of the file `path`, which is made and stays, while the block runs. Raises `OSError`."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
        lock(file)
        yield
