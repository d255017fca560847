"""A trace as one zip: `trace.json`, `commands.jsonl`, `pictures/`, and `index.html`, which shows all but the first."""

from __future__ import annotations

import asyncio
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, Any, BinaryIO

from oryn.engine.recording import viewer
from oryn.engine.recording.journal import Entry, Journal
from oryn.engine.recording.viewer import Row

TRACE = "trace.json"
"""The browser's own: Perfetto and the browser's developer tools open it."""


_PIECE = 1 << 20


async def write(
    file: BinaryIO, journal: Journal, trace: IO[bytes] | None, withheld: Callable[[str], str] | None = None
) -> None:
    """Write the archive. `trace` is read from its start; None where the browser's own was lost. What it says goes
    through `withheld`, as the journal's answers have.

    Compressing takes a while: other sessions of the process have their turn after each piece."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        if trace is not None:
            trace.seek(0)
            with archive.open(TRACE, "w", force_zip64=True) as place:
                # By whole lines: no string of JSON goes over the end of one.
                while lines := trace.readlines(_PIECE):
                    piece = b"".join(lines)
                    place.write(withheld(piece.decode("utf-8", "replace")).encode() if withheld else piece)
                    await asyncio.sleep(0)
        with archive.open("commands.jsonl", "w", force_zip64=True) as rows:
            for number, entry in _numbered(journal):
                rows.write(json.dumps(_record(number, entry, journal)).encode("ascii") + b"\n")
        for number, entry in _numbered(journal):
            for when, span in (("before", entry.before), ("after", entry.after)):
                if span is not None:
                    picture = zipfile.ZipInfo(_picture(number, when), _NO_TIME)  # stored: a JPEG is compressed already
                    archive.writestr(picture, journal.spool.read(span))
                    await asyncio.sleep(0)
        with archive.open("index.html", "w", force_zip64=True) as page:
            for part in viewer.page(journal.started, _rows(journal), has_trace=trace is not None):
                page.write(part.encode("utf-8", "replace"))
                await asyncio.sleep(0)


_NO_TIME = (1980, 1, 1, 0, 0, 0)


def _numbered(journal: Journal) -> Iterator[tuple[int, Entry]]:
    return enumerate(journal.entries, 1)


def _picture(number: int, when: str) -> str:
    return f"pictures/{number:04}-{when}.jpg"


def _answer(entry: Entry, journal: Journal) -> str:
    return journal.spool.read(entry.answer).decode("utf-8", "replace")


def _record(number: int, entry: Entry, journal: Journal) -> dict[str, Any]:
    return {
        "number": number,
        "command": entry.command,
        "ok": entry.ok,
        "started": round(entry.started, 3),
        "seconds": round(entry.seconds, 3),
        "answer": _answer(entry, journal),
        "before": entry.before and _picture(number, "before"),
        "after": entry.after and _picture(number, "after"),
    }


def _rows(journal: Journal) -> Iterator[Row]:
    for number, entry in _numbered(journal):
        yield Row(
            number,
            entry.command,
            entry.ok,
            entry.started - journal.started,
            entry.seconds,
            _answer(entry, journal),
            entry.before and journal.spool.read(entry.before),
            entry.after and journal.spool.read(entry.after),
        )
