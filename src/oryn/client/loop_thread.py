"""An event loop in a thread of its own, for programs that have none, or one of which this is no business."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")


class LoopThread:
    """Begins with the first coroutine, and ends after one that leaves nothing for which it is `needed`. It may be used
    from any thread, and does not keep the program alive."""

    def __init__(self, needed: Callable[[], bool]) -> None:
        self._needed = needed
        self._changing = threading.Lock()
        self._running = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    def run(self, call: Coroutine[Any, Any, Result]) -> Result:
        """The result of a coroutine; it is cancelled when the caller is interrupted."""
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
                begun: Future[asyncio.AbstractEventLoop] = Future()
                self._thread = threading.Thread(target=self._serve, args=(begun,), name="oryn", daemon=True)
                self._thread.start()
                self._loop = begun.result()
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

    def _serve(self, begun: Future[asyncio.AbstractEventLoop]) -> None:
        async def until_ended() -> None:
            self._ending = asyncio.Event()
            begun.set_result(asyncio.get_running_loop())
            await self._ending.wait()

        asyncio.run(until_ended())  # which cancels what still runs, and waits for it
