"""What a connection needs: time, sockets, an alarm, and whoever does what the server commands. Given from outside, so
that tests have their own."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from oryn.remote.control import Control
from oryn.remote.messages import Message


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
        """Have the browser start the worker again and again, even after it has stopped it; or no more."""


class Commands(Protocol):
    """Whoever does what the server commands."""

    def begin(self, *, files: bool) -> None:
        """A server is connected; nothing of an earlier one counts any more. `files` is whether it takes files."""

    def receive(self, message: Message) -> bool:
        """Whether there was room for it; it is answered in any case."""

    def hear(self, control: Control) -> None:
        """What the server says of the commands that come: `Answers`, `EngineOptions`, `File`."""

    def stop(self) -> None:
        """The user ends it: answer all that runs and waits with an error, at once."""

    def drop(self) -> None:
        """The link is lost: end all that runs and waits, which nobody can be told of."""
