"""Captures a page: screenshots, PDF, screencasts, and the streams in which the browser sends large results.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-captureScreenshot
https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-printToPDF
https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-startScreencast
https://chromedevtools.github.io/devtools-protocol/tot/IO/"""

from __future__ import annotations

import asyncio
import base64
import time
from typing import Any

from oryn.browsers.base import ImageFormat, Rect
from oryn.browsers.base.recording import ByteWriter, PdfOptions, ScreencastCallback, ScreencastFrame
from oryn.browsers.cdp.channel import TabCommands
from oryn.browsers.cdp.connection import CdpSession

# In base64 a chunk is a third larger; larger messages would delay other answers.
_CHUNK_BYTES = 512 * 1024


async def copy_stream(session: CdpSession, handle: str, write: ByteWriter, timeout: float) -> None:
    """Write the whole stream and close it. Each piece may take `timeout` seconds."""
    try:
        while True:
            piece = await session.call("IO.read", {"handle": handle, "size": _CHUNK_BYTES}, timeout=timeout)
            data: str = piece["data"]
            write(base64.b64decode(data) if piece.get("base64Encoded") else data.encode("utf-8", "replace"))
            if piece["eof"]:
                return
    finally:
        session.send("IO.close", {"handle": handle})


# A bitmap's side in Skia; a longer page is cut, not failed.
_MAX_SIDE_PIXELS = 16384
_ROUNDING_PIXELS = 0.01


async def screenshot(
    channel: TabCommands,
    format: ImageFormat,
    full_page: bool,
    clip: Rect | None,
    quality: int | None,
    scale: float,
    timeout: float,
) -> bytes:
    """The viewport, the whole page, or `clip` (page coordinates), as an image file."""
    params: dict[str, Any] = {"format": format}
    if quality is not None:
        params |= {"quality": quality, "optimizeForSpeed": True}
    if full_page or clip is not None or scale != 1:
        metrics = await channel.call("Page.getLayoutMetrics", timeout=timeout)
        seen, size = metrics["cssVisualViewport"], metrics["cssContentSize"]
        view = Rect(seen["pageX"], seen["pageY"], seen["clientWidth"], seen["clientHeight"])
        longest = _MAX_SIDE_PIXELS / scale
        page = Rect(0, 0, min(size["width"], longest), min(size["height"], longest))
        area = clip or (page if full_page else view)
        params["clip"] = {"x": area.x, "y": area.y, "width": area.width, "height": area.height, "scale": scale}
        # Only for more than is in view: the page gets a `resize` for it.
        params["captureBeyondViewport"] = not _is_within(area, view)
    answer = await channel.call("Page.captureScreenshot", params, timeout=timeout)
    return base64.b64decode(answer["data"])


def _is_within(area: Rect, view: Rect) -> bool:
    inside = area.intersection(view)
    return area.width - inside.width < _ROUNDING_PIXELS and area.height - inside.height < _ROUNDING_PIXELS


async def print_to_pdf(channel: TabCommands, options: PdfOptions, write: ByteWriter, timeout: float) -> None:
    """Write the whole page as PDF, backgrounds included. The page's own `@page` size rules are ignored."""
    params = {
        "paperWidth": options.width,
        "paperHeight": options.height,
        "marginTop": options.margin,
        "marginBottom": options.margin,
        "marginLeft": options.margin,
        "marginRight": options.margin,
        "printBackground": True,
        "transferMode": "ReturnAsStream",
    }
    printed = await channel.call("Page.printToPDF", params, timeout=timeout)
    await copy_stream(channel.session, printed["stream"], write, timeout)


_JPEG_QUALITY = 90
_SCREENCAST_FRAME = "Page.screencastFrame"
_SCREENCAST_PARAMS = {"format": "jpeg", "quality": _JPEG_QUALITY}


_QUIET_SECONDS = 0.25
"""Seconds after the last of several frames until another one is requested, in case the last change was left out."""


class Screencast:
    """The screencast of one tab, shared by all callbacks that want its frames.

    The browser sends the next frame after the last one is acknowledged, and only if the page looks different. It leaves
    out a change that comes while two frames are not acknowledged, so the last of several changes could be missing."""

    def __init__(self, session: CdpSession) -> None:
        self._session = session
        self._callbacks: dict[ScreencastCallback, float] = {}
        """The frames per second that each callback wants."""
        self._latest: ScreencastFrame | None = None
        self._next = 0.0
        self._restart_timer: asyncio.TimerHandle | None = None
        self._is_complete = True
        """Whether no change can have been left out before the latest frame."""

    @property
    def has_ended(self) -> bool:
        """Whether the session of the tab has ended, so that no more frames come."""
        return self._session.ended is not None

    async def start(self, callback: ScreencastCallback, frames_per_second: float) -> None:
        """Call `callback` with the latest frame, if there is one, and with every later frame."""
        self._callbacks[callback] = frames_per_second
        if len(self._callbacks) > 1:
            if self._latest is not None:
                callback(self._latest)
            return
        self._session.on(_SCREENCAST_FRAME, self._on_received)
        try:
            await self._session.call("Page.startScreencast", _SCREENCAST_PARAMS, timeout=5)
        except BaseException:  # also when cancelled
            self._callbacks.clear()
            self._session.off(_SCREENCAST_FRAME, self._on_received)
            raise

    def _on_received(self, event: dict[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        # The time of the acknowledgement, which requests the next frame, limits the rate.
        self._next = max(self._next + 1 / max(self._callbacks.values()), loop.time())
        loop.call_at(self._next, self._acknowledge, event["sessionId"])
        self._restart_when_quiet(loop)
        about = event["metadata"]
        frame = ScreencastFrame(
            base64.b64decode(event["data"]),
            about.get("timestamp") or time.time(),
            (about["deviceWidth"], about["deviceHeight"]),
        )
        self._latest = frame
        for callback in tuple(self._callbacks):
            callback(frame)

    def _restart_when_quiet(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._restart_timer is not None:  # this frame has come soon after another
            self._restart_timer.cancel()
            self._is_complete = False
        self._restart_timer = loop.call_at(self._next + _QUIET_SECONDS, self._restart)

    def _restart(self) -> None:
        self._restart_timer = None
        if self._is_complete or not self._callbacks or self.has_ended:
            return
        self._is_complete = True
        # A screencast sends the present look of the page only when it is started anew.
        self._session.send("Page.stopScreencast")
        self._session.send("Page.startScreencast", _SCREENCAST_PARAMS)

    def _acknowledge(self, number: int) -> None:
        if self._callbacks and not self.has_ended:
            self._session.send("Page.screencastFrameAck", {"sessionId": number})

    def stop(self, callback: ScreencastCallback) -> None:
        """Stop calling `callback`. The screencast ends with its last callback."""
        if callback not in self._callbacks:
            return
        del self._callbacks[callback]
        if self._callbacks:
            return
        self._latest, self._is_complete = None, True
        if self._restart_timer is not None:
            self._restart_timer.cancel()
            self._restart_timer = None
        self._session.off(_SCREENCAST_FRAME, self._on_received)
        if not self.has_ended:
            self._session.send("Page.stopScreencast")
