"""A headless browser with the extension in it, connected through the extension's popup as a user would do it."""

from __future__ import annotations

import json

from oryn.settings import Settings
from scripts.extension.browser import ExtendedBrowser, Target


class PairedBrowser(ExtendedBrowser):
    """`folder` is the built extension. Its user allows real keys and mouse."""

    # Without the bar that says so, which takes its height from the page's viewport.
    arguments = ("--silent-debugger-extension-api",)

    async def asks_for(self, endpoint: str, *, trusted_input: bool = True) -> str:
        """Start, and have the extension connect to `endpoint`, where a server need not listen yet; the code that the
        popup shows for it."""
        await self.start()
        popup = await self.open("popup")
        await popup.until(
            "document.querySelector('#settings').elements.trusted_input && !document.querySelector('#connect').disabled"
        )
        if trusted_input:
            await self._press(popup, "[name=trusted_input]")
        await self._write(popup, "#endpoint", endpoint)
        await self._press(popup, "#connect")
        code: str = await popup.until("document.querySelector('#code').textContent.trim()")
        await self._fit_window(await self.page_in_front())
        return code.replace(" ", "")

    async def _write(self, target: Target, selector: str, text: str) -> None:
        await target.evaluate(f"document.querySelector({json.dumps(selector)}).select()")
        await target.session.call("Input.insertText", {"text": text})

    async def _press(self, target: Target, selector: str) -> None:
        """Press the middle of an element."""
        found = f"document.querySelector({json.dumps(selector)})"
        await target.evaluate(f"{found}.scrollIntoView({{block: 'center'}})")
        box = await target.evaluate(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({found}.getBoundingClientRect())"
        )
        about = {"x": box[0], "y": box[1], "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            await target.session.call("Input.dispatchMouseEvent", {"type": kind, **about})

    async def _fit_window(self, target_id: str) -> None:
        """Make the window so large that a page has the viewport that `headless` begins with."""
        target = await self._attach(target_id)
        width, height = Settings().viewport
        missing = await target.evaluate(f"[{width} - innerWidth, {height} - innerHeight]")
        window = await self._root("Browser.getWindowForTarget", targetId=target_id)
        bounds = {"width": window["bounds"]["width"] + missing[0], "height": window["bounds"]["height"] + missing[1]}
        await self._root("Browser.setWindowBounds", windowId=window["windowId"], bounds=bounds)
        await target.until(f"innerWidth === {width} && innerHeight === {height}")
        await target.detach()
