"""Pictures of a page. https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-captureScreenshot"""

from __future__ import annotations

import base64
from typing import Any

from oryn.browsers.base import ImageFormat, Rect
from oryn.browsers.cdp.channel import Channel

# A bitmap's side in Skia; a longer page is cut, not failed.
_MOST_PIXELS = 16384


async def screenshot(
    channel: Channel, format: ImageFormat, full_page: bool, clip: Rect | None, quality: int | None, timeout: float
) -> bytes:
    """The viewport, the whole page, or `clip` (page coordinates), as an image file."""
    params: dict[str, Any] = {"format": format}
    if quality is not None:
        params |= {"quality": quality, "optimizeForSpeed": True}
    if full_page and clip is None:
        metrics = await channel.call("Page.getLayoutMetrics", timeout=timeout)
        size = metrics["cssContentSize"]
        clip = Rect(0, 0, min(size["width"], _MOST_PIXELS), min(size["height"], _MOST_PIXELS))
    if clip is not None:
        params["clip"] = {"x": clip.x, "y": clip.y, "width": clip.width, "height": clip.height, "scale": 1}
        params["captureBeyondViewport"] = True
    answer = await channel.call("Page.captureScreenshot", params, timeout=timeout)
    return base64.b64decode(answer["data"])
