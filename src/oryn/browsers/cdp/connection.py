"""Commands and events: a conversation with one browser, and the sessions (one for the browser, one for each target) in
it.

Commands are numbered and may be pipelined: `send` returns a future at once. A future always ends: with the answer, with
what `failures` makes of an error, or, when the session or the connection goes away, with the reason for that.
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-attachToTarget (flattened sessions)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

from oryn.browsers.cdp import failures
from oryn.browsers.cdp.transport import Transport
from oryn.errors import BrowserFailed, OrynError, Timeout

Answer = dict[str, Any]
Handler = Callable[[dict[str, Any]], object]
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Connection:
    """One conversation. `root` is the browser's own session; `on_closed` is called once when the conversation ends."""

    def __init__(self, on_closed: Callable[[], None] | None = None) -> None:
        self._transport: Transport | None = None
        self._next_id = 0
        self._pending: dict[int, tuple[asyncio.Future[Answer], Session, str]] = {}
        self._sessions: dict[str, Session] = {}
        self._on_closed = on_closed
        self.root = Session(self, "")
        self._sessions[""] = self.root
        self.closed: OrynError | None = None
        """Why the conversation ended, or None while it lasts."""
        self.advice = "Run 'goto' to start it again."
        """What to do when the browser ends the conversation."""

    def attach(self, transport: Transport) -> None:
        """Start to speak over `transport`, whose messages go to `receive` and whose end to `lost`."""
        self._transport = transport

    def session(self, session_id: str) -> Session:
        """The session with this id, made on first sight."""
        found = self._sessions.get(session_id)
        if found is None:
            found = self._sessions[session_id] = Session(self, session_id)
        return found

    def post(self, session: Session, method: str, params: dict[str, Any] | None) -> tuple[int, asyncio.Future[Answer]]:
        """Send one command; its number, and the future of its answer."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._next_id = number = self._next_id + 1
        if reason := self.closed or session.ended:
            future.set_exception(reason)
            return number, future
        message: dict[str, Any] = {"id": number, "method": method}
        if params:
            message["params"] = params
        if session.id:
            message["sessionId"] = session.id
        self._pending[number] = (future, session, method)
        assert self._transport is not None, "attach a transport first"
        self._transport.send(_encode(message).encode())
        return number, future

    def receive(self, data: bytes | str) -> None:
        """One message from the browser: an answer or an event."""
        try:
            message: dict[str, Any] = json.loads(data)
            number = message.get("id")
        except (ValueError, AttributeError):  # it is no browser
            self.close()
            return
        if number is None:
            self._receive_event(message)
            return
        pending = self._pending.pop(number, None)
        if pending is None or pending[0].done():
            return  # given up, cancelled or interrupted meanwhile
        if "error" in message:
            pending[0].set_exception(failures.from_answer(pending[2], message["error"]))
        else:
            pending[0].set_result(message.get("result", {}))

    def _receive_event(self, message: dict[str, Any]) -> None:
        session = self._sessions.get(message.get("sessionId", ""))
        if session is None or (method := message.get("method")) is None:
            return
        if method == "Target.attachedToTarget" and session is not self.root:
            self.session(message["params"]["sessionId"]).parent = session
        for handler in session.handlers.get(method, ()):
            handler(message.get("params", {}))

    def forget(self, number: int) -> None:
        """Nobody waits for this command any more."""
        self._pending.pop(number, None)

    def interrupt(self, session: Session, reason: OrynError, methods: tuple[str, ...] = ("",)) -> None:
        """End the commands of `session` that are in flight and whose method begins with one of `methods` with `reason`.

        The browser may still carry them out."""
        for number, (future, owner, method) in list(self._pending.items()):
            if owner is session and method.startswith(methods):
                del self._pending[number]
                if not future.done():
                    future.set_exception(reason)

    def end_session(self, session: Session, reason: OrynError) -> None:
        """The browser has detached `session`, and with it its children: what is in flight ends with `reason`, and so
        does every later command."""
        session.ended = reason
        self._sessions.pop(session.id, None)
        self.interrupt(session, reason)
        for child in [each for each in self._sessions.values() if each.parent is session]:
            self.end_session(child, reason)

    def lost(self) -> None:
        """The transport has ended; whatever is in flight ends with `BrowserFailed`."""
        if self.closed is not None:
            return
        self.closed = BrowserFailed("the browser closed the connection", self.advice)
        for session in list(self._sessions.values()):
            self.end_session(session, self.closed)
        if self._on_closed is not None:
            self._on_closed()

    def close(self) -> None:
        """Hang up: nothing more comes. Safe to call twice."""
        if self._transport is not None:
            self._transport.close()
            self.lost()


class Session:
    """Commands to one target and events from it. The empty `id` is the browser itself."""

    def __init__(self, connection: Connection, session_id: str) -> None:
        self.connection = connection
        self.id = session_id
        self.handlers: dict[str, list[Handler]] = {}
        self.parent: Session | None = None
        """That of the tab or frame which started the target; the browser does not tell when it ends with that."""
        self.ended: OrynError | None = None

    def lineage(self) -> Iterator[Session]:
        """This one, its parent, and so on up to that of the tab."""
        session: Session | None = self
        while session is not None:
            yield session
            session = session.parent

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` with the parameters of each `event`, in the order in which they arrive."""
        self.handlers.setdefault(event, []).append(handler)

    def off(self, event: str, handler: Handler) -> None:
        """Call `handler` no more; it must have been given to `on`."""
        self.handlers[event].remove(handler)

    def send(self, method: str, params: dict[str, Any] | None = None) -> asyncio.Future[Answer]:
        """Send a command without waiting. A failure that nobody awaits is dropped."""
        _, future = self.connection.post(self, method, params)
        future.add_done_callback(_retrieve)
        return future

    async def call(self, method: str, params: dict[str, Any] | None = None, *, timeout: float = 30) -> Answer:
        """Send a command and wait for its answer, at most `timeout` seconds. Raises `Timeout` and what `failures`
        says."""
        number, future = self.connection.post(self, method, params)
        deadline = asyncio.get_running_loop().call_later(timeout, _expire, future, method, timeout)
        try:
            return await future
        finally:
            deadline.cancel()
            self.connection.forget(number)


def _retrieve(future: asyncio.Future[Answer]) -> None:
    if not future.cancelled():
        future.exception()


def _expire(future: asyncio.Future[Answer], method: str, timeout: float) -> None:
    if not future.done():
        future.set_exception(Timeout(f"the browser did not answer {method} within {timeout:g} s"))
