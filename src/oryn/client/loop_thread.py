"""An event loop in a separate thread, for synchronous programs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")


class LoopThread:
    """A thread with an event loop that runs coroutines.

    It starts with the first coroutine, and ends after a coroutine if `needed` returns False. It may be used from any
    thread, and does not keep the program alive."""

    def __init__(self, needed: Callable[[], bool]) -> None:
        self._needed = needed
        self._changing = threading.Lock()
        self._running = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    def run(self, call: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine and return its result. If the caller is interrupted, the coroutine is cancelled."""
        result = asyncio.run_coroutine_threadsafe(call, self._enter())
        try:
            return result.result()
        except BaseException:
            result.cancel()
            raise
        finally:
            self._leave()

    def _enter(self) -> asyncio.AbstractEventLoop:
        with self._changing:
            if self._loop is None:
                started: Future[asyncio.AbstractEventLoop] = Future()
                self._thread = threading.Thread(target=self._serve, args=(started,), name="oryn", daemon=True)
                self._thread.start()
                self._loop = started.result()
            self._running += 1
            return self._loop

    def _leave(self) -> None:
        with self._changing:
            self._running -= 1
            if self._running or self._needed() or not (self._loop and self._ending and self._thread):
                return
            self._loop.call_soon_threadsafe(self._ending.set)
            self._thread.join()
            self._loop = self._ending = self._thread = None

    def _serve(self, started: Future[asyncio.AbstractEventLoop]) -> None:
        async def until_ended() -> None:
            self._ending = asyncio.Event()
            started.set_result(asyncio.get_running_loop())
            await self._ending.wait()

        asyncio.run(until_ended())  # cancels the tasks that still run, and waits for them
