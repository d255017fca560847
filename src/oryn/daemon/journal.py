"""What is under way, on disk: a daemon that was killed has left it there, and the next one knows what was not ended.

A line for each command that starts. The file is emptied whenever nothing is under way, so it stays short."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

LARGEST = 4 * 1024 * 1024
"""Bytes after which a file that was never emptied is written anew."""


class Journal:
    """The lines of commands under way, by the commands' identifiers. Everything may raise `OSError`."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._under_way: dict[str, bytes] = {}
        self._descriptor: int | None = None
        self._size = 0

    def adopted(self) -> list[bytes]:
        """The lines that the process before this one left, which count as under way here."""
        try:
            data = self.file.read_bytes()
        except FileNotFoundError:
            return []
        self._size = len(data)
        lines = {}
        for line in data.splitlines():
            with suppress(ValueError, TypeError, KeyError):  # one that was torn
                lines[str(json.loads(line)["action_id"])] = line
        self._under_way.update(lines)
        return list(lines.values())

    def begin(self, identifier: str, line: bytes) -> None:
        self._under_way[identifier] = line
        if self._size > LARGEST:
            self._write_anew()
        else:
            self._write(line)

    def end(self, identifier: str) -> None:
        """A command has ended, and its row is written."""
        self._under_way.pop(identifier, None)
        if not self._under_way and self._size:
            os.ftruncate(self._open(), 0)
            self._size = 0

    def close(self) -> None:
        """Remove the file, if nothing is under way."""
        self._let_go()
        if not self._under_way:
            self.file.unlink(missing_ok=True)

    def _write(self, line: bytes) -> None:
        # The line's end comes first: what a full disk cuts short spoils no other line.
        self._size += os.write(self._open(), b"\n" + line)

    def _write_anew(self) -> None:
        self._let_go()
        draft = self.file.with_suffix(".draft")
        data = b"".join(b"\n" + line for line in self._under_way.values())
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
        os.replace(draft, self.file)
        self._size = len(data)

    def _open(self) -> int:
        if self._descriptor is None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(self.file, flags, 0o600)
        return self._descriptor

    def _let_go(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
