"""Screenshots. The driver makes PNG files of what is in view; another format, a part of it, and a picture of more than
is in view are drawn from those by a page's own canvas."""

from __future__ import annotations

import base64
from typing import Any

from oryn.browsers.base import ImageFormat, Rect
from oryn.browsers.base.recording import ByteWriter, PdfOptions
from oryn.browsers.webdriver.channel import WebDriverChannel
from oryn.errors import BrowserFailed, NotSupported

_CENTIMETRES = 2.54
"""In an inch."""
MAX_SIDE_PIXELS = 16384
"""A canvas's longest side in WebKit; a longer page is cut, as in the other modes."""

_PAGE = """const root = document.scrollingElement ?? document.documentElement;
return [scrollX, scrollY, innerWidth, innerHeight, devicePixelRatio, root.scrollWidth, root.scrollHeight];"""
_BEGIN = """const [width, height] = arguments;
const canvas = document.createElement('canvas');
canvas.width = width;
canvas.height = height;
globalThis[Symbol.for('oryn.picture')] = canvas;"""
_SCROLL = """scrollTo({ left: arguments[0], top: arguments[1], behavior: 'instant' });
return [scrollX, scrollY];"""
# The page's policy may forbid `data:` images, but not a bitmap of bytes.
_DRAW = """const [image, x, y, width, height, left, top, drawnWidth, drawnHeight] = arguments;
const done = arguments[arguments.length - 1];
(async () => {
  const bytes = Uint8Array.from(atob(image), (character) => character.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }), x, y, width, height);
  const pen = globalThis[Symbol.for('oryn.picture')].getContext('2d');
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(picture, left, top, drawnWidth, drawnHeight);
  return 'drawn';
})().then(done, (error) => done(`error ${error}`));"""
_END = """const [format, quality] = arguments;
const canvas = globalThis[Symbol.for('oryn.picture')];
delete globalThis[Symbol.for('oryn.picture')];
return canvas.toDataURL(`image/${format}`, quality ?? undefined);"""


class WebDriverCapture:
    """Takes the pictures of one tab."""

    def __init__(self, channel: WebDriverChannel) -> None:
        self._channel = channel

    async def screenshot(
        self,
        format: ImageFormat,
        full_page: bool,
        clip: Rect | None,
        quality: int | None,
        scale: float,
        timeout: float,
    ) -> bytes:
        """See `browsers.base.Page.screenshot`. What stays in place while the page scrolls is in a picture of more than
        is in view several times. Raises `NotSupported` for a format that the engine does not write."""
        if clip is None and not full_page and format == "png" and scale == 1:
            return base64.b64decode(str(await self._channel.get("/screenshot", timeout=timeout)))
        x, y, width, height, ratio, *size = await self._channel.execute(_PAGE, timeout=timeout)
        view, page = Rect(x, y, width, height), Rect(0, 0, *size)
        area = clip if clip is not None else page if full_page else view
        area = Rect(*(round(side) for side in (area.x, area.y, area.width, area.height)))
        drawn = ratio * scale
        longest = MAX_SIDE_PIXELS / drawn
        area = Rect(area.x, area.y, min(area.width, longest), min(area.height, longest))
        if not area.intersection(page).width or not area.intersection(page).height:
            raise BrowserFailed("nothing of it is in view", "'scroll' to it first.")
        sides = [max(1, round(side * drawn)) for side in (area.width, area.height)]
        await self._channel.execute(_BEGIN, sides, timeout=timeout)
        if area.intersection(view) == area:
            await self._draw(area, view, ratio, drawn, timeout)
        else:
            await self._draw_in_parts(area, view, ratio, drawn, timeout)
        return await self._finish(format, quality, timeout)

    async def _draw_in_parts(self, area: Rect, view: Rect, ratio: float, drawn: float, timeout: float) -> None:
        """Scroll through an area and draw it view by view, then scroll back."""
        try:
            top = area.y
            while top < area.y + area.height:
                left = area.x
                while left < area.x + area.width:
                    x, y = await self._channel.execute(_SCROLL, [left, top], timeout=timeout)
                    await self._draw(area, Rect(x, y, view.width, view.height), ratio, drawn, timeout)
                    left += view.width
                top += view.height
        finally:
            await self._channel.execute(_SCROLL, [view.x, view.y], timeout=timeout)

    async def _draw(self, area: Rect, view: Rect, ratio: float, drawn: float, timeout: float) -> None:
        """Draw what is in view of an area. A CSS pixel has `ratio` pixels of the screen, and is drawn as `drawn`."""
        part = area.intersection(view)
        if not part.width or not part.height:
            return  # the page does not scroll that far
        image = str(await self._channel.get("/screenshot", timeout=timeout))
        inside = part.translated(-view.x, -view.y)
        source = [round(each * ratio) for each in (inside.x, inside.y, inside.width, inside.height)]
        place = [(part.x - area.x) * drawn, (part.y - area.y) * drawn, part.width * drawn, part.height * drawn]
        values: list[Any] = [image, *source, *map(round, place)]
        answer = await self._channel.execute_async(_DRAW, values, timeout=timeout)
        if answer != "drawn":
            raise BrowserFailed(f"the picture could not be drawn: {str(answer)[:200]}", "Take one of what is in view.")

    async def _finish(self, format: ImageFormat, quality: int | None, timeout: float) -> bytes:
        """The picture as a file. Raises `NotSupported`: an engine that can't write a format makes a PNG file."""
        values: list[Any] = [format, None if quality is None else quality / 100]
        kind, _, data = str(await self._channel.execute(_END, values, timeout=timeout)).partition(";base64,")
        if kind != f"data:image/{format}":
            raise NotSupported(hint=f"This engine writes no {format} files: use png.")
        return base64.b64decode(data)

    async def print_to_pdf(self, paper: PdfOptions, write: ByteWriter, timeout: float) -> None:
        """Print the page. Raises `NotSupported` if the driver has no printer.

        https://www.w3.org/TR/webdriver2/#print-page"""
        margin = paper.margin * _CENTIMETRES
        body = {
            "page": {"width": paper.width * _CENTIMETRES, "height": paper.height * _CENTIMETRES},
            "margin": {"top": margin, "bottom": margin, "left": margin, "right": margin},
            "background": True,
        }
        write(base64.b64decode(str(await self._channel.post("/print", body, timeout=timeout, renderer=True))))
