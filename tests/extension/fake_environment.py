"""A world for connections whose time passes when a test says so, and whose sockets are lists."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from oryn.extension_server import pairing
from oryn.extension_server.messages import Accepted, Control, ExtensionRegistration, read_control

Opened, Received, Closed = Callable[[], object], Callable[[str], object], Callable[[int, str], object]


class FakeTimer:
    def __init__(self, at: float, then: Callable[[], object]) -> None:
        self.at = at
        self.then = then
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeSocket:
    """The extension's end; a test plays the server: `says`, `hears`."""

    def __init__(self, url: str, opened: Opened, received: Received, closed: Closed) -> None:
        self.url = url
        self.opened = opened
        self.says = received
        self.closes = closed
        self.sent: list[str] = []
        self.closed: tuple[int, str] | None = None

    def send(self, text: str) -> None:
        assert self.closed is None
        self.sent.append(text)

    def close(self, code: int = 1000, reason: str = "") -> None:
        assert code == 1000 or 3000 <= code <= 4999
        self.closed = code, reason

    def hears(self) -> list[str]:
        """What the extension has sent since this was last asked."""
        sent, self.sent = self.sent, []
        return sent

    def hears_one(self) -> Control:
        (frame,) = self.hears()
        control = read_control(frame.removeprefix("0:"))
        assert control is not None
        return control

    def registration(self) -> ExtensionRegistration:
        control = self.hears_one()
        assert isinstance(control, ExtensionRegistration)
        return control


class FakeWorld:
    def __init__(self) -> None:
        self.time = 1_000_000.0
        self.timers: list[FakeTimer] = []
        self.sockets: list[FakeSocket] = []
        self.has_alarm = False
        self._work: set[asyncio.Task[object]] = set()

    def now(self) -> float:
        return self.time

    def later(self, seconds: float, then: Callable[[], object]) -> FakeTimer:
        timer = FakeTimer(self.time + seconds, then)
        self.timers.append(timer)
        return timer

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.ensure_future(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    def open(self, url: str, opened: Opened, received: Received, closed: Closed) -> FakeSocket:
        socket = FakeSocket(url, opened, received, closed)
        self.sockets.append(socket)
        return socket

    def alarm(self, wanted: bool) -> None:
        self.has_alarm = wanted

    @property
    def socket(self) -> FakeSocket:
        """The latest one."""
        return self.sockets[-1]

    def pass_time(self, seconds: float) -> None:
        """Let so much time pass, and run what is due, in order."""
        end = self.time + seconds
        while due := [each for each in self.timers if not each.cancelled and each.at <= end]:
            timer = min(due, key=lambda each: each.at)
            self.timers.remove(timer)
            self.time = max(self.time, timer.at)
            timer.then()
        self.time = end

    async def settle(self) -> None:
        """Until all that was spawned is done."""
        while self._work:
            await asyncio.gather(*self._work)


class FakeBrowser:
    """`chrome.storage`, as JSON text as the real one keeps it. The memory of a worker is what `session` has."""

    def __init__(self, **settings: Any) -> None:
        self.areas = {"sync": json.dumps(settings), "local": "{}", "session": "{}"}
        self.levels: dict[str, str] = {}

    async def call(self, name: str, *arguments: Any) -> Any:
        _, area, method = name.split(".")
        values = json.loads(self.areas[area])
        if method == "setAccessLevel":
            self.levels[area] = arguments[0]["accessLevel"]
            return None
        if method == "get":
            return {key: values[key] for key in (arguments[0] if arguments else values) if key in values}
        assert method == "set"
        self.areas[area] = json.dumps(values | json.loads(json.dumps(arguments[0])))
        return None

    def area(self, name: str) -> Any:
        return json.loads(self.areas[name])


SERVER_NONCE = "fedcba9876543210" * 2


def proves(socket: FakeSocket, registration: ExtensionRegistration, secret: str, **more: Any) -> None:
    """The server accepts a registration with a secret that it knows."""
    assert registration.nonce is not None
    answer = Accepted(pairing.server_proof(secret, registration.nonce), SERVER_NONCE, **more)
    socket.says(answer.frame)
