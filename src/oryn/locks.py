"""A lock on an open file, which the system lets go of when its holder dies, however it dies."""

from __future__ import annotations

import sys
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

else:
    import fcntl

    def try_lock(file: IO[str]) -> bool:
        """Lock `file` for as long as it is open, unless somebody else has."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
