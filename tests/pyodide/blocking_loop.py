"""An event loop for Pyodide that runs to the end of a coroutine before it returns.

Pyodide's own loop is the browser's: it can't be waited for without giving up the stack. The pure code does no input or
output, so a loop that knows only timers and callbacks is all that its tests need.
"""

from __future__ import annotations

import asyncio
import time
import warnings
from typing import Any


class _NoSockets:
    """Stands where a selector does: nothing ever becomes readable, time alone passes."""

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("a coroutine waits for something that can't happen without input or output")
        time.sleep(timeout)
        return []

    def close(self) -> None:
        return


class BlockingLoop(asyncio.BaseEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._selector = _NoSockets()

    def _process_events(self, events: list[Any]) -> None:
        assert not events

    def _write_to_self(self) -> None:
        return  # there is one thread


class _Policy(asyncio.events._AbstractEventLoopPolicy):
    _loop: asyncio.AbstractEventLoop | None = None

    def get_event_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            raise RuntimeError("there is no current event loop")
        return self._loop

    def set_event_loop(self, loop: asyncio.AbstractEventLoop | None) -> None:
        self._loop = loop

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        return BlockingLoop()


def install() -> None:
    """Make this loop the one that `asyncio.run` and `asyncio.Runner` use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        asyncio.set_event_loop_policy(_Policy())
    asyncio.events._set_running_loop(None)
