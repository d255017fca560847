"""A film of a session: its pictures on disk, and their encoding to WebM at the end.

A browser of its own encodes them, for it has the codec: nothing else has to be installed, and no page shares a process
with it. It reads the pictures from the disk as a page reads a file that a person has chosen.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO

from oryn.browsers.base import Browser, Page
from oryn.browsers.base.recording import Still
from oryn.browsers.cdp.cleanup import RunFolder
from oryn.engine.recording.video import Footage, Progress, Quality
from oryn.errors import InternalError, ScriptError
from oryn.recording.timing import Shown, Taken, frames
from oryn.recording.webm import WebM

log = logging.getLogger(__name__)

CODEC, CODEC_ID = "vp09.00.51.08", "V_VP9"
"""VP9, profile 0, as large as 4096x2176: in software several times as fast as VP8, and finer."""

BITS_PER_PIXEL: dict[Quality, float] = {"low": 0.4, "medium": 1.2, "high": 4.0}
"""Bits a second for each pixel; 1.2 is about 1.1 Mbit/s at 1280x720."""

FRAMES_PER_SECOND = 25

LARGEST = 4_000_000_000
"""Bytes of pictures on disk; a film that is full has no more of them."""

BATCH = 25
"""Frames between two reports of the progress."""


class Film:
    """Made when the recording starts. `browser` makes the browser that encodes; `runtime_dir` holds the pictures."""

    def __init__(self, runtime_dir: Path, browser: Callable[[], Browser]) -> None:
        self._browser = browser
        self._folder = RunFolder.make(runtime_dir)
        self._path = self._folder.folder / "pictures"
        self._file = self._path.open("xb")
        self._taken: list[Taken] = []
        self._size = 0
        self.lost: str | None = None
        """Why pictures are missing at the end, or None."""

    def add(self, still: Still) -> None:
        if self.lost is not None:
            return
        if self._size > LARGEST:
            self.lost = f"the film is full after {LARGEST // 1_000_000_000} GB of pictures"
            return
        try:
            self._file.write(still.image)
        except OSError as error:
            self.lost = f"no more pictures could be kept: {error.strerror or error}"
            return
        self._taken.append(Taken(self._size, len(still.image), still.time))
        self._size += len(still.image)

    async def develop(self, file: BinaryIO, quality: Quality, ended: float, progress: Progress) -> Footage:
        """Encode what was added, and write it; may be tried again when it fails."""
        self._file.flush()
        shown = frames(self._taken, ended)
        browser = self._browser()
        try:
            await browser.start()
            progress(0)
            page = await self._encoder(browser)
            first = self._taken[0]
            size = await _ask(
                page,
                "begin",
                {
                    "first": [first.start, first.length],
                    "codec": CODEC,
                    "bitsPerPixel": BITS_PER_PIXEL[quality],
                    "rate": FRAMES_PER_SECOND,
                },
            )
            seconds = shown[-1].milliseconds / 1000
            webm = WebM(file, codec=CODEC_ID, width=size["width"], height=size["height"], seconds=seconds)
            await _encode(page, shown, webm, progress)
            return Footage(len(shown), seconds, size["width"], size["height"])
        finally:
            await browser.close()

    async def _encoder(self, browser: Browser) -> Page:
        """The page that encodes, with the pictures' file chosen in it. A `file:` page may use the codecs: they want a
        secure context."""
        place = self._folder.folder / "encoder.html"
        place.write_bytes((files("oryn.recording") / "encoder.html").read_bytes())
        page = browser.page
        await page.goto(place.as_uri())
        found = await page.scanner({"cmd": "find", "target": {"css": "input"}})
        await page.set_files(found["data"]["matches"][0]["id"], [str(self._path)])
        return page

    @property
    def is_empty(self) -> bool:
        return not self._taken

    async def discard(self) -> None:
        """Remove the pictures. Safe to call twice."""
        self._file.close()
        await asyncio.get_running_loop().run_in_executor(None, self._folder.remove)
        self._folder.release()


async def _encode(page: Page, shown: Sequence[Shown], webm: WebM, progress: Progress) -> None:
    for start in range(0, len(shown), BATCH):
        batch = shown[start : start + BATCH]
        listed = [[one.picture.start, one.picture.length, one.milliseconds, one.key] for one in batch]
        is_last = start + BATCH >= len(shown)
        for milliseconds, key, data in await _ask(page, "encode", listed, is_last):
            webm.add(milliseconds, base64.b64decode(data), key=key)
        progress(min(1.0, (start + BATCH) / len(shown)))
    webm.finish()


async def _ask(page: Page, function: str, *arguments: Any) -> Any:
    """Call a function of the encoder's page."""
    try:
        return await page.evaluate(f"{function}({', '.join(map(json.dumps, arguments))})", timeout=_BATCH_SECONDS)
    except ScriptError as error:
        raise InternalError(f"the browser did not encode the video: {error.message}") from error


_BATCH_SECONDS = 120.0
