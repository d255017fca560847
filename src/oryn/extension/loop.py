"""The event loop of the service worker: asyncio's own, turned by the browser instead of by a selector.

Pyodide's loop goes back to the browser between any two callbacks, which takes about a millisecond each time; a command
has dozens of them. This one runs what is ready before it goes back: with each event that comes, and when the time of a
timer has come. https://docs.python.org/3/library/asyncio-eventloop.html
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any, Protocol, TypeVarTuple

Ts = TypeVarTuple("Ts")

SLICE = 0.05
"""Seconds that a turn may take before the browser gets one, from which answers and the user's 'stop' come."""


class Turns(Protocol):
    """What turns the loop: `extension/turns.js`, or a test."""

    def drive(self, turn: Callable[[], float], /) -> None:
        """Call `turn` after each event that Python was told, and when the milliseconds that it returned are over (0: as
        soon as the browser has had its turn; negative: there is nothing to wait for)."""

    def soon(self) -> None:
        """Call `turn` soon: something is ready that no turn knows of."""


class WorkerLoop(asyncio.BaseEventLoop):
    """It runs for as long as the worker lives; `run_until_complete` and the like have no place in it."""

    def __init__(self, turns: Turns) -> None:
        super().__init__()
        self._selector = _NothingToSelect()
        self._turns = turns
        self._is_turning = False

    def install(self) -> None:
        """Make it the running loop, from now on."""
        self._thread_id = threading.get_ident()
        sys.set_asyncgen_hooks(firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook)
        asyncio._set_running_loop(self)
        self._turns.drive(self.turn)

    def turn(self) -> float:
        """Run what is ready; see `Turns.drive` for what comes back. Within a turn it does nothing."""
        if self._is_turning:
            return -1
        asyncio._set_running_loop(self)  # Pyodide's own takes the place whenever something runs in it
        self._is_turning = True
        try:
            end = self.time() + SLICE
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

    if TYPE_CHECKING:  # of the base, which has them since it is there
        _thread_id: int | None
        _ready: deque[asyncio.Handle]
        _scheduled: list[asyncio.TimerHandle]
        _asyncgen_firstiter_hook: Callable[[AsyncGenerator[Any, Any]], None]
        _asyncgen_finalizer_hook: Callable[[AsyncGenerator[Any, Any]], None]

        def _run_once(self) -> None: ...


class _NothingToSelect:
    """Stands where a selector does: nothing ever becomes readable, and nobody waits here."""

    def select(self, timeout: float | None = None) -> list[Any]:
        return []

    def close(self) -> None:
        return


def install(turns: Turns) -> None:
    """Let `turns` turn a new loop."""
    WorkerLoop(turns).install()
