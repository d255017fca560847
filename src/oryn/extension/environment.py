"""The environment of the worker's parts: clock, timers, background tasks, WebSockets, the browser's alarm, and the
receiver of a server's commands. Tests pass implementations of their own."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol

from oryn.extension_server.messages import Control, WireMessage

if TYPE_CHECKING:
    from oryn.browsers.extension.bridge import Bridge, BridgeSocket

log = logging.getLogger(__name__)

ALARMS = {"connection": 0.5, "connection-between": 0.75}
"""The browser's alarms, with the minutes until each is first due. An alarm is due at most every 30 s; two that take
turns start a stopped worker again in half the time."""


KEEP_ALIVE_SECONDS = 2.0
"""How often an API is called while a connection is wanted, in an event page: what goes through its WebSocket does not
keep Firefox from stopping the page after 30 s, and a start takes a second.
https://firefox-source-docs.mozilla.org/toolkit/components/extensions/webextensions/background-pages.html"""


class Timer(Protocol):
    """A call that is scheduled by `Environment.later`."""

    def cancel(self) -> None:
        """Cancel the call."""


class WebSocketLike(Protocol):
    """A WebSocket that is opening, open or closed. Its methods never raise."""

    def send(self, text: str, /) -> None: ...

    def close(self, code: int = 1000, reason: str = "", /) -> None: ...


class Environment(Protocol):
    """Time, background tasks, sockets and alarms, as the worker needs them."""

    def now(self) -> float:
        """The time in epoch seconds."""

    def later(self, seconds: float, then: Callable[[], object], /) -> Timer:
        """Call `then` after some seconds."""

    def spawn(self, work: Coroutine[Any, Any, object], /) -> None:
        """Run a coroutine in the background."""

    def open(
        self,
        url: str,
        opened: Callable[[], object],
        received: Callable[[str], object],
        closed: Callable[[int, str], object],
        /,
    ) -> WebSocketLike:
        """Open a WebSocket; `closed(code, reason)` is called once, also if it never opened. Raises `ChromeFailed`."""

    def alarm(self, wanted: bool, /) -> None:
        """Set or clear the browser's alarm, which starts the worker again even after the browser has stopped it."""


class CommandReceiver(Protocol):
    """Runs the commands of a server."""

    def begin(self, *, files: bool) -> None:
        """A server is connected: forget the state of an earlier one. `files` says whether it takes files."""

    def receive(self, message: WireMessage) -> bool:
        """Take a command, which is answered in any case; False if it was refused."""

    def on_control(self, control: Control) -> None:
        """A message about commands: `AnswerOptions`, `Cancel`, `EngineOptions`, `File`."""

    def stop(self) -> None:
        """The user ends the connection: answer all running and waiting commands with an error at once."""

    def drop(self) -> None:
        """The connection is lost: end all running and waiting commands without an answer."""


class ChromeEnvironment:
    """The `Environment` of a service worker, or of an event page."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._work = set[asyncio.Task[object]]()
        self._has_alarm = False
        self._is_event_page = bool(bridge.engine().get("event_page"))
        self._alive: Timer | None = None

    def now(self) -> float:
        return time.time()

    def later(self, seconds: float, then: Callable[[], object]) -> Timer:
        return asyncio.get_running_loop().call_later(seconds, then)

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._on_task_done)

    def _on_task_done(self, task: asyncio.Task[object]) -> None:
        self._work.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("in the background: %s", error, exc_info=error)

    def open(
        self,
        url: str,
        opened: Callable[[], object],
        received: Callable[[str], object],
        closed: Callable[[int, str], object],
    ) -> BridgeSocket:
        return self._bridge.socket(url, opened, received, closed)

    def alarm(self, wanted: bool) -> None:
        self._has_alarm = wanted
        self.spawn(self._set_alarm())
        if self._is_event_page and self._alive is None:
            self._keep_alive()

    def _keep_alive(self) -> None:
        self._alive = None
        if self._has_alarm:
            self.spawn(self._bridge.call("runtime.getPlatformInfo"))
            self._alive = self.later(KEEP_ALIVE_SECONDS, self._keep_alive)

    async def _set_alarm(self) -> None:
        for name, delay in ALARMS.items():
            if not self._has_alarm:
                await self._bridge.call("alarms.clear", name)
            # An alarm that exists would start again, and be late.
            elif await self._bridge.call("alarms.get", name) is None and self._has_alarm:
                await self._bridge.call("alarms.create", name, {"delayInMinutes": delay, "periodInMinutes": 0.5})
