"""The journal of a trace: each command with its answer, and how the page looked before and after an action."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oryn.engine.recording.spool import Span, Spool
from oryn.errors import OrynError
from oryn.language import Eval

if TYPE_CHECKING:
    from oryn.browsers.base.recording import Tracing
    from oryn.engine.answer import Answer
    from oryn.engine.session import Session
    from oryn.language import Command

log = logging.getLogger(__name__)

PICTURED = frozenset({"Moving", "Acting", "Intents", "Tabs, frames, dialogs"})
"""Families whose commands do something to a page; `eval` may, too."""

PICTURE_SECONDS = 2.0
"""What a picture may take; a page that is too busy for it has none."""

PICTURE_QUALITY = 55

PICTURES_LIMIT = 500_000_000
"""Bytes of pictures and answers on disk; later commands have none."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One command of the journal."""

    command: str
    ok: bool
    started: float
    """Unix time in seconds."""
    seconds: float
    answer: Span
    before: Span | None
    """A JPEG picture, as `after`."""
    after: Span | None


class Journal:
    """A trace under way: the journal, and the browser's own trace beside it. A `Recorder`."""

    def __init__(self, tracing: Tracing, path: str | None) -> None:
        self.tracing = tracing
        self.path = path
        """Where `trace start` said that the trace goes."""
        self.started = time.time()
        self.entries: list[Entry] = []
        self.spool = Spool()
        self._pictured = False
        self._before: Span | None = None
        self._begun = (0.0, 0.0)

    async def before(self, session: Session, command: Command) -> None:
        self._pictured = command.spec.family in PICTURED or isinstance(command, Eval)
        self._before = await self._picture(session)
        self._begun = time.time(), time.monotonic()

    async def after(self, session: Session, spoken: str, answer: Answer) -> None:
        started, clock = self._begun
        seconds = time.monotonic() - clock
        after = await self._picture(session)
        text = self._keep(answer.render().encode("utf-8", "replace")) or Span(0, 0)
        self.entries.append(Entry(spoken, answer.ok, started, seconds, text, self._before, after))

    async def _picture(self, session: Session) -> Span | None:
        if not self._pictured or self.spool.size > PICTURES_LIMIT:
            return None
        try:
            async with asyncio.timeout(PICTURE_SECONDS):
                image = await session.page.screenshot(format="jpeg", quality=PICTURE_QUALITY, timeout=PICTURE_SECONDS)
        except (OrynError, TimeoutError):
            return None  # a dialog is open, the page is busy, the browser is not there yet or any more
        return self._keep(image)

    def _keep(self, data: bytes) -> Span | None:
        try:
            return self.spool.add(data)
        except OSError as error:
            log.warning("the trace's journal is not whole: %s", error)
            return None

    async def close(self) -> None:
        await self.tracing.discard()
        self.spool.close()
