"""The line protocol's framing (seed 000 §4.3, §6.1): bytes into lines, answers into bytes. Pure.

An answer is its payload, then a line that is exactly `---`. A payload line that is exactly `---` goes out as `\\---`,
as the seed says. To lose nothing, a payload line that already is backslashes and `---` gets one backslash more, so that
a client that takes one backslash away from each such line gets back what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from oryn.errors import UnexpectedInput
from oryn.records import Record

TERMINATOR = "---"
LINE_LIMIT = 8 * 1024 * 1024
"""Bytes that a line may have, its end not counted."""

_LIKE_TERMINATOR = re.compile(r"^(\\*---)$", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(\\*---)$", re.MULTILINE)
# A client that reads with universal newlines takes a bare carriage return for the end of a line.
_LINE_ENDS = re.compile(r"\r\n?")


def encode(payload: str) -> bytes:
    """An answer as it goes over the wire. An empty payload is the terminator alone."""
    body = _LIKE_TERMINATOR.sub(r"\\\1", _LINE_ENDS.sub("\n", payload))
    text = f"{body}\n{TERMINATOR}\n" if body else f"{TERMINATOR}\n"
    return text.encode("utf-8", "replace")


def decode(data: bytes) -> str:
    """The payload of an answer as it came over the wire, its terminator included."""
    body = data.decode("utf-8", "replace").removesuffix(f"{TERMINATOR}\n").removesuffix("\n")
    return _ESCAPED.sub(r"\1", body)


class AnswerSplitter:
    """Cuts a stream of bytes into the payloads of its answers. `unfinished` is what has come of the next one."""

    def __init__(self) -> None:
        self.unfinished = bytearray()
        self._searched = 0

    def feed(self, data: bytes) -> Iterator[str]:
        self.unfinished += data
        while end := self._end():
            answer = bytes(self.unfinished[:end])
            del self.unfinished[:end]
            self._searched = 0
            yield decode(answer)

    def _end(self) -> int:
        """Where the next answer ends, its terminator included; 0 where more of it is to come."""
        if self.unfinished.startswith(b"---\n"):
            return 4
        found = self.unfinished.find(b"\n---\n", self._searched)
        self._searched = max(0, len(self.unfinished) - 4)
        return found + 5 if found >= 0 else 0


class TooLong(Record):
    """In the place of a line that was longer than the limit; nothing of it was kept."""

    size: int


def text_of(line: bytes | TooLong) -> str:
    """A line as text. Raises `UnexpectedInput` where its bytes are no line of the language."""
    if isinstance(line, TooLong):
        raise UnexpectedInput(f"a line of {line.size} bytes", f"A line may have {LINE_LIMIT} bytes at most.")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnexpectedInput(f"not UTF-8 at byte {error.start}", "Send commands as UTF-8 text.") from None


class LineSplitter:
    """Cuts a stream of bytes into lines without their ends (`\\n` or `\\r\\n`).

    At most `limit` bytes of an unfinished line are held; a longer one is dropped as it comes and yields `TooLong`."""

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[bytes | TooLong]:
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._keep(part)
            yield self._take()
        self._keep(rest)

    def end(self) -> Iterator[bytes | TooLong]:
        """What is left when the input ends: a last line without its end, if there is one."""
        if self._size:
            yield self._take()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit + 1:  # one more for a carriage return that may belong to the line's end
            self._parts.clear()
        elif part:
            self._parts.append(part)

    def _take(self) -> bytes | TooLong:
        line, size = b"".join(self._parts).removesuffix(b"\r"), self._size
        self._parts, self._size = [], 0
        return TooLong(size) if size > self._limit + 1 or len(line) > self._limit else line
