"""A tab's moving picture. https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-startScreencast"""

from __future__ import annotations

import asyncio
import base64
import time
from typing import Any

from oryn.browsers.base.recording import Show, Still
from oryn.browsers.cdp.connection import Session

_JPEG_QUALITY = 90
_EVENT = "Page.screencastFrame"
_WANTED = {"format": "jpeg", "quality": _JPEG_QUALITY}


_QUIET = 0.25
"""So long after the last of several pictures, in seconds, what the page looks like is asked for once more."""


class Screencast:
    """The pictures of one tab, for all who want them. The browser sends the next one once the last is acknowledged, and
    only when the page looks different; a change that comes while two are not acknowledged it never shows, so that the
    last of several changes could be missing for good."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shows: dict[Show, float] = {}
        """Who is shown the pictures, and how many a second each wants."""
        self._latest: Still | None = None
        self._next = 0.0
        self._again: asyncio.TimerHandle | None = None
        self._certain = True
        """Whether nothing can have been left out before the latest picture."""

    @property
    def has_ended(self) -> bool:
        """Whether the browser's conversation about the tab is over: no more pictures come."""
        return self._session.ended is not None

    async def start(self, show: Show, frames_per_second: float) -> None:
        """Show the latest picture, when there is one, and all that come."""
        self._shows[show] = frames_per_second
        if len(self._shows) > 1:
            if self._latest is not None:
                show(self._latest)
            return
        self._session.on(_EVENT, self._received)
        try:
            await self._session.call("Page.startScreencast", _WANTED, timeout=5)
        except BaseException:  # given up, too
            self._shows.clear()
            self._session.off(_EVENT, self._received)
            raise

    def _received(self, event: dict[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        # The rate is held by when the next picture is asked for.
        self._next = max(self._next + 1 / max(self._shows.values()), loop.time())
        loop.call_at(self._next, self._acknowledge, event["sessionId"])
        self._look_again_when_quiet(loop)
        still = Still(base64.b64decode(event["data"]), event["metadata"].get("timestamp") or time.time())
        self._latest = still
        for show in tuple(self._shows):
            show(still)

    def _look_again_when_quiet(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._again is not None:  # this one has come soon after another
            self._again.cancel()
            self._certain = False
        self._again = loop.call_at(self._next + _QUIET, self._look_again)

    def _look_again(self) -> None:
        self._again = None
        if self._certain or not self._shows or self.has_ended:
            return
        self._certain = True
        # Only once it has been ended, a beginning shows what the page looks like now.
        self._session.send("Page.stopScreencast")
        self._session.send("Page.startScreencast", _WANTED)

    def _acknowledge(self, number: int) -> None:
        if self._shows and not self.has_ended:
            self._session.send("Page.screencastFrameAck", {"sessionId": number})

    def stop(self, show: Show) -> None:
        """Nothing more for `show`; the last one who is shown pictures ends them."""
        if show not in self._shows:
            return
        del self._shows[show]
        if self._shows:
            return
        self._latest, self._certain = None, True
        if self._again is not None:
            self._again.cancel()
            self._again = None
        self._session.off(_EVENT, self._received)
        if not self.has_ended:
            self._session.send("Page.stopScreencast")
