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


class CdpTracing(Tracing):
    """The trace of the process that `root` speaks to: all sessions of that process are in it."""

    def __init__(self, root: Callable[[], Session]) -> None:
        self._root = root
        self._traced: Session | None = None

    async def start(self, *, timeout: float = 30) -> None:
        root = self._root()
        config = {
            "excludedCategories": ["*"],
            "includedCategories": list(_CATEGORIES),
            "traceBufferSizeInKb": _BUFFER_KILOBYTES,
        }
        params = {"transferMode": "ReturnAsStream", "streamFormat": "json", "traceConfig": config}
        await root.call("Tracing.start", params, timeout=timeout)
        self._traced = root

    async def stop(self, write: Write, *, timeout: float = 30) -> bool:
        root, self._traced = self._traced, None
        if root is None or root.connection.closed is not None:
            raise BrowserFailed("the browser that was traced is gone", "Run 'goto' to start it again.")
        told = await _end(root, timeout)
        await streams.copy(root, told["stream"], write, timeout)
        return not told["dataLossOccurred"]

    async def discard(self) -> None:
        root, self._traced = self._traced, None
        if root is not None and root.connection.closed is None:
            with suppress(OrynError):
                told = await _end(root, _DISCARD_SECONDS)
                root.send("IO.close", {"handle": told["stream"]})


_DISCARD_SECONDS = 5.0


async def _end(root: Session, timeout: float) -> dict[str, Any]:
    """End the trace; what the browser tells when all of it is together."""
    complete: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def tell(event: dict[str, Any]) -> None:
        if not complete.done():
            complete.set_result(event)

    root.on("Tracing.tracingComplete", tell)
    try:
        await root.call("Tracing.end", timeout=timeout)
        async with asyncio.timeout(timeout):
            return await complete
    except TimeoutError:
        raise Timeout(f"the browser did not end its trace within {timeout:g} s") from None
    finally:
        root.off("Tracing.tracingComplete", tell)
