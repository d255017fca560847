"""Transcripts: a run as lines of JSON, each written when it happens, in a file that its owner alone reads.

`{"at": "2026-11-22T12:00:00.000Z", "kind": "begun", …}` is the first; of the kinds `begun` has the goal, the keyword,
the model; `message` a role, a content and, where it is the model's, its tokens; `turn` what was done and where the tabs
stand; `correction`, `confirmation`, `again`, `shortened`, `resumed` what else happens; `ended` how, and what it cost.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from oryn.errors import TranscriptError
from oryn.locks import try_lock

Entry = Mapping[str, Any]

LARGEST = 500_000_000
"""Bytes of a transcript that is read."""


class Transcript:
    """One file that grows, and that one run writes at a time. Raises `TranscriptError` where it can't be opened or
    written."""

    def __init__(self, file: Path, *, new: bool, clock: Callable[[], float] = time.time) -> None:
        """A `new` one must not be there yet; else what is written comes after what is there."""
        self.file = file
        self._clock = clock
        flags = os.O_RDWR | os.O_APPEND | (os.O_CREAT | os.O_EXCL if new else 0)
        try:
            self._stream = open(os.open(file, flags, 0o600), "r+b", buffering=0)
        except FileExistsError:
            raise TranscriptError(f"{file} is there already", "Go on with it by --resume, or name another.") from None
        except OSError as error:
            raise self._unwritten(error, "Name another with --transcript.") from error
        if not try_lock(self._stream):
            self._stream.close()
            raise TranscriptError(f"another run writes {file} now", "Wait until that ends, or end it with Ctrl-C.")
        try:
            _drop_cut_line(self._stream)
        except OSError as error:
            self._stream.close()
            raise self._unwritten(error) from error

    def write(self, kind: str, **what: Any) -> None:
        at = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        told = {name: value for name, value in what.items() if value is not None}
        # ASCII: no character of a page ends a line, and halves of characters are written, too.
        line = json.dumps({"at": at, "kind": kind, **told}).encode() + b"\n"
        try:
            while line:
                line = line[self._stream.write(line) or 0 :]
        except OSError as error:
            raise self._unwritten(error) from error

    def close(self) -> None:
        self._stream.close()

    def _unwritten(self, error: OSError, hint: str | None = None) -> TranscriptError:
        return TranscriptError(f"can't write {self.file}: {error.strerror}", hint)


def read(file: Path) -> list[Entry]:
    """Every entry. A last line that was cut off, by a crash, is none. Raises `TranscriptError`."""
    try:
        with file.open("rb") as stream:
            lines = stream.read(LARGEST).split(b"\n")
    except OSError as error:
        raise TranscriptError(f"can't read {file}: {error.strerror}", "Name a transcript of 'oryn agent'.") from error
    entries = [_entry(line, file, last=number == len(lines)) for number, line in enumerate(lines, 1) if line.strip()]
    found = [entry for entry in entries if entry is not None]
    if not found or found[0]["kind"] != "begun":
        raise _is_none(file)
    return found


def _entry(line: bytes, file: Path, *, last: bool) -> Entry | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if isinstance(entry, dict) and isinstance(entry.get("kind"), str):
        return entry
    if last:
        return None
    raise _is_none(file)


def _is_none(file: Path) -> TranscriptError:
    return TranscriptError(f"{file} is no transcript", "Name one that 'oryn agent' has written.")


def _drop_cut_line(stream: IO[bytes]) -> None:
    """What a crash cut off would spoil what follows it."""
    stream.seek(0)
    stream.truncate(stream.read(LARGEST).rfind(b"\n") + 1)
