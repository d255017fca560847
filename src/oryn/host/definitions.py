"""Definitions over several lines: `define x:` and the indented lines after it are one command.

Where each line is answered, a line of the body is answered with the definition so far; one that is wrong is not added,
so that it can be sent again. Where a whole text is there (a script), the definition is sent at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import TypeVar

Other = TypeVar("Other")
"""What a reader gives in the place of a line that is none."""


def _begins(line: bytes) -> bool:
    # The language is imported while the browser starts, not before.
    from oryn.language import begins_definition

    return begins_definition(line.decode("utf-8", "replace"))


def _indented(line: bytes) -> bool:
    return line[:1] in (b" ", b"\t") and bool(line.strip())


class Definitions:
    """Follows the lines of one conversation: `joined` before a line is sent, `answered` after."""

    def __init__(self) -> None:
        self._so_far = b""
        """The definition whose body may go on; empty where there is none."""
        self._sent = b""

    def joined(self, line: bytes | Other) -> bytes | Other:
        """What is to be sent for a line."""
        self._sent = b""
        if not isinstance(line, bytes):
            self._so_far = b""
            return line
        if not line.strip():
            return line
        if self._so_far and _indented(line):
            self._sent = self._so_far + b"\n" + line
            return self._sent
        self._so_far = line if _begins(line) else b""
        return line

    def answered(self, ok: bool) -> None:
        if ok and self._sent:
            self._so_far = self._sent


async def whole(lines: AsyncIterable[bytes | Other]) -> AsyncIterator[bytes | Other]:
    """The lines of a text, each definition with its body as one."""
    pending: bytes | None = None
    async for line in lines:
        if pending is not None and isinstance(line, bytes):
            if _indented(line):
                pending += b"\n" + line
                continue
            if not line.strip():
                continue
        if pending is not None:
            yield pending
            pending = None
        if isinstance(line, bytes) and _begins(line):
            pending = line
        else:
            yield line
    if pending is not None:
        yield pending
