"""Waiting for what events bring about, without polling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Signal:
    """Conditions that somebody waits for. Whoever changes what they look at calls `notify`."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[bool]]] = []

    def notify(self) -> None:
        """Look at every condition again; wake those whose condition holds."""
        if self._waiting:
            for holds, future in self._waiting:
                if not future.done() and holds():
                    future.set_result(True)

    async def until(self, holds: Callable[[], bool], timeout: float) -> bool:
        """Wait until `holds()`, at most `timeout` seconds. Whether it does."""
        if holds():
            return True
        if timeout <= 0:
            return False
        loop = asyncio.get_running_loop()
        future: asyncio.Future[bool] = loop.create_future()
        entry = (holds, future)
        self._waiting.append(entry)
        deadline = loop.call_later(timeout, _give_up, future)
        try:
            return await future
        finally:
            deadline.cancel()
            self._waiting.remove(entry)


def _give_up(future: asyncio.Future[bool]) -> None:
    if not future.done():
        future.set_result(False)
