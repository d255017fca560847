"""Records Chrome's own performance trace. https://chromedevtools.github.io/devtools-protocol/tot/Tracing/"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from oryn.browsers.base.recording import ByteWriter, Tracing
from oryn.browsers.cdp import capture
from oryn.browsers.cdp.connection import CdpSession
from oryn.core.error_text import round_up_seconds
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
"""Chromium answers after all pages, or after 10 s if one hangs, but traces the other pages meanwhile."""

_DISCARD_SECONDS = 5.0
_COMPLETE = "Tracing.tracingComplete"


class CdpTracing(Tracing):
    """The performance trace of a browser process, which includes all sessions of that process.

    root: returns the root session of the browser."""

    def __init__(self, root: Callable[[], CdpSession]) -> None:
        self._root = root
        self._traced: CdpSession | None = None
        self._complete: asyncio.Future[dict[str, Any]] | None = None
        """After the end of the trace, the event that reports that it is complete."""

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
            raise Timeout(f"the browser did not start its trace within {round_up_seconds(timeout):g} s")
        self._traced = root

    async def stop(self, write: ByteWriter, *, timeout: float = 30) -> bool:
        root = self._traced
        if root is None or root.connection.closed is not None:
            raise BrowserFailed("the browser that was traced is gone", "Run 'goto' to start it again.")
        complete = await self._end(root, timeout)
        await capture.copy_stream(root, complete["stream"], write, timeout)
        self._forget(root)
        return not complete["dataLossOccurred"]

    async def discard(self) -> None:
        root = self._traced
        if root is None:
            return
        if root.connection.closed is None:
            with suppress(OrynError):
                complete = await self._end(root, _DISCARD_SECONDS)
                root.send("IO.close", {"handle": complete["stream"]})
        self._forget(root)

    async def _end(self, root: CdpSession, timeout: float) -> dict[str, Any]:
        """End the trace and wait until it is complete. May be called again after a timeout."""
        if self._complete is None:
            self._complete = asyncio.get_running_loop().create_future()
            root.on(_COMPLETE, self._on_complete)
            root.send("Tracing.end")
        try:
            async with asyncio.timeout(timeout):
                return await asyncio.shield(self._complete)
        except TimeoutError:
            raise Timeout(f"the browser did not end its trace within {round_up_seconds(timeout):g} s") from None

    def _on_complete(self, event: dict[str, Any]) -> None:
        if self._complete is not None and not self._complete.done():
            self._complete.set_result(event)

    def _forget(self, root: CdpSession) -> None:
        if self._complete is not None:
            root.off(_COMPLETE, self._on_complete)
        self._traced = self._complete = None
