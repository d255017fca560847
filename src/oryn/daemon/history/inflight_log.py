"""A log of the commands in flight, for crash recovery. A daemon that is killed leaves it behind; from it, the next one
reads which commands did not finish.

Each command that starts adds one line. The file is emptied whenever no command is in flight, so it stays short."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from oryn.system.paths import private_folder

MAX_LOG_BYTES = 4 * 1024 * 1024
"""Size in bytes after which a file that was never emptied is rewritten."""


class InflightLog:
    """The lines of commands in flight, by the commands' identifiers. All methods may raise `OSError`."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._inflight: dict[str, bytes] = {}
        self._descriptor: int | None = None
        self._size = 0

    def adopt(self) -> list[bytes]:
        """Read the lines that the previous process left; they count as in flight from now on."""
        try:
            data = self.file.read_bytes()
        except FileNotFoundError:
            return []
        self._size = len(data)
        lines = {}
        for line in data.splitlines():
            with suppress(ValueError, TypeError, KeyError):  # skips a torn line
                lines[str(json.loads(line)["action_id"])] = line
        self._inflight.update(lines)
        return list(lines.values())

    def begin(self, identifier: str, line: bytes) -> None:
        """Add a command that starts. `line` is its row as JSON without a line end."""
        self._inflight[identifier] = line
        if self._size > MAX_LOG_BYTES:
            self._rewrite()
        else:
            # The newline comes first: a line that a full disk truncates does not damage another line.
            self._size += os.write(self._open(), b"\n" + line)

    def end(self, identifier: str) -> None:
        """Remove a command that has ended and whose row is written."""
        self._inflight.pop(identifier, None)
        if not self._inflight and self._size:
            os.ftruncate(self._open(), 0)
            self._size = 0

    def close(self) -> None:
        """Close the file, and remove it if no command is in flight."""
        self._close_file()
        if not self._inflight:
            self.file.unlink(missing_ok=True)

    def _rewrite(self) -> None:
        self._close_file()
        draft = self.file.with_suffix(".draft")
        data = b"".join(b"\n" + line for line in self._inflight.values())
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
        os.replace(draft, self.file)
        self._size = len(data)

    def _open(self) -> int:
        if self._descriptor is None:
            private_folder(self.file.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(self.file, flags, 0o600)
        return self._descriptor

    def _close_file(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
