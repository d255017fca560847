"""A file of results, a JSON object a line, that goes on where it was interrupted."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from oryn.research.crawling.results import Crawled
from oryn.research.failures import CrawlStateInvalid

_BLOCK = 64 * 2**10
_BINARY: int = getattr(os, "O_BINARY", 0)
"""Windows would write other line ends."""


class Journal:
    """`with Journal(path) as journal: async for each in crawl(…, state=…, after=journal.last): journal.write(each)` has
    every result once, however often and whenever the process is killed. A last line that was not written to its end is
    cut off. The file is made for its owner alone. Raises `CrawlStateInvalid` when it holds something else."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | _BINARY, 0o600), "r+b")
        except OSError as error:
            raise CrawlStateInvalid(f"{path}: {error.strerror}") from error
        try:
            self.last = self._mend()
        except BaseException:
            self._file.close()
            raise

    def write(self, crawled: Crawled) -> None:
        """Add a result; it is on the disk when this returns."""
        self._file.write(json.dumps(crawled.form(), ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.last = crawled.number

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _mend(self) -> int:
        """Cut what is no whole line, and return the number of the last one; 0 when there is none."""
        end = self._line_end(self._file.seek(0, os.SEEK_END))
        self._file.truncate(end)
        begin = self._line_end(end - 1) if end else 0
        self._file.seek(begin)
        line = self._file.read(end - begin)
        if not line:
            return 0
        try:
            number = json.loads(line)["number"]
        except (ValueError, TypeError, KeyError):
            number = None
        if not isinstance(number, int):
            raise CrawlStateInvalid(f"{self.path} holds something else than results of a crawl")
        return number

    def _line_end(self, before: int) -> int:
        """Where the last line ends that ends before there."""
        while before > 0:
            begin = max(0, before - _BLOCK)
            self._file.seek(begin)
            found = self._file.read(before - begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            before = begin
        return 0
