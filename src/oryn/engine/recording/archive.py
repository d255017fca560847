"""Writes a trace as one zip: the browser's own trace, `commands.jsonl`, `pictures/`, and `index.html`.

The HTML page (`oryn.core.html_document`) displays all but the first, which is `trace.json`, or the files of an archive
(`Tracing.is_archive`)."""

from __future__ import annotations

import asyncio
import base64
import json
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import IO, Any, BinaryIO

from oryn.core.html_document import DOCUMENT_END, document_head
from oryn.engine.recording.journal import TraceEntry, TraceJournal


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One command on the page."""

    number: int
    command: str
    ok: bool
    at: float
    """Seconds since the trace began."""
    seconds: float
    answer: str
    before: bytes | None
    """A JPEG picture, like `after`."""
    after: bytes | None
    depth: int = 0
    """How many programs the command is in."""


_STYLE = """
h1 { font-size: 1.375rem; }
details.command { border-top: 1px solid var(--line); padding: 0.5rem 0; }
details.command details.command { margin-left: 1.2rem; }
details.command > summary { display: flex; gap: 0.8rem; align-items: baseline; }
details.command > summary code { flex: 1; }
.time { color: var(--muted); font-size: 0.875rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.failed > summary code { color: var(--bad); }
details > pre { max-height: 24rem; }
.images { display: flex; flex-wrap: wrap; gap: 0.6rem; }
figure { flex: 1 1 20rem; }
figcaption { color: var(--muted); font-size: 0.875rem; }
img { max-width: 100%; border: 1px solid var(--line); cursor: zoom-in; }
figure input { position: absolute; opacity: 0; }
figure label:has(:focus-visible) img { outline: 2px solid var(--accent); }
figure:has(:checked) { flex-basis: 100%; }
figure:has(:checked) img { width: 100%; cursor: zoom-out; }
"""


def viewer_page(
    started: float, rows: Iterable[TraceRow], *, has_trace: bool, is_archive: bool = False
) -> Iterator[str]:
    """Yield the page in parts, one for each row, so that pictures of a long trace are never in memory together."""
    yield document_head("Oryn trace", _STYLE, wide=True, images=True)
    day = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(started))
    yield f"<main>\n<h1>Oryn trace</h1>\n<p class=remark>{day}. "
    if has_trace:
        yield _ARCHIVED if is_archive else _PLAIN
    else:
        yield "The browser's own trace was lost with the browser."
    yield "</p>\n"
    nesting = 0
    for row in rows:
        yield "</details>\n" * (nesting - row.depth)
        yield from _command_html(row)
        nesting = row.depth + 1
    yield "</details>\n" * nesting
    yield f"</main>\n{DOCUMENT_END}"


def _command_html(row: TraceRow) -> Iterator[str]:
    """Yield a command, whose element stays open for those of a program."""
    state = "command" if row.ok else "command failed"
    yield f'<details class="{state}" open>\n<summary><span class=time>{row.number}</span>'
    yield f"<code>{escape(row.command)}</code>"
    yield f"<span class=time>at {row.at:.1f} s, {row.seconds * 1000:.0f} ms</span></summary>\n"
    if row.before or row.after:
        yield "<div class=images>"
        yield from _picture_html("before", row.before)
        yield from _picture_html("after", row.after)
        yield "</div>\n"
    yield f"<pre tabindex=0>{escape(row.answer)}</pre>\n"


def _picture_html(when: str, image: bytes | None) -> Iterator[str]:
    if image is None:
        return
    data = base64.b64encode(image).decode("ascii")
    yield f"<figure><figcaption>{when}</figcaption><label><input type=checkbox>"
    yield f'<img loading=lazy alt="the page {when} the command" src="data:image/jpeg;base64,{data}"></label></figure>'


_PLAIN = """The browser's own trace is <code>trace.json</code> beside this page: ui.perfetto.dev opens it, and the
performance panel of the developer tools."""
_ARCHIVED = """This archive is also a trace of Playwright, which trace.playwright.dev opens, and
<code>playwright show-trace</code>."""
_SOURCE_PLACES = ".stacks"
"""The end of the name of a file that says where in Oryn's source a call was made."""
_PICTURES = (".jpeg", ".jpg", ".png", ".webp")
TRACE = "trace.json"
"""The browser's own trace, for Perfetto and the browser's developer tools."""


_CHUNK_BYTES = 1 << 20


async def write_archive(
    file: BinaryIO, journal: TraceJournal, trace: IO[bytes] | None, mask: Callable[[str], str] | None = None
) -> None:
    """Write the archive. `trace` is read from its start; None if the browser's own trace was lost. `mask` is applied to
    its content; the journal's answers are masked already.

    Compression takes time, so other tasks of the process may run after each piece."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        if trace is not None:
            trace.seek(0)
            if journal.tracing.is_archive:
                await _copy_archive(archive, trace, mask)
            else:
                with archive.open(TRACE, "w", force_zip64=True) as place:
                    await _copy_lines(place, trace, mask)
        numbers = {entry.order: number for number, entry in _numbered(journal)}
        with archive.open("commands.jsonl", "w", force_zip64=True) as rows:
            for number, entry in _numbered(journal):
                program = None if entry.program is None else numbers.get(entry.program)
                rows.write(json.dumps(_command_record(number, entry, journal, program)).encode("ascii") + b"\n")
        for number, entry in _numbered(journal):
            for when, span in (("before", entry.before), ("after", entry.after)):
                if span is not None:
                    picture = zipfile.ZipInfo(
                        _picture_path(number, when), _NO_TIME
                    )  # stored: a JPEG is compressed already
                    archive.writestr(picture, journal.spool.read(span))
                    await asyncio.sleep(0)
        with archive.open("index.html", "w", force_zip64=True) as page:
            for part in viewer_page(
                journal.started,
                _viewer_rows(journal),
                has_trace=trace is not None,
                is_archive=journal.tracing.is_archive,
            ):
                page.write(part.encode("utf-8", "replace"))
                await asyncio.sleep(0)


async def _copy_archive(archive: zipfile.ZipFile, trace: IO[bytes], mask: Callable[[str], str] | None) -> None:
    with zipfile.ZipFile(trace) as own:
        for info in own.infolist():
            if info.filename.endswith(_SOURCE_PLACES):
                continue
            with own.open(info) as file, archive.open(info.filename, "w", force_zip64=True) as place:
                is_picture = info.filename.endswith(_PICTURES)
                await _copy_lines(place, file, None if is_picture else mask)


async def _copy_lines(place: IO[bytes], file: IO[bytes], mask: Callable[[str], str] | None) -> None:
    # Read whole lines, because a JSON string never spans several.
    while lines := file.readlines(_CHUNK_BYTES):
        piece = b"".join(lines)
        place.write(
            mask(piece.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape") if mask else piece
        )
        await asyncio.sleep(0)


_NO_TIME = (1980, 1, 1, 0, 0, 0)


def _numbered(journal: TraceJournal) -> Iterator[tuple[int, TraceEntry]]:
    return enumerate(journal.entries, 1)


def _picture_path(number: int, when: str) -> str:
    return f"pictures/{number:04}-{when}.jpg"


def _answer(entry: TraceEntry, journal: TraceJournal) -> str:
    return journal.spool.read(entry.answer).decode("utf-8", "replace")


def _command_record(number: int, entry: TraceEntry, journal: TraceJournal, program: int | None) -> dict[str, Any]:
    return {
        "number": number,
        "program": program,
        "command": entry.command,
        "ok": entry.ok,
        "started": round(entry.started, 3),
        "seconds": round(entry.seconds, 3),
        "answer": _answer(entry, journal),
        "before": entry.before and _picture_path(number, "before"),
        "after": entry.after and _picture_path(number, "after"),
    }


def _viewer_rows(journal: TraceJournal) -> Iterator[TraceRow]:
    depths: dict[int | None, int] = {}
    for number, entry in _numbered(journal):
        depths[entry.order] = depths.get(entry.program, -1) + 1
        yield TraceRow(
            number,
            entry.command,
            entry.ok,
            entry.started - journal.started,
            entry.seconds,
            _answer(entry, journal),
            entry.before and journal.spool.read(entry.before),
            entry.after and journal.spool.read(entry.after),
            depths[entry.order],
        )
