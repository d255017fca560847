"""Pictures as tests look at them."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any


def content(file: Path) -> bytes:
    return file.read_bytes()


def names_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


async def colours(oryn: Any, file: Path, *points: tuple[float, float]) -> list[list[int]]:
    """Red, green and blue at points of a picture, as the browser reads it; the first is its size."""
    script = """(async () => {
      const picture = await createImageBitmap(await (await fetch('data:image/*;base64,%s')).blob());
      const pen = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
      pen.drawImage(picture, 0, 0);
      return [[picture.width, picture.height],
        ...%s.map(([x, y]) => [...pen.getImageData(x, y, 1, 1).data].slice(0, 3))];
    })()"""
    data = base64.b64encode(content(file)).decode()
    found: list[list[int]] = await oryn.session.page.evaluate(script % (data, json.dumps(points)))
    return found


def is_like(colour: list[int], wanted: tuple[int, int, int]) -> bool:
    return all(abs(one - other) < 40 for one, other in zip(colour, wanted, strict=True))


def png_size(content: bytes) -> tuple[int, int]:
    """Width and height of a PNG file."""
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    return width, height
