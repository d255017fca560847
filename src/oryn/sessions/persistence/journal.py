"""`SessionJournal`: changes to a host's sessions since `sessions.json` was written, appended line by line.

A line is passed to the operating system before an answer is sent, so it survives if the process is killed a moment
later. The journal does not wait for the disk. `models` defines the format of the lines."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from oryn.system.paths import private_folder


class SessionJournal:
    """The journal `file`, which one process at a time writes. Every method but `close` may raise `OSError`."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.size = 0
        """Size of the file in bytes, once a line was appended."""
        self._stream: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether the journal was opened for appending, and not closed since."""
        return self._stream is not None

    def append(self, line: bytes) -> None:
        """Append a line completely or not at all. Raises `OSError` if the disk is full, and `ConfigurationError`."""
        stream = self._opened()
        written = os.write(stream, line)
        if written < len(line):  # the disk is full: half a line would damage the next one
            with suppress(OSError):
                os.ftruncate(stream, self.size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.size += written

    def _opened(self) -> int:
        if self._stream is not None and os.fstat(self._stream).st_nlink:
            return self._stream
        self.close()  # another process has removed the file
        private_folder(self.file.parent)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        self._stream = os.open(self.file, flags, 0o600)
        self.size = os.fstat(self._stream).st_size
        if self.size:  # from a host that may have died in the middle of a line
            self.size += os.write(self._stream, b"\n")
        return self._stream

    def text(self) -> str:
        """The whole journal; empty if the file does not exist. Raises `OSError` if it is not a regular file. Bytes that
        are not UTF-8 are replaced."""
        try:
            if not stat.S_ISREG(self.file.lstat().st_mode):
                raise OSError(errno.EINVAL, "it is not a file")
            return self.file.read_bytes().decode(errors="replace")
        except FileNotFoundError:
            return ""

    def discard(self, size: int) -> None:
        """Remove the first `size` bytes, which the index contains by now. Later lines stay."""
        if self._stream is None or not size:
            return
        if size == self.size:
            os.ftruncate(self._stream, 0)
            self.size = 0
            return
        rest = self.file.read_bytes()[size:]
        draft = self.file.with_name(f".{self.file.name}.{os.getpid()}")
        self.close()
        stream = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            complete = os.write(stream, rest) == len(rest)
        finally:
            os.close(stream)
        if complete:
            draft.replace(self.file)
        else:
            draft.unlink()

    def remove(self) -> None:
        """Remove the file, as the index contains all of it."""
        self.close()
        self.file.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        if self._stream is not None:
            with suppress(OSError):
                os.close(self._stream)
            self._stream, self.size = None, 0
