"""The journal of a trace: each command with its answer, and screenshots of the page before and after an action.

Answers and screenshots are stored in an unnamed temporary file, so nothing is left behind however the process ends."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from oryn.errors import OrynError
from oryn.language import Eval

if TYPE_CHECKING:
    from oryn.browsers.base import Browser
    from oryn.browsers.base.recording import Tracing
    from oryn.engine.output.answer import Answer
    from oryn.language import Command


class SpoolSpan(NamedTuple):
    """The position of a record in its spool."""

    start: int
    length: int


class Spool:
    """Stores bytes in a temporary file. Raises `OSError` if the disk is full."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="oryn-")
        self.size = 0

    def add(self, data: bytes) -> SpoolSpan:
        self._file.seek(self.size)
        self._file.write(data)
        span = SpoolSpan(self.size, len(data))
        self.size += len(data)
        return span

    def read(self, span: SpoolSpan) -> bytes:
        self._file.seek(span.start)
        return self._file.read(span.length)

    def close(self) -> None:
        self._file.close()


log = logging.getLogger(__name__)

SCREENSHOT_FAMILIES = frozenset({"Moving", "Acting", "Intents", "Tabs, frames, dialogs"})
"""Families whose commands change a page; `eval` may, too."""

SCREENSHOT_SECONDS = 2.0
"""Maximum seconds for a screenshot; if a page is too busy for it, there is none."""

SCREENSHOT_QUALITY = 55

MAX_SPOOL_BYTES = 500_000_000
"""Limit of screenshots and answers on disk; later commands have no screenshots."""


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """One command of the journal. `order` is its place among all that began, `program` that of the command of the
    program that gave it, if one did."""

    order: int
    program: int | None
    command: str
    ok: bool
    started: float
    """Unix time in seconds."""
    seconds: float
    answer: SpoolSpan
    before: SpoolSpan | None
    """A JPEG picture, like `after`."""
    after: SpoolSpan | None


@dataclass(eq=False, slots=True)
class OpenEntry:
    """A command that has begun. `clock` is the monotonic clock."""

    order: int
    program: int | None
    takes_screenshots: bool
    task: asyncio.Task[object] | None
    before: SpoolSpan | None = None
    started: float = 0.0
    clock: float = 0.0


class TraceJournal:
    """A running trace: the journal, and the browser's own trace. A `Recorder`."""

    def __init__(self, tracing: Tracing, path: str | None) -> None:
        self.tracing = tracing
        self.path = path
        """The path from `trace start`, if any."""
        self.started = time.time()
        self._entries: list[TraceEntry] = []
        self.spool = Spool()
        self._open: list[OpenEntry] = []
        self._count = 0

    @property
    def entries(self) -> list[TraceEntry]:
        """The commands that have ended, in the order in which they began."""
        return sorted(self._entries, key=lambda each: each.order)

    async def before(self, browser: Browser, command: Command, canonical: str, program: OpenEntry | None) -> OpenEntry:
        await self._end_steps([each for each in self._open if each.task is not None and each.task.done()])
        takes_screenshots = command.spec.family in SCREENSHOT_FAMILIES or isinstance(command, Eval)
        entry = OpenEntry(
            self._count, program.order if program is not None else None, takes_screenshots, asyncio.current_task()
        )
        self._count += 1
        self._open.append(entry)
        entry.before = await self._screenshot(browser, entry)
        await self.tracing.begin_step(canonical)
        entry.started, entry.clock = time.time(), time.monotonic()
        return entry

    async def after(self, browser: Browser, canonical: str, answer: Answer, entry: OpenEntry) -> None:
        seconds = time.monotonic() - entry.clock
        # What a program that ran out of time was in the middle of has no end of its own.
        await self._end_steps([each for each in self._open if each.task is entry.task and each.order >= entry.order])
        after = await self._screenshot(browser, entry)
        text = self._store(answer.render().encode("utf-8", "replace")) or SpoolSpan(0, 0)
        self._entries.append(
            TraceEntry(
                entry.order, entry.program, canonical, answer.ok, entry.started, seconds, text, entry.before, after
            )
        )

    async def _end_steps(self, entries: list[OpenEntry]) -> None:
        for each in entries:
            self._open.remove(each)
            await self.tracing.end_step()

    async def _screenshot(self, browser: Browser, entry: OpenEntry) -> SpoolSpan | None:
        if not entry.takes_screenshots or self.spool.size > MAX_SPOOL_BYTES:
            return None
        try:
            async with asyncio.timeout(SCREENSHOT_SECONDS):
                image = await browser.page.screenshot(
                    format="jpeg", quality=SCREENSHOT_QUALITY, timeout=SCREENSHOT_SECONDS
                )
        except (OrynError, TimeoutError):
            return None  # a dialog is open, the page is busy, or the browser is not running
        return self._store(image)

    def _store(self, data: bytes) -> SpoolSpan | None:
        try:
            return self.spool.add(data)
        except OSError as error:
            log.warning("the trace's journal is not whole: %s", error)
            return None

    async def close(self) -> None:
        await self.tracing.discard()
        self.spool.close()
