"""Things kept on disk until they are needed, in a file without a name: nothing is left of it, however we end."""

from __future__ import annotations

import tempfile
from typing import NamedTuple


class Span(NamedTuple):
    """Where a thing lies in its spool."""

    start: int
    length: int


class Spool:
    """Takes bytes and gives them back. Raises `OSError` when the disk is full."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="oryn-")
        self.size = 0

    def add(self, data: bytes) -> Span:
        self._file.seek(self.size)
        self._file.write(data)
        span = Span(self.size, len(data))
        self.size += len(data)
        return span

    def read(self, span: Span) -> bytes:
        self._file.seek(span.start)
        return self._file.read(span.length)

    def close(self) -> None:
        self._file.close()
