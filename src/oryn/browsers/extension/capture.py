"""Pictures of a page: the browser takes those of a window's front tab alone, and two a second at most.

https://developer.chrome.com/docs/extensions/reference/api/tabs#method-captureVisibleTab
"""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import ImageFormat, Rect
from oryn.browsers.common.deadline import Deadline
from oryn.browsers.extension.channel import Channel
from oryn.browsers.extension.failures import NobodyThere, TooSoon, is_restricted
from oryn.browsers.extension.frames import Frames
from oryn.browsers.extension.scanning import Scanning
from oryn.errors import BrowserFailed, CannotAccessPage, NotSupported, OrynError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.extension.tabs import Tabs

AGAIN_SECONDS = 0.55
"""What the browser wants between two pictures, and a little more."""
BANNER_SECONDS = 1.0


class Capture:
    """Takes pictures of one tab."""

    def __init__(self, channel: Channel, frames: Frames, scanning: Scanning, tabs: Tabs) -> None:
        self._channel = channel
        self._tabs = tabs
        self._frames = frames
        self._scanning = scanning

    async def screenshot(
        self, format: ImageFormat, full_page: bool, clip: Rect | None, quality: int | None, timeout: float
    ) -> bytes:
        """The viewport, or what of `clip` (page coordinates) it shows. Raises `NotSupported`, `CannotAccessPage`."""
        if full_page and clip is None:
            raise NotSupported("fullpage not supported", "Scroll, and take a picture of each part.")
        if is_restricted(self._frames.top.url):
            raise CannotAccessPage
        deadline = Deadline(timeout)
        if clip is None and format != "webp":
            return base64.b64decode(await self._without_banner(format, quality, deadline))
        image = await self._without_banner("png", None, deadline)
        view = await self._scanning.tell(self._frames.top, {"oryn": "view"}, deadline.left)
        made = await self._scanning.tell(
            self._frames.top,
            {
                "oryn": "picture",
                "image": image,
                "format": format,
                "quality": None if quality is None else quality / 100,
                **_part(view, clip),
            },
            deadline.left,
        )
        return base64.b64decode(made)

    async def _without_banner(self, format: str, quality: int | None, deadline: Deadline) -> str:
        shown = await self._banner("away")
        try:
            return await self._take(format, quality, deadline)
        finally:
            if shown:
                await self._banner("show")

    async def _banner(self, how: str) -> bool:
        """Tell the strip that says that the tab is controlled to go away or come back; whether it is there."""
        try:
            return bool(await self._channel.send(self._frames.top, {"banner": how}, timeout=BANNER_SECONDS))
        except (OrynError, NobodyThere):
            return False

    async def _take(self, format: str, quality: int | None, deadline: Deadline) -> str:
        """The viewport as base64. The tab is brought to the front of its window for it, and another one back. What was
        taken when its user had another tab in front by then is thrown away: nobody may see that one."""
        tab = await self._channel.call("tabs.get", self._channel.tab, timeout=deadline.left)
        window = tab["windowId"]
        before = await self._tabs.bring_to_front(self._channel.tab)
        try:
            while True:
                options: dict[str, Any] = {"format": format} | ({} if quality is None else {"quality": quality})
                try:
                    url = await self._channel.call("tabs.captureVisibleTab", window, options, timeout=deadline.left)
                except TooSoon:
                    if deadline.left <= AGAIN_SECONDS:
                        raise Timeout("the browser took no picture in time") from None
                    await asyncio.sleep(AGAIN_SECONDS)  # a limit of the browser's, of which no event tells
                else:
                    tab = await self._channel.call("tabs.get", self._channel.tab, timeout=deadline.left)
                    if not tab["active"]:
                        raise BrowserFailed("another tab came to the front while the picture was taken", "Try again.")
                    return str(url).partition(",")[2]
        finally:
            if before is not None:
                await self._tabs.bring_to_front(before)


def _part(view: dict[str, float], clip: Rect | None) -> dict[str, int]:
    """What of a picture of the viewport shows `clip`, in the picture's pixels."""
    whole = Rect(0, 0, view["width"], view["height"])
    shown = whole if clip is None else clip.moved(-view["x"], -view["y"]).within(whole)
    scale = view["scale"]
    return {
        "x": round(shown.x * scale),
        "y": round(shown.y * scale),
        "width": max(1, round(shown.width * scale)),
        "height": max(1, round(shown.height * scale)),
    }
