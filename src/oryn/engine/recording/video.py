"""A video under way: the pictures of the tab that is current, handed to a film that the host provides."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol

from oryn.browsers.base.recording import Still
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Page
    from oryn.engine.answer import Answer
    from oryn.engine.session import Session
    from oryn.language import Command

Quality = Literal["low", "medium", "high"]

Progress = Callable[[float], object]
"""Takes the share that is done, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Footage:
    """What a video holds. Sizes in pixels."""

    frames: int
    seconds: float
    width: int
    height: int


class Film(Protocol):
    """Keeps pictures and makes a WebM file of them: `oryn.recording.film`."""

    @property
    def is_empty(self) -> bool: ...

    @property
    def lost(self) -> str | None:
        """Why pictures are missing at the end, or None."""

    def add(self, still: Still) -> None:
        """Never raises."""

    async def develop(self, file: BinaryIO, quality: Quality, ended: float, progress: Progress) -> Footage:
        """Write the video, which lasts until `ended` (Unix time). Raises `OrynError`; may be tried again then."""

    async def discard(self) -> None:
        """Remove what is kept. Safe to call twice."""


LAST_PICTURE_SECONDS = 2.0


class Video:
    """Follows the session from tab to tab. A `Recorder`."""

    def __init__(self, film: Film, path: str, quality: Quality) -> None:
        self.film = film
        self.path = path
        self.quality = quality
        self.ended = 0.0
        """When `record stop` came first: Unix time."""
        self._stopped = False
        self._begun = time.time()
        self._page: Page | None = None

    async def follow(self, page: Page) -> None:
        """Film this tab from now on. Raises `OrynError`."""
        if page is self._page:
            return
        await self._leave()
        await page.start_screencast(self.film.add)
        self._page = page

    async def stop(self, session: Session) -> None:
        """No more pictures but a last one: what the page shows now may not have come yet."""
        if self._stopped:
            return
        with suppress(OrynError, TimeoutError):
            async with asyncio.timeout(LAST_PICTURE_SECONDS):
                image = await session.page.screenshot(format="jpeg", quality=90, timeout=LAST_PICTURE_SECONDS)
            self.film.add(Still(image, time.time()))
        self._stopped, self.ended = True, time.time()
        await self._leave()

    @property
    def seconds(self) -> float:
        """How long it has been, or was, recorded."""
        return (self.ended if self._stopped else time.time()) - self._begun

    async def _leave(self) -> None:
        page, self._page = self._page, None
        if page is not None:
            await page.stop_screencast(self.film.add)

    async def before(self, session: Session, command: Command) -> None:
        """The page that is filmed is the one that the command acts on."""

    async def after(self, session: Session, spoken: str, answer: Answer) -> None:
        if not self._stopped:
            with suppress(OrynError):  # a tab that has crashed shows nothing; the next one is followed
                await self.follow(session.page)

    async def close(self) -> None:
        await self._leave()
        await self.film.discard()
