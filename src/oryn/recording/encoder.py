"""The video of a session: stores its pictures on disk, computes when each is displayed, and encodes them to WebM at the
end.

A separate browser encodes them, because it contains the codec: nothing else has to be installed, and no page shares a
process with it. Its page reads the pictures like a file that a user has chosen."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO

from oryn.browsers.base import Browser, Page
from oryn.browsers.base.recording import ScreencastFrame
from oryn.browsers.process.run_folder import RunFolder
from oryn.engine.recording.video import Progress, Quality, VideoInfo
from oryn.errors import InternalError, ScriptError
from oryn.recording.webm import WebmWriter

MAX_FRAME_MILLISECONDS = 1000
"""Milliseconds after which an unchanged picture is repeated, so that players can seek."""

KEY_FRAME_MILLISECONDS = 5000
"""Milliseconds between key frames."""


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """A picture in the file of pictures: its position and length in bytes, and when it was taken (Unix time in
    seconds)."""

    start: int
    length: int
    time: float


@dataclass(frozen=True, slots=True)
class VideoFrame:
    """A frame of the video, and the time in it at which it is displayed."""

    picture: StoredPicture
    milliseconds: int
    key: bool


def video_frames(pictures: Sequence[StoredPicture], ended: float) -> list[VideoFrame]:
    """The frames of a video from the first picture until `ended` (Unix time in seconds)."""
    frames: list[VideoFrame] = []
    last_key = -KEY_FRAME_MILLISECONDS
    for picture, milliseconds in _moments(pictures, ended):
        if frames and milliseconds <= frames[-1].milliseconds:
            continue  # two pictures of one moment, or inconsistent clocks
        key = milliseconds - last_key >= KEY_FRAME_MILLISECONDS
        last_key = milliseconds if key else last_key
        frames.append(VideoFrame(picture, milliseconds, key))
    return frames


def _moments(pictures: Sequence[StoredPicture], ended: float) -> Iterator[tuple[StoredPicture, int]]:
    begun = pictures[0].time
    for position, picture in enumerate(pictures):
        at = round((picture.time - begun) * 1000)
        following = pictures[position + 1].time if position + 1 < len(pictures) else ended
        until = round((following - begun) * 1000)
        yield picture, at
        yield from ((picture, again) for again in range(at + MAX_FRAME_MILLISECONDS, until, MAX_FRAME_MILLISECONDS))
    yield pictures[-1], round((ended - begun) * 1000)


log = logging.getLogger(__name__)

CODEC, CODEC_ID = "vp09.00.51.08", "V_VP9"
"""VP9, profile 0, up to 4096x2176: in software several times as fast as VP8, and of better quality."""

BITS_PER_PIXEL: dict[Quality, float] = {"low": 0.4, "medium": 1.2, "high": 4.0}
"""Bits per second for each pixel; 1.2 is about 1.1 Mbit/s at 1280x720."""

FRAMES_PER_SECOND = 25

MAX_PICTURES_BYTES = 4_000_000_000
"""Bytes of pictures on disk; further pictures are dropped."""

BATCH_FRAMES = 25
"""Frames between two calls of `progress`."""


class BrowserVideoEncoder:
    """Collects the pictures of one recording, and encodes them."""

    def __init__(self, runtime_dir: Path, create_browser: Callable[[], Browser]) -> None:
        """`runtime_dir` is the folder for temporary files; `create_browser` creates the browser that encodes."""
        self._create_browser = create_browser
        self._folder = RunFolder.create(runtime_dir)
        self._path = self._folder.folder / "pictures"
        self._file = self._path.open("xb")
        self._pictures: list[StoredPicture] = []
        self._size = 0
        self.lost: str | None = None
        """Why pictures are missing at the end of the video, or None."""

    def add(self, still: ScreencastFrame) -> None:
        """Store a picture. Never raises: `lost` says why it was dropped."""
        if self.lost is not None:
            return
        if self._size > MAX_PICTURES_BYTES:
            self.lost = f"the film is full after {MAX_PICTURES_BYTES // 1_000_000_000} GB of pictures"
            return
        try:
            self._file.write(still.image)
        except OSError as error:
            self.lost = f"no more pictures could be kept: {error.strerror or error}"
            return
        self._pictures.append(StoredPicture(self._size, len(still.image), still.time))
        self._size += len(still.image)

    async def encode(self, file: BinaryIO, quality: Quality, ended: float, progress: Progress) -> VideoInfo:
        """Encode the pictures and write the video into `file`; it can be called again after a failure. `ended` is the
        end of the video in Unix time; `progress` is called with the finished part, from 0 to 1. Raises `InternalError`,
        and errors of the browser."""
        self._file.flush()
        frames = video_frames(self._pictures, ended)
        browser = self._create_browser()
        try:
            await browser.start()
            progress(0)
            page = await self._open_encoder(browser)
            first = self._pictures[0]
            size = await _call(
                page,
                "begin",
                {
                    "first": [first.start, first.length],
                    "codec": CODEC,
                    "bitsPerPixel": BITS_PER_PIXEL[quality],
                    "rate": FRAMES_PER_SECOND,
                },
            )
            seconds = frames[-1].milliseconds / 1000
            webm = WebmWriter(file, codec=CODEC_ID, width=size["width"], height=size["height"], seconds=seconds)
            await _encode(page, frames, webm, progress)
            return VideoInfo(len(frames), seconds, size["width"], size["height"])
        finally:
            await browser.close()

    async def _open_encoder(self, browser: Browser) -> Page:
        """Open the page that encodes, and choose the file of pictures in it. It is a `file:` page, because codecs need
        a secure context."""
        path = self._folder.folder / "encoder.html"
        path.write_bytes((files("oryn.recording") / "encoder.html").read_bytes())
        page = browser.page
        await page.goto(path.as_uri())
        found = await page.scanner({"cmd": "find", "target": {"css": "input"}})
        await page.set_files(found["data"]["matches"][0]["id"], [str(self._path)])
        return page

    @property
    def is_empty(self) -> bool:
        """Whether no picture was stored."""
        return not self._pictures

    async def discard(self) -> None:
        """Delete the pictures. Idempotent."""
        self._file.close()
        await asyncio.get_running_loop().run_in_executor(None, self._folder.remove)
        self._folder.release()


async def _encode(page: Page, frames: Sequence[VideoFrame], webm: WebmWriter, progress: Progress) -> None:
    for start in range(0, len(frames), BATCH_FRAMES):
        batch = frames[start : start + BATCH_FRAMES]
        listed = [[one.picture.start, one.picture.length, one.milliseconds, one.key] for one in batch]
        is_last = start + BATCH_FRAMES >= len(frames)
        for milliseconds, key, data in await _call(page, "encode", listed, is_last):
            webm.add(milliseconds, base64.b64decode(data), key=key)
        progress(min(1.0, (start + BATCH_FRAMES) / len(frames)))
    webm.finish()


async def _call(page: Page, function: str, *arguments: Any) -> Any:
    """Call a function of the encoder's page; its result. Raises `InternalError`."""
    try:
        return await page.evaluate(f"{function}({', '.join(map(json.dumps, arguments))})", timeout=_BATCH_SECONDS)
    except ScriptError as error:
        raise InternalError(f"the browser did not encode the video: {error.message}") from error


_BATCH_SECONDS = 120.0
