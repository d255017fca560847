"""The pictures of docs/remote.md, taken of the real extension while a server drives it: with `ORYN_PICTURES=1` in the
environment they are written into docs/pictures."""

from __future__ import annotations

import base64
import os
import socket
import struct
from typing import Any

import pytest

from oryn import Oryn
from oryn.demo.server import open_shop
from scripts.extension.browser import WAIT, ExtendedBrowser, Target
from scripts.extension.builder import PROJECT

FOLDER = PROJECT / "docs" / "pictures"
USUAL_PORT = 8080
LINES = ("observe", "accept cookies", 'search "fern"', 'click "Boston fern"', 'check "Remind me to water it"')


@pytest.mark.slow
async def test_the_pictures_of_the_documentation(fresh_browser: ExtendedBrowser) -> None:
    port = free_port()
    with open_shop() as shop:
        page = await fresh_browser.open(f"http://localhost:{shop.port}/")
        popup = await fresh_browser.popup()
        await popup.until("document.querySelector('#status').textContent === 'Not connected'")
        await popup.until("document.querySelector('#engine').textContent.includes('ready')")
        await write(popup, "#endpoint", f"ws://localhost:{port}")
        await press(popup, "#connect")
        code: str = await popup.until("document.querySelector('#code').textContent")
        # As tall as it likes to be, which a browser without a screen does not let the popup itself be.
        tall = await fresh_browser.open_behind("popup")
        await tall.until("document.querySelector('#status').textContent.startsWith('No connection')")
        pictures = {"popup-pairing": await take(tall, 400, 560)}
        async with Oryn("remote", port=port, pair=code.replace(" ", "")) as oryn:
            for line in LINES:
                await oryn.send(line)
            await tall.until("document.querySelector('#status').textContent.startsWith('Connected to localhost')")
            await tall.until(f"document.querySelectorAll('#activity .ok').length === {len(LINES)}")
            pictures["popup-connected"] = await take(tall, 400, 600)
            pictures["popup-connected-dark"] = await take(tall, 400, 600, "dark")
            pictures["settings"] = await take(tall, 1000, 740)
            pictures["bar-on-a-page"] = await take(page, 1000, 500)
    for name, content in pictures.items():
        if os.environ.get("ORYN_PICTURES"):
            FOLDER.joinpath(f"{name}.png").write_bytes(content)
        assert FOLDER.joinpath(f"{name}.png").exists(), "write it with ORYN_PICTURES=1"


async def take(target: Target, width: int, height: int, scheme: str = "light") -> bytes:
    """A picture of so many CSS pixels, as a PNG file with two pixels for each."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": False}
    await ask(target, "Emulation.setDeviceMetricsOverride", **metrics)
    await ask(target, "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    content = base64.b64decode((await ask(target, "Page.captureScreenshot", format="png"))["data"])
    assert struct.unpack(">II", content[16:24]) == (2 * width, 2 * height)
    assert len(content) > 20_000, "there is something on it"
    return content


async def write(target: Target, selector: str, text: str) -> None:
    await target.evaluate(f"document.querySelector('{selector}').select()")
    await ask(target, "Input.insertText", text=text)


async def press(target: Target, selector: str) -> None:
    box = await target.evaluate(
        f"(({{ x, y }}) => [x + 9, y + 9])(document.querySelector('{selector}').getClientRects()[0])"
    )
    for kind in ("mousePressed", "mouseReleased"):
        await ask(target, "Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)


async def ask(target: Target, method: str, **params: Any) -> dict[str, Any]:
    return await target.session.call(method, params, timeout=WAIT)


def free_port() -> int:
    """The usual one, where nothing listens on it."""
    for port in (USUAL_PORT, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise AssertionError("no port is free")
