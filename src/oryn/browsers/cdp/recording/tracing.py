"""Chrome's own trace. https://chromedevtools.github.io/devtools-protocol/tot/Tracing/"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from oryn.browsers.base.recording import Tracing, Write
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.recording import streams
from oryn.errors import BrowserFailed, OrynError, Timeout

# Those of the performance panel of the developer tools: front_end/panels/timeline/TimelineController.ts
_CATEGORIES = (
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "disabled-by-default-devtools.timeline.stack",
    "disabled-by-default-v8.cpu_profiler",
    "v8.execute",
    "v8",
    "blink.console",
    "blink.user_timing",
    "latencyInfo",
    "loading",
    "toplevel",
)
_BUFFER_KILOBYTES = 200 * 1024
"""A busy page fills about 1 MB a second."""


_START_SECONDS = 3.0
"""Chromium answers when every page has, or after 10 s: it waits for one that hangs, while the others are traced."""

_DISCARD_SECONDS = 5.0
_COMPLETE = "Tracing.tracingComplete"


class CdpTracing(Tracing):
    """The trace of the process that `root` speaks to: all sessions of that process are in it."""

    def __init__(self, root: Callable[[], Session]) -> None:
        self._root = root
        self._traced: Session | None = None
        self._complete: asyncio.Future[dict[str, Any]] | None = None
        """Set when the trace has been ended: what the browser tells when all of it is together."""

    async def start(self, *, timeout: float = 30) -> None:
        root = self._root()
        config = {
            "excludedCategories": ["*"],
            "includedCategories": list(_CATEGORIES),
            "traceBufferSizeInKb": _BUFFER_KILOBYTES,
        }
        params = {"transferMode": "ReturnAsStream", "streamFormat": "json", "traceConfig": config}
        started = root.send("Tracing.start", params)
        await asyncio.wait([started], timeout=min(timeout, _START_SECONDS))
        if started.done():
            started.result()
        elif timeout < _START_SECONDS:
            root.send("Tracing.end")
            raise Timeout(f"the browser did not start its trace within {timeout:g} s")
        self._traced = root

    async def stop(self, write: Write, *, timeout: float = 30) -> bool:
        root = self._traced
        if root is None or root.connection.closed is not None:
            raise BrowserFailed("the browser that was traced is gone", "Run 'goto' to start it again.")
        told = await self._end(root, timeout)
        await streams.copy(root, told["stream"], write, timeout)
        self._forget(root)
        return not told["dataLossOccurred"]

    async def discard(self) -> None:
        root = self._traced
        if root is None:
            return
        if root.connection.closed is None:
            with suppress(OrynError):
                told = await self._end(root, _DISCARD_SECONDS)
                root.send("IO.close", {"handle": told["stream"]})
        self._forget(root)

    async def _end(self, root: Session, timeout: float) -> dict[str, Any]:
        """End the trace, once, and wait until it is together: who gives up may come back."""
        if self._complete is None:
            self._complete = asyncio.get_running_loop().create_future()
            root.on(_COMPLETE, self._told)
            root.send("Tracing.end")
        try:
            async with asyncio.timeout(timeout):
                return await asyncio.shield(self._complete)
        except TimeoutError:
            raise Timeout(f"the browser did not end its trace within {timeout:g} s") from None

    def _told(self, event: dict[str, Any]) -> None:
        if self._complete is not None and not self._complete.done():
            self._complete.set_result(event)

    def _forget(self, root: Session) -> None:
        if self._complete is not None:
            root.off(_COMPLETE, self._told)
        self._traced = self._complete = None
