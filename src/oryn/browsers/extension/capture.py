"""Pictures of a page, and its PDF file.

Without the debugger, the browser takes pictures of a window's active tab only, of what is in view, and at most two a
second. https://developer.chrome.com/docs/extensions/reference/api/tabs#method-captureVisibleTab"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import ImageFormat, Rect
from oryn.browsers.common.events import Deadline
from oryn.browsers.extension.channel import ExtensionChannel
from oryn.browsers.extension.debugger import TabDebugger
from oryn.browsers.extension.error_mapping import (
    TRUSTED_INPUT_SETTING,
    CaptureRateLimited,
    NoContentScript,
    is_restricted,
)
from oryn.browsers.extension.frames import ExtensionFrameTree
from oryn.browsers.extension.scanner_client import ExtensionScannerClient
from oryn.errors import BrowserFailed, CannotAccessPage, NotSupported, OrynError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.base.recording import ByteWriter, PdfOptions
    from oryn.browsers.extension.tab_protocols import TabOpener

CAPTURE_INTERVAL_SECONDS = 0.55
"""The least time between two screenshots that the browser accepts, and a little more."""
BANNER_SECONDS = 1.0


class ExtensionCapture:
    """Takes screenshots of one tab."""

    def __init__(
        self,
        channel: ExtensionChannel,
        frames: ExtensionFrameTree,
        scanner_client: ExtensionScannerClient,
        debugger: TabDebugger,
        tabs: TabOpener,
    ) -> None:
        self._channel = channel
        self._debugger = debugger
        self._bring_to_front = tabs.bring_to_front
        self._frames = frames
        self._scanner_client = scanner_client

    async def screenshot(
        self,
        format: ImageFormat,
        full_page: bool,
        clip: Rect | None,
        quality: int | None,
        scale: float,
        timeout: float,
    ) -> bytes:
        """The viewport, the whole page, or `clip` (page coordinates); without a debugger the viewport, or the part of
        `clip` that lies in it. `timeout` is in seconds. Raises `NotSupported` for a full page without a debugger,
        `CannotAccessPage`, `Timeout`."""
        if self._debugger.debugged is not None:
            from oryn.browsers.cdp import capture

            async with self._without_banner():
                channel = self._debugger.debugged.channel
                return await capture.screenshot(channel, format, full_page, clip, quality, scale, timeout)
        if full_page and clip is None:
            raise NotSupported("fullpage not supported", f"It needs {TRUSTED_INPUT_SETTING}.")
        if is_restricted(self._frames.top.url):
            raise CannotAccessPage
        deadline = Deadline(timeout)
        if clip is None and format != "webp" and scale == 1:
            return base64.b64decode(await self._take(format, quality, deadline))
        image = await self._take("png", None, deadline)
        view = await self._scanner_client.send_message(self._frames.top, {"oryn": "view"}, deadline.left)
        picture = await self._scanner_client.send_message(
            self._frames.top,
            {
                "oryn": "picture",
                "image": image,
                "format": format,
                "quality": None if quality is None else quality / 100,
                "scale": scale,
                **_crop(view, clip),
            },
            deadline.left,
        )
        return base64.b64decode(picture)

    async def print_to_pdf(self, options: PdfOptions, write: ByteWriter, timeout: float) -> None:
        """Write the page as PDF. The debugger must be attached."""
        from oryn.browsers.cdp import capture

        async with self._without_banner():
            await capture.print_to_pdf(self._debugger, options, write, timeout)

    @asynccontextmanager
    async def _without_banner(self) -> AsyncIterator[None]:
        was_visible = await self._banner("away")
        try:
            yield
        finally:
            if was_visible:
                await self._banner("show")

    async def _banner(self, how: str) -> bool:
        """Hide (`away`) or `show` the banner that says that the tab is under control; whether the tab has one."""
        try:
            return bool(await self._channel.send(self._frames.top, {"banner": how}, timeout=BANNER_SECONDS))
        except (OrynError, NoContentScript):
            return False

    async def _take(self, format: str, quality: int | None, deadline: Deadline) -> str:
        async with self._without_banner():
            return await self._capture_tab(format, quality, deadline)

    async def _capture_tab(self, format: str, quality: int | None, deadline: Deadline) -> str:
        """The viewport as base64. Activates the tab in its window meanwhile. Raises `BrowserFailed` if the user has
        activated another tab: the picture may show that one, so it is discarded."""
        tab = await self._channel.call("tabs.get", self._channel.tab, timeout=deadline.left)
        window = tab["windowId"]
        before = await self._bring_to_front(self._channel.tab)
        try:
            while True:
                options: dict[str, Any] = {"format": format} | ({} if quality is None else {"quality": quality})
                try:
                    url = await self._channel.call("tabs.captureVisibleTab", window, options, timeout=deadline.left)
                except CaptureRateLimited:
                    if deadline.left <= CAPTURE_INTERVAL_SECONDS:
                        raise Timeout("the browser took no picture in time") from None
                    await asyncio.sleep(
                        CAPTURE_INTERVAL_SECONDS
                    )  # no event reports that the browser's limit has passed
                else:
                    tab = await self._channel.call("tabs.get", self._channel.tab, timeout=deadline.left)
                    if not tab["active"]:
                        raise BrowserFailed("another tab came to the front while the picture was taken", "Try again.")
                    return str(url).partition(",")[2]
        finally:
            if before is not None:
                await self._bring_to_front(before)


def _crop(view: dict[str, float], clip: Rect | None) -> dict[str, int]:
    """The part of a picture of the viewport that shows `clip`, in the picture's pixels."""
    whole = Rect(0, 0, view["width"], view["height"])
    visible = whole if clip is None else clip.translated(-view["x"], -view["y"]).intersection(whole)
    scale = view["scale"]
    return {
        "x": round(visible.x * scale),
        "y": round(visible.y * scale),
        "width": max(1, round(visible.width * scale)),
        "height": max(1, round(visible.height * scale)),
    }
