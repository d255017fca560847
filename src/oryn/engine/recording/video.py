"""Records a video: passes the screencast frames of the current tab to an encoder that the host provides."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol

from oryn.browsers.base.recording import ScreencastFrame
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Browser, Page
    from oryn.engine.output.answer import Answer
    from oryn.language import Command

Quality = Literal["low", "medium", "high"]

Progress = Callable[[float], object]
"""Takes the completed share, 0 to 1."""


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """Properties of a video. Sizes are in pixels."""

    frames: int
    seconds: float
    width: int
    height: int


class VideoEncoder(Protocol):
    """Stores pictures and encodes them as a WebM file: `oryn.recording.encoder`."""

    @property
    def is_empty(self) -> bool: ...

    @property
    def lost(self) -> str | None:
        """The reason why pictures are missing at the end, or None."""

    def add(self, still: ScreencastFrame) -> None:
        """Store a picture. Never raises."""

    async def encode(self, file: BinaryIO, quality: Quality, ended: float, progress: Progress) -> VideoInfo:
        """Write the video, which lasts until `ended` (Unix time). Raises `OrynError`, after which it may be called
        again."""

    async def discard(self) -> None:
        """Remove the stored pictures. Safe to call twice."""


LAST_PICTURE_SECONDS = 2.0


class VideoRecorder:
    """Records the session's current tab. A `Recorder`."""

    def __init__(self, encoder: VideoEncoder, path: str, quality: Quality) -> None:
        self.encoder = encoder
        self.path = path
        self.quality = quality
        self.ended = 0.0
        """The Unix time of the first `record stop`."""
        self._stopped = False
        self._started = time.time()
        self._page: Page | None = None

    async def follow(self, page: Page) -> None:
        """Record this tab from now on. Raises `OrynError`."""
        if page is self._page:
            return
        await self._stop_screencast()
        await page.start_screencast(self.encoder.add)
        self._page = page

    async def stop(self, browser: Browser) -> None:
        """End the recording with a last picture, because the page's latest frame may not have arrived yet."""
        if self._stopped:
            return
        with suppress(OrynError, TimeoutError):
            async with asyncio.timeout(LAST_PICTURE_SECONDS):
                image = await browser.page.screenshot(format="jpeg", quality=90, timeout=LAST_PICTURE_SECONDS)
            self.encoder.add(ScreencastFrame(image, time.time()))
        self._stopped, self.ended = True, time.time()
        await self._stop_screencast()

    @property
    def seconds(self) -> float:
        """The length of the recording so far."""
        return (self.ended if self._stopped else time.time()) - self._started

    async def _stop_screencast(self) -> None:
        page, self._page = self._page, None
        if page is not None:
            await page.stop_screencast(self.encoder.add)

    async def before(self, browser: Browser, command: Command, canonical: str, program: object) -> None:
        """Do nothing, because the recorded page is the one that the command acts on."""

    async def after(self, browser: Browser, canonical: str, answer: Answer, entry: object) -> None:
        if not self._stopped:
            with suppress(OrynError):  # a crashed tab displays nothing; the next tab is recorded again
                await self.follow(browser.page)

    async def close(self) -> None:
        await self._stop_screencast()
        await self.encoder.discard()
