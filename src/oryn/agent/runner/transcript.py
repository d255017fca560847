"""Transcripts: a run as lines of JSON, each written at once, in a file that only its owner can read.

The first line is `{"at": "2026-11-22T12:00:00.000Z", "kind": "begun", …}`. An entry of kind `begun` has the goal, the
keyword and the model. `message` has a role, a content and, if it is the model's, its tokens. `turn` has the command,
role and name of the element that it names by a number, and the URLs of the tabs. `picture` is the page after a turn, a
JPEG file in base64. `correction`, `confirmation`, `again`, `shortened` and `resumed` are other events. `ended` has the
outcome and the cost.

Messages to the model can be summarized in a few lines for a person. The agent (`oryn.agent`) writes their blocks; no
page can open or end one."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from oryn.errors import TranscriptError
from oryn.system.locks import try_lock

TranscriptEntry = Mapping[str, Any]

MAX_TRANSCRIPT_BYTES = 500_000_000
"""Bytes of a transcript that are read."""


class AgentTranscript:
    """A transcript file that grows; one run writes it at a time. Raises `TranscriptError` if it can't be opened or
    written."""

    def __init__(self, file: Path, *, new: bool, clock: Callable[[], float] = time.time) -> None:
        """Open the file. If `new` is true, the file must not exist; otherwise entries are appended to it."""
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
            # A last line that a crash has cut off would damage the next one.
            self._stream.seek(0)
            self._stream.truncate(self._stream.read(MAX_TRANSCRIPT_BYTES).rfind(b"\n") + 1)
        except OSError as error:
            self._stream.close()
            raise self._unwritten(error) from error

    def write(self, kind: str, **what: Any) -> None:
        """Append an entry with the current time. `what` are its other fields, which must be JSON data; those that are
        None are left out."""
        at = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        fields = {name: value for name, value in what.items() if value is not None}
        # ASCII, so that no character of a page ends a line, and lone surrogates can be written.
        line = json.dumps({"at": at, "kind": kind, **fields}).encode() + b"\n"
        try:
            while line:
                line = line[self._stream.write(line) or 0 :]
        except OSError as error:
            raise self._unwritten(error) from error

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._stream.close()

    def _unwritten(self, error: OSError, hint: str | None = None) -> TranscriptError:
        return TranscriptError(f"can't write {self.file}: {error.strerror}", hint)


def read_transcript(file: Path) -> list[TranscriptEntry]:
    """Return every entry. An incomplete last line, after a crash, is ignored. Raises `TranscriptError`."""
    try:
        with file.open("rb") as stream:
            lines = stream.read(MAX_TRANSCRIPT_BYTES).split(b"\n")
    except OSError as error:
        raise TranscriptError(f"can't read {file}: {error.strerror}", "Name a transcript of 'oryn agent'.") from error
    entries = [
        _parse_entry(line, file, last=number == len(lines)) for number, line in enumerate(lines, 1) if line.strip()
    ]
    found = [entry for entry in entries if entry is not None]
    if not found or found[0]["kind"] != "begun":
        raise _not_a_transcript(file)
    return found


def _parse_entry(line: bytes, file: Path, *, last: bool) -> TranscriptEntry | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if isinstance(entry, dict) and isinstance(entry.get("kind"), str):
        return entry
    if last:
        return None
    raise _not_a_transcript(file)


def _not_a_transcript(file: Path) -> TranscriptError:
    return TranscriptError(f"{file} is not a transcript", "Name one that 'oryn agent' has written.")


_BLOCK = re.compile(
    r'^<(browsing_context|api_activity|command_result)(?: action="[^"\n]*")?>$\n(.*?)(?:^</\1>$|\Z)',
    re.MULTILINE | re.DOTALL,
)
_URL = re.compile(r"^URL: (.*)$", re.MULTILINE)
_ELEMENT = re.compile(r"^<\w+ id=", re.MULTILINE)

MAX_RESULT_LINES = 12
"""Lines of a command result in a summary."""


def summarize_message(message: str) -> list[str]:
    """Summarize a message: `@ URL, 12 elements` for a snapshot, the start of a command result, and all text outside of
    blocks."""
    lines: list[str] = []
    end = 0
    for block in _BLOCK.finditer(message):
        lines += _outside_blocks(message[end : block.start()])
        lines += _summarize_block(block[1], block[2])
        end = block.end()
    return [*lines, *_outside_blocks(message[end:])]


def _outside_blocks(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip())


def _summarize_block(kind: str, text: str) -> list[str]:
    if kind == "api_activity":
        return [f"  {_counted(text.count('<call '), 'request')}"]
    if kind == "command_result":
        lines = text.splitlines()
        more = [f"| … {len(lines) - MAX_RESULT_LINES} more lines"] if len(lines) > MAX_RESULT_LINES else []
        return [*lines[:MAX_RESULT_LINES], *more]
    url = _URL.search(text)
    elements = "unchanged" if "[Target Unchanged]" in text else _counted(len(_ELEMENT.findall(text)), "element")
    return [f"@ {url[1] if url else '?'}, {elements}"]


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
