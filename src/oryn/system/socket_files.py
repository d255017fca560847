"""Paths of Unix sockets: short enough for the system, and removed with what was created for them."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from oryn.system.paths import private_folder

FALLBACK_PREFIX = "oryn-"
"""Prefix of the folders that are created for a socket alone."""
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
