"""Pictures of a page: screenshots, and those of a screencast.

The browser makes PNG files. Other formats are written in the hidden tab, in which scripts of no page run; WebKit 2.38
can't write JPEG itself, so there the scanner's own encoder does.
https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Page.json (`snapshotRect`)"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base import ImageFormat, Rect
from oryn.browsers.base.recording import ScreencastCallback, ScreencastFrame
from oryn.errors import BrowserFailed, InternalError, NotSupported, OrynError
from oryn.scanner import page_call

if TYPE_CHECKING:
    from oryn.browsers.webkit.channel import WebKitChannel
    from oryn.browsers.webkit.frames import WebKitFrameTree
    from oryn.browsers.webkit.hidden_tab import HiddenTabs
    from oryn.browsers.webkit.scanner_client import WebKitScannerClient

MAX_SIDE_PIXELS = 16384
"""Of a picture in WebKit; a longer page is cut, as in the other modes."""
PICTURE_SECONDS = 5.0
SCREENCAST_QUALITY = 90


class PicturedPage(Protocol):
    """A tab of which pictures are taken."""

    @property
    def channel(self) -> WebKitChannel: ...
    @property
    def frame_tree(self) -> WebKitFrameTree: ...
    @property
    def scanner_client(self) -> WebKitScannerClient: ...
    @property
    def pictures(self) -> PictureConverter:
        """Raises `NotSupported` if no other formats than the browser's can be had."""


class PictureConverter:
    """Turns PNG files into other formats. `hidden` returns the session's hidden tab."""

    def __init__(self, hidden: Callable[[], HiddenTabs]) -> None:
        self._hidden = hidden

    async def convert(
        self, png: str, format: ImageFormat, quality: int | None, timeout: float, *, scale: float = 1
    ) -> bytes:
        """The picture as a file of another format or size; `png` is in base64. Raises `NotSupported` if the browser
        can't write it."""
        async with self._hidden().use(timeout, "picture") as tab:
            found = await tab.value(page_call("picture", png, format, quality, scale), timeout=timeout)
        if found is None:
            raise NotSupported(hint=f"This version of WebKit writes no {format} files: use png or jpeg.")
        return base64.b64decode(found)


async def snapshot(channel: WebKitChannel, area: Rect, coordinates: str, timeout: float) -> str:
    """A part of the page as a PNG file in base64. `coordinates`: `Page` or `Viewport`."""
    params = {"x": area.x, "y": area.y, "width": area.width, "height": area.height, "coordinateSystem": coordinates}
    try:
        answer = await channel.call("Page.snapshotRect", params, timeout=timeout)
    except InternalError as error:
        raise BrowserFailed("the browser could not take the picture", "It may be too large: take a part.") from error
    return str(answer["dataURL"]).partition(",")[2]


async def screenshot(
    page: PicturedPage,
    format: ImageFormat,
    full_page: bool,
    clip: Rect | None,
    quality: int | None,
    scale: float,
    timeout: float,
) -> bytes:
    """The viewport, the whole page, or `clip` (page coordinates), as an image file. Raises `NotSupported` for a format
    that the browser can't write."""
    response = await page.scanner_client.run({"cmd": "page"}, page.frame_tree.top, timeout)
    view, scroll = response["data"]["viewport"], response["data"]["scroll"]
    coordinates = "Page"
    if clip is None and full_page:
        clip = Rect(0, 0, view["width"] + scroll["max_x"], view["height"] + scroll["max_y"])
    elif clip is None:
        clip, coordinates = Rect(0, 0, view["width"], view["height"]), "Viewport"
    longest = MAX_SIDE_PIXELS / max(1, scale)
    clip = Rect(clip.x, clip.y, min(clip.width, longest), min(clip.height, longest))
    png = await snapshot(page.channel, clip, coordinates, timeout)
    if format == "png" and scale == 1:
        return base64.b64decode(png)
    return await page.pictures.convert(png, format, quality, timeout, scale=scale)


class WebKitScreencast:
    """The pictures of one tab, shared by all callbacks that want them. The browser reports no changes of a page, so it
    is looked at again and again, and a picture that is like the last one is left out."""

    def __init__(self, page: PicturedPage) -> None:
        self._page = page
        self._callbacks: dict[ScreencastCallback, float] = {}
        """The pictures per second that each callback wants."""
        self._latest: ScreencastFrame | None = None
        self._looking: asyncio.Task[None] | None = None

    def start(self, callback: ScreencastCallback, frames_per_second: float) -> None:
        """Call `callback` with the latest picture, if there is one, and with every later one."""
        self._callbacks[callback] = frames_per_second
        if self._looking is None or self._looking.done():
            self._latest = None
            self._looking = asyncio.get_running_loop().create_task(self._look())
        elif self._latest is not None:
            callback(self._latest)

    def stop(self, callback: ScreencastCallback) -> None:
        """Stop calling `callback`. The screencast ends with its last callback."""
        self._callbacks.pop(callback, None)
        if not self._callbacks and self._looking is not None:
            self._looking.cancel()
            self._looking = None

    async def _look(self) -> None:
        last, loop = "", asyncio.get_running_loop()
        while self._callbacks and self._page.channel.failure is None:
            following = loop.time() + 1 / max(self._callbacks.values())
            try:
                png, taken, size = await self._take()
                if png != last:
                    image = await self._page.pictures.convert(png, "jpeg", SCREENCAST_QUALITY, PICTURE_SECONDS)
                    last = png
                    self._show(ScreencastFrame(image, taken, size))
            except OrynError:
                pass  # a dialog is open, the page is busy, or is being left
            await asyncio.sleep(max(0.02, following - loop.time()))

    async def _take(self) -> tuple[str, float, tuple[float, float]]:
        self._page.channel.check_alive()
        client = self._page.scanner_client
        response: Any = await client.run({"cmd": "page"}, self._page.frame_tree.top, PICTURE_SECONDS)
        view = response["data"]["viewport"]
        taken, size = time.time(), (view["width"], view["height"])
        return await snapshot(self._page.channel, Rect(0, 0, *size), "Viewport", PICTURE_SECONDS), taken, size

    def _show(self, frame: ScreencastFrame) -> None:
        self._latest = frame
        for callback in tuple(self._callbacks):
            callback(frame)
