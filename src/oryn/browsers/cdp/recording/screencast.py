"""A tab's moving picture. https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-startScreencast"""

from __future__ import annotations

import asyncio
import base64
import time
from typing import Any

from oryn.browsers.base.recording import Show, Still
from oryn.browsers.cdp.connection import Session

FRAMES_PER_SECOND = 25
_JPEG_QUALITY = 90
_EVENT = "Page.screencastFrame"


class Screencast:
    """From its start to `stop`. The browser sends the next picture once the last one is acknowledged, and only when the
    page looks different."""

    def __init__(self, session: Session, show: Show) -> None:
        self._session = session
        self._show = show
        self._next = 0.0
        session.on(_EVENT, self._received)

    async def start(self) -> None:
        await self._session.call("Page.startScreencast", {"format": "jpeg", "quality": _JPEG_QUALITY}, timeout=5)

    def _received(self, event: dict[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        # The rate is held by when the next picture is asked for.
        self._next = max(self._next + 1 / FRAMES_PER_SECOND, loop.time())
        loop.call_at(self._next, self._acknowledge, event["sessionId"])
        self._show(Still(base64.b64decode(event["data"]), event["metadata"].get("timestamp") or time.time()))

    def _acknowledge(self, number: int) -> None:
        if self._session.ended is None:
            self._session.send("Page.screencastFrameAck", {"sessionId": number})

    def stop(self) -> None:
        self._session.off(_EVENT, self._received)
        if self._session.ended is None:
            self._session.send("Page.stopScreencast")
