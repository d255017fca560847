"""A terminal, as a test sees it."""

from __future__ import annotations

import os
import select


class Screen:
    """What a terminal's program writes; answers it when it asks where the cursor is."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._seen = ""

    def until(self, end: str) -> str:
        """Everything up to `end`, which is waited for."""
        while end not in self._seen:
            assert self._read(), self._seen
        shown, _, self._seen = self._seen.partition(end)
        return shown

    def until_hung_up(self) -> None:
        while self._read():
            pass

    def _read(self) -> bool:
        assert select.select([self._descriptor], [], [], 60)[0], self._seen
        try:
            data = os.read(self._descriptor, 65536).decode(errors="replace")
        except OSError:  # how Linux reports that the other side hung up
            return False
        self._seen += data
        if "\x1b[6n" in self._seen:
            os.write(self._descriptor, b"\x1b[1;1R")
            self._seen = self._seen.replace("\x1b[6n", "")
        return bool(data)
