"""A headless browser with the extension in it, connected through the extension's popup as a user would do it."""

from __future__ import annotations

import json

from tests.extension.browser import ExtendedBrowser, Target


class PairedBrowser(ExtendedBrowser):
    """`folder` is the built extension. Its user allows real keys and mouse."""

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
        await self._page_in_front(popup)
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

    async def _page_in_front(self, popup: Target) -> None:
        """Leave an empty page as the one active tab: no command is to go to the popup's."""
        made = await self._root("Target.createTarget", url="about:blank")
        await self._root("Target.activateTarget", targetId=made["targetId"])
        await self.close_tab(popup)
