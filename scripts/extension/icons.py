"""Draws the extension's icons from the live page's: `python -m scripts.extension.icons` writes `extension/icons/*.png`.

A toolbar shows 16 pixels, or 32 on a screen with small ones; 48 and 128 are for the list of extensions and a store
(https://developer.chrome.com/docs/extensions/reference/manifest/icons).
"""

from __future__ import annotations

import asyncio
import base64
import json
import tempfile
from pathlib import Path

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Session
from scripts.extension.builder import LIVE_PAGE
from scripts.extension.bundles import TEMPLATE

FOLDER = TEMPLATE / "icons"
_BRAND = "#0f6b5c"
_QUIET = "#6b7280"
_DOT = '<circle cx="25" cy="25" r="6.5" fill="#3ddc84" stroke="#fff" stroke-width="2"/></svg>'

_DRAW = """(async () => {
  const picture = new Image(%(size)d, %(size)d);
  picture.src = 'data:image/svg+xml;base64,' + btoa(%(svg)s);
  await picture.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: %(size)d, height: %(size)d });
  canvas.getContext('2d').drawImage(picture, 0, 0, %(size)d, %(size)d);
  return canvas.toDataURL('image/png').split(',')[1];
})()"""


def drawings() -> dict[str, tuple[str, tuple[int, ...]]]:
    """What there is by name: its SVG, and its sizes in pixels a side."""
    brand = (LIVE_PAGE / "icon.svg").read_text("utf-8").strip()
    return {
        "oryn": (brand, (16, 32, 48, 128)),
        "off": (brand.replace(_BRAND, _QUIET), (16, 32)),
        "on": (brand.replace("</svg>", _DOT), (16, 32)),
    }


async def draw() -> dict[str, bytes]:
    """Every icon as a PNG file, by its file name."""
    files = {}
    with tempfile.TemporaryDirectory() as runtime:
        session = Session(ChromiumBrowser(runtime_dir=Path(runtime)))
        try:
            await session.execute("goto about:blank")
            for name, (svg, sizes) in drawings().items():
                for size in sizes:
                    drawn = await session.page.evaluate(_DRAW % {"size": size, "svg": json.dumps(svg)})
                    files[f"{name}-{size}.png"] = base64.b64decode(drawn)
        finally:
            await session.close()
    return files


if __name__ == "__main__":
    for name, content in asyncio.run(draw()).items():
        (FOLDER / name).write_bytes(content)
