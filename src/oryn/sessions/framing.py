"""The line protocol's framing (docs/spec/line-protocol.md#framing): bytes into lines, answers into bytes. Pure.

An answer is its payload, then a line that is exactly `---`. A payload line that is exactly `---` is sent as `\\---`. To
be reversible, a payload line that already consists of backslashes and `---` gets another backslash. A client that
removes one backslash from each such line gets the original payload."""

from __future__ import annotations

import re
from collections.abc import Iterator

from oryn.core.records import Record
from oryn.errors import UnexpectedInput

TERMINATOR = "---"
CANCEL_LINE = b'{"cancel":true}'
"""The line that cancels the command that runs (`oryn.hosts.line_protocol`); other engines answer it with an error."""
MAX_LINE_BYTES = 8 * 1024 * 1024
"""Maximum size of a line in bytes, without its end."""

_LIKE_TERMINATOR = re.compile(r"^(\\*---)$", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(\\*---)$", re.MULTILINE)
# A client that reads with universal newlines takes a bare carriage return for the end of a line.
_LINE_ENDS = re.compile(r"\r\n?")


def encode(payload: str) -> bytes:
    """Encode an answer's payload. An empty payload is the terminator alone."""
    body = _LIKE_TERMINATOR.sub(r"\\\1", _LINE_ENDS.sub("\n", payload))
    text = f"{body}\n{TERMINATOR}\n" if body else f"{TERMINATOR}\n"
    return text.encode("utf-8", "replace")


def decode(data: bytes) -> str:
    """Decode the payload of an answer, whose terminator is included in `data`."""
    body = data.decode("utf-8", "replace").removesuffix(f"{TERMINATOR}\n").removesuffix("\n")
    return _ESCAPED.sub(r"\1", body)


class AnswerSplitter:
    """Splits a stream of bytes into the payloads of its answers. `unfinished` is the received part of the next
    answer."""

    def __init__(self) -> None:
        self.unfinished = bytearray()
        self._searched = 0

    def feed(self, data: bytes) -> Iterator[str]:
        """Add received bytes, and yield the payload of each answer that they complete."""
        self.unfinished += data
        while end := self._end():
            answer = bytes(self.unfinished[:end])
            del self.unfinished[:end]
            self._searched = 0
            yield decode(answer)

    def _end(self) -> int:
        """The position after the next answer and its terminator; 0 if it is incomplete."""
        if self.unfinished.startswith(b"---\n"):
            return 4
        found = self.unfinished.find(b"\n---\n", self._searched)
        self._searched = max(0, len(self.unfinished) - 4)
        return found + 5 if found >= 0 else 0


class OversizedLine(Record):
    """Stands for a line that was longer than the limit and was discarded."""

    size: int


def decode_line(line: bytes | OversizedLine) -> str:
    """A line as text. Raises `UnexpectedInput` if it is too long or not UTF-8."""
    if isinstance(line, OversizedLine):
        raise UnexpectedInput(f"a line of {line.size} bytes", f"A line may have {MAX_LINE_BYTES} bytes at most.")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnexpectedInput(f"not UTF-8 at byte {error.start}", "Send commands as UTF-8 text.") from None


class LineSplitter:
    """Splits a stream of bytes into lines without their ends (`\\n` or `\\r\\n`).

    At most `limit` bytes of an unfinished line are held. A longer one is dropped while it is received, and yields
    `OversizedLine`."""

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[bytes | OversizedLine]:
        """Add received bytes, and yield each line that they complete."""
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._append(part)
            yield self._take()
        self._append(rest)

    def end(self) -> Iterator[bytes | OversizedLine]:
        """Yield the last line, if the input has ended without a newline."""
        if self._size:
            yield self._take()

    def _append(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit + 1:  # one byte more, for a carriage return that may belong to the line's end
            self._parts.clear()
        elif part:
            self._parts.append(part)

    def _take(self) -> bytes | OversizedLine:
        line, size = b"".join(self._parts).removesuffix(b"\r"), self._size
        self._parts, self._size = [], 0
        return OversizedLine(size) if size > self._limit + 1 or len(line) > self._limit else line
