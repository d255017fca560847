"""The event loop of the service worker: asyncio's own, driven by the browser instead of a selector.

Pyodide's loop returns to the browser between any two callbacks, which takes about a millisecond each time; a command
has dozens of them. This loop runs everything that is ready before it returns: after each event, and when a timer is
due. https://docs.python.org/3/library/asyncio-eventloop.html"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any, Protocol, TypeVarTuple

Ts = TypeVarTuple("Ts")

SLICE_SECONDS = 0.05
"""Seconds that a turn may take before the browser processes its own events, such as answers and the user's 'stop'."""


class TurnDriver(Protocol):
    """Calls the loop's turns: `extension/turns.ts`, or a test."""

    def drive(self, turn: Callable[[], float], /) -> None:
        """Call `turn` after each event that Python receives, and after the milliseconds that it has returned (0: as
        soon as the browser has processed its own events; negative: there is no timer)."""

    def soon(self) -> None:
        """Call `turn` soon: a callback has been added outside a turn."""


class WorkerLoop(asyncio.BaseEventLoop):
    """The loop of the worker, which never ends; `run_until_complete` and the like are not supported."""

    def __init__(self, turns: TurnDriver) -> None:
        super().__init__()
        self._selector = _NullSelector()
        self._turns = turns
        self._is_turning = False

    def install(self) -> None:
        """Make it the running loop from now on."""
        self._thread_id = threading.get_ident()
        sys.set_asyncgen_hooks(firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook)
        asyncio._set_running_loop(self)
        self._turns.drive(self.turn)

    def turn(self) -> float:
        """Run the callbacks that are ready; the result is that of `TurnDriver.drive`. Does nothing within a turn."""
        if self._is_turning:
            return -1
        asyncio._set_running_loop(self)  # Pyodide's own loop replaces it whenever a callback runs there
        self._is_turning = True
        try:
            end = self.time() + SLICE_SECONDS
            self._run_once()
            while self._ready and self.time() < end:
                self._run_once()
        finally:
            self._is_turning = False
        if self._ready:
            return 0
        return max(0, self._scheduled[0].when() - self.time()) * 1000 if self._scheduled else -1

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        handle = super().call_soon(callback, *args, context=context)
        self._write_to_self()
        return handle

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        handle = super().call_at(when, callback, *args, context=context)
        self._write_to_self()
        return handle

    def _write_to_self(self) -> None:
        if not self._is_turning:
            self._turns.soon()

    def _process_events(self, events: list[Any]) -> None:
        assert not events

    if TYPE_CHECKING:  # private members of the base class
        _thread_id: int | None
        _ready: deque[asyncio.Handle]
        _scheduled: list[asyncio.TimerHandle]
        _asyncgen_firstiter_hook: Callable[[AsyncGenerator[Any, Any]], None]
        _asyncgen_finalizer_hook: Callable[[AsyncGenerator[Any, Any]], None]

        def _run_once(self) -> None: ...


class _NullSelector:
    """A selector without files: `select` returns at once."""

    def select(self, timeout: float | None = None) -> list[Any]:
        return []

    def close(self) -> None:
        return


def install(turns: TurnDriver) -> None:
    """Create the loop and run it by `turns`."""
    WorkerLoop(turns).install()
