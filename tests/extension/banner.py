"""A tab with the bar of the extension on it: what a person sees there and does, and what the scanner says."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import OrynError
from scripts.extension.browser import WAIT, ExtendedBrowser, Target

ENDPOINT = "ws://localhost:8080/"


class Tab:
    """A tab, looked at from outside. `number` is the browser's own."""

    def __init__(self, page: Target, worker: Target, number: int) -> None:
        self.page = page
        self.worker = worker
        self.number = number

    @classmethod
    async def of(cls, browser: ExtendedBrowser, page: Target) -> Tab:
        """That which shows a page, wherever it is and whatever is in front."""
        return cls(page, await browser.worker(), await browser.tab_number(page))

    async def send(self, banner: str) -> Any:
        """The worker says `show`, `hide` or `away` to the bar, which answers."""
        message = {"banner": banner, "endpoint": ENDPOINT}
        return await self.worker.call("tabs.sendMessage", self.number, message, {"frameId": 0})

    async def back(self) -> Any:
        """After a picture: whatever was there comes back."""
        return await self.worker.call("tabs.sendMessage", self.number, {"banner": "show"}, {"frameId": 0})

    async def ask(self, **request: Any) -> dict[str, Any]:
        """What the scanner answers, without the time that it took."""
        text = await self.page.evaluate_in_extension(f"__oryn_scanner({json.dumps(json.dumps(request))})")
        answer: dict[str, Any] = json.loads(text)
        answer.pop("timing", None)
        answer.get("data", {}).get("stats", {}).pop("ms", None)
        return answer

    async def bar(self) -> dict[str, Any] | None:
        """The bar's node with all below it, as the DevTools see it; None where there is none or it is not drawn."""
        for node in await self._nodes():
            if node.get("attributes", [])[:2] == ["class", "edge"]:
                return node if await self._box(node) else None
        return None

    async def text(self) -> str:
        """What the bar says."""
        bar = await self.bar()
        return "".join(_texts(bar)) if bar else ""

    async def button(self, name: str = "stop") -> tuple[float, float, float, float]:
        """The box of one of the bar's buttons: left, top, right, bottom. Waits until it can be seen."""
        async with asyncio.timeout(WAIT):
            while True:  # nothing tells when it comes
                for node in await self._nodes():
                    if node.get("attributes", [])[:2] == ["class", name] and (box := await self._box(node)):
                        return box
                await asyncio.sleep(0.05)

    async def drag(self, x: float, y: float, to: tuple[float, float]) -> None:
        """Press there, move, and release."""
        for kind, at, button in (
            ("mouseMoved", (x, y), "none"),
            ("mousePressed", (x, y), "left"),
            ("mouseMoved", to, "left"),
            ("mouseReleased", to, "left"),
        ):
            event = {"type": kind, "x": at[0], "y": at[1], "button": button, "clickCount": 1}
            await self.page.session.call("Input.dispatchMouseEvent", event, timeout=WAIT)

    async def press_mark(self) -> None:
        left, top, right, bottom = await self.button("mark")
        await self.press((left + right) / 2, (top + bottom) / 2)

    async def press(self, x: float, y: float) -> None:
        """Press there as a person does."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = {"button": "none"} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            event = {"type": kind, "x": x, "y": y, **button}
            await self.page.session.call("Input.dispatchMouseEvent", event, timeout=WAIT)

    async def press_stop(self) -> None:
        left, top, right, bottom = await self.button()
        await self.press((left + right) / 2, (top + bottom) / 2)

    async def until(self, expression: str) -> Any:
        """The first true value of an expression, in whatever document the tab shows by then."""
        async with asyncio.timeout(WAIT):
            while True:
                try:
                    return await self.page.until(expression)
                except DocumentGone:
                    continue

    async def picture(self) -> str:
        """The page as it is drawn, as a PNG file in base64."""
        drawn = await self.page.session.call("Page.captureScreenshot", {"format": "png"}, timeout=WAIT)
        return str(drawn["data"])

    async def _nodes(self) -> list[dict[str, Any]]:
        root = (await self.page.session.call("DOM.getDocument", {"depth": -1, "pierce": True}, timeout=WAIT))["root"]
        found, pending = [], [root]
        while pending:
            node = pending.pop()
            found.append(node)
            pending += [*node.get("children", []), *node.get("shadowRoots", [])]
        return found

    async def _box(self, node: dict[str, Any]) -> tuple[float, float, float, float] | None:
        params = {"nodeId": node["nodeId"]}
        try:
            quads = (await self.page.session.call("DOM.getContentQuads", params, timeout=WAIT))["quads"]
        except OrynError:  # it is not drawn, or gone since
            return None
        if not quads:
            return None
        return min(quads[0][::2]), min(quads[0][1::2]), max(quads[0][::2]), max(quads[0][1::2])


def _texts(node: dict[str, Any]) -> list[str]:
    own = [node["nodeValue"]] if node["nodeName"] == "#text" else []
    return own + [text for child in node.get("children", []) for text in _texts(child)]
