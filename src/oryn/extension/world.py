"""What a connection needs of the world: time, sockets, an alarm. Given from outside, so that tests have their own."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol


class Timer(Protocol):
    def cancel(self) -> None: ...


class Socket(Protocol):
    """A WebSocket that is opening, open or closed. Nothing raises."""

    def send(self, text: str, /) -> None: ...

    def close(self, code: int = 1000, reason: str = "", /) -> None: ...


class World(Protocol):
    def now(self) -> float:
        """Seconds of the epoch."""

    def later(self, seconds: float, then: Callable[[], object], /) -> Timer: ...

    def spawn(self, work: Coroutine[Any, Any, object], /) -> None:
        """Have a coroutine done in the background."""

    def open(
        self,
        url: str,
        opened: Callable[[], object],
        received: Callable[[str], object],
        closed: Callable[[int, str], object],
        /,
    ) -> Socket:
        """Open a WebSocket; `closed` is called once, also where it never opened. Raises `ChromeFailed`."""

    def alarm(self, wanted: bool, /) -> None:
        """Have the browser start the worker every 30 s, even after it has stopped it; or no more."""
