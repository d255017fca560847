"""Screenshots. The driver makes PNG files of what is in view; another format, or a part of it, is drawn from that by a
page's own canvas."""

from __future__ import annotations

import base64
from typing import Any

from oryn.browsers.base import ImageFormat, Rect
from oryn.browsers.webdriver.channel import WebDriverChannel
from oryn.errors import BrowserFailed, NotSupported

_VIEW = "return [scrollX, scrollY, innerWidth, innerHeight, devicePixelRatio];"
# The page's policy may forbid `data:` images, but not a bitmap of bytes.
_CUT = """const [image, x, y, width, height, format, quality] = arguments, done = arguments[arguments.length - 1];
(async () => {
  const bytes = Uint8Array.from(atob(image), (character) => character.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }), x, y, width, height);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.getContext('2d').drawImage(picture, 0, 0);
  return canvas.toDataURL(`image/${format}`, quality);
})().then(done, (error) => done(`error ${error}`));"""


class WebDriverCapture:
    """Takes the pictures of one tab."""

    def __init__(self, channel: WebDriverChannel) -> None:
        self._channel = channel

    async def screenshot(
        self, format: ImageFormat, full_page: bool, clip: Rect | None, quality: int | None, timeout: float
    ) -> bytes:
        """See `browsers.base.Page.screenshot`. Raises `NotSupported` for a picture of more than is in view, and for a
        format that the engine does not write."""
        if full_page:
            raise NotSupported("fullpage not supported", "Scroll, and take several.")
        image = str(await self._channel.get("/screenshot", timeout=timeout))
        if clip is None and format == "png":
            return base64.b64decode(image)
        x, y, width, height, scale = await self._channel.execute(_VIEW, timeout=timeout)
        view = Rect(x, y, width, height)
        part = (view if clip is None else clip.intersection(view)).translated(-x, -y)
        if not part.width or not part.height:
            raise BrowserFailed("nothing of it is in view", "'scroll' to it first.")
        pixels = [round(each * scale) for each in (part.x, part.y, part.width, part.height)]
        return await self._cut(image, pixels, format, quality, timeout)

    async def _cut(
        self, image: str, pixels: list[int], format: ImageFormat, quality: int | None, timeout: float
    ) -> bytes:
        """A part of a PNG picture (base64), in its own pixels, as a file of another format. Raises `NotSupported`: an
        engine that can't write a format makes a PNG file instead."""
        arguments: list[Any] = [image, *pixels, format, None if quality is None else quality / 100]
        answer = await self._channel.execute_async(_CUT, arguments, timeout=timeout)
        kind, _, data = str(answer or "").partition(";base64,")
        if kind != f"data:image/{format}":
            raise NotSupported(hint=f"This engine writes no {format} files: use png.")
        return base64.b64decode(data)
