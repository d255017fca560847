"""Files of rows, one JSON line each, that only grow: a row is there as a whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def append_row(file: Path, line: bytes) -> None:
    """Append a line completely or not at all. The file is created for its owner alone. Raises `OSError`."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
    try:
        size = os.fstat(descriptor).st_size
        try:
            written = os.write(descriptor, line)
            if written != len(line):
                raise OSError(errno.ENOSPC, "no space left on the device")
        except OSError:
            with suppress(OSError):  # the next process that writes truncates the torn row
                os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)


def truncate_torn_row(file: Path) -> int:
    """Truncate a torn last row; return the number of complete rows. Raises `OSError`."""
    try:
        with file.open("r+b") as stream:
            count, end = 0, 0
            for line in stream:
                if line.endswith(b"\n"):
                    count, end = count + 1, end + len(line)
            stream.truncate(end)
            return count
    except FileNotFoundError:
        return 0


def newest_rows(*files: Path) -> Iterator[bytes]:
    """The lines of several files, each file from its end; the files are read only as far as the caller iterates."""
    for file in files:
        with suppress(FileNotFoundError):
            yield from reversed(file.read_bytes().splitlines())
