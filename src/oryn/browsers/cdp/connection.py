"""The protocol's messages: commands and events of one browser, and its sessions (one for the browser, one per target).

Commands are numbered and may be pipelined: `send` returns a future at once. A future always completes: with the answer,
with the error that `error_mapping` makes of a failure, or, when the session or the connection ends, with the reason.
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-attachToTarget (flattened sessions)"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

from oryn.browsers.cdp import error_mapping
from oryn.browsers.cdp.transport import CdpTransport
from oryn.core.error_text import round_up_seconds
from oryn.errors import BrowserFailed, OrynError, Timeout

Answer = dict[str, Any]
Handler = Callable[[dict[str, Any]], object]
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class CdpConnection:
    """The connection to one browser. `root` is the session of the browser itself.

    on_closed: called once when the connection ends."""

    def __init__(self, on_closed: Callable[[], None] | None = None) -> None:
        self._transport: CdpTransport | None = None
        self._next_id = 0
        self._pending: dict[int, tuple[asyncio.Future[Answer], CdpSession, str]] = {}
        self._sessions: dict[str, CdpSession] = {}
        self._on_closed = on_closed
        self.root = CdpSession(self, "")
        self._sessions[""] = self.root
        self.closed: OrynError | None = None
        """Why the connection ended, or None while it is open."""
        self.advice = "Run 'goto' to start it again."
        """The hint of the error that is raised after the browser has closed the connection."""

    def attach(self, transport: CdpTransport) -> None:
        """Send over `transport`, which must pass its messages to `receive` and its end to `on_lost`."""
        self._transport = transport

    def session(self, session_id: str) -> CdpSession:
        """The session with this id, created on first use."""
        found = self._sessions.get(session_id)
        if found is None:
            found = self._sessions[session_id] = CdpSession(self, session_id)
        return found

    def post(
        self, session: CdpSession, method: str, params: dict[str, Any] | None
    ) -> tuple[int, asyncio.Future[Answer]]:
        """Send one command. Returns its number and the future of its answer."""
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
        """One message from the browser, as JSON: an answer or an event."""
        try:
            message = json.loads(data)
        except ValueError:
            message = None
        if not isinstance(message, dict):  # the other end is not a browser
            self.close()
            return
        self.receive_message(message)

    def receive_message(self, message: dict[str, Any]) -> None:
        """One message from the browser: an answer or an event."""
        number = message.get("id")
        if number is None:
            self._receive_event(message)
            return
        pending = self._pending.pop(number, None)
        if pending is None or pending[0].done():
            return  # timed out, cancelled or interrupted meanwhile
        if "error" in message:
            pending[0].set_exception(error_mapping.error_from_answer(pending[2], message["error"]))
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
        """Drop the answer to a command that nobody awaits any more."""
        self._pending.pop(number, None)

    def interrupt(self, session: CdpSession, reason: OrynError, methods: tuple[str, ...] = ("",)) -> None:
        """Fail the commands of `session` in flight whose method starts with one of `methods`, with `reason`.

        The browser may still execute them."""
        for number, (future, owner, method) in list(self._pending.items()):
            if owner is session and method.startswith(methods):
                del self._pending[number]
                if not future.done():
                    future.set_exception(reason)

    def end_session(self, session: CdpSession, reason: OrynError) -> None:
        """Handle that the browser has detached `session` and its children: their commands, also later ones, fail with
        `reason`."""
        session.ended = reason
        self._sessions.pop(session.id, None)
        self.interrupt(session, reason)
        for child in [each for each in self._sessions.values() if each.parent is session]:
            self.end_session(child, reason)

    def release(self, session_id: str, reason: OrynError) -> None:
        """Let the target of a session run, which may be paused, and detach from it. Commands to it fail with
        `reason`."""
        session = self.session(session_id)
        session.send("Runtime.runIfWaitingForDebugger")  # the browser keeps it paused until then
        self.root.send("Target.detachFromTarget", {"sessionId": session_id})
        self.end_session(session, reason)

    def on_lost(self) -> None:
        """Handle the end of the transport: all commands in flight fail with `BrowserFailed`."""
        if self.closed is not None:
            return
        self.closed = BrowserFailed("the browser closed the connection", self.advice)
        for session in list(self._sessions.values()):
            self.end_session(session, self.closed)
        if self._on_closed is not None:
            self._on_closed()

    def close(self) -> None:
        """Close the connection; no more events come. Idempotent."""
        if self._transport is not None:
            self._transport.close()
            self.on_lost()


class CdpSession:
    """Commands to one target and events from it. The session with an empty `id` is that of the browser itself."""

    def __init__(self, connection: CdpConnection, session_id: str) -> None:
        self.connection = connection
        self.id = session_id
        self.handlers: dict[str, list[Handler]] = {}
        self.parent: CdpSession | None = None
        """The session of the tab or frame that started the target. The browser sends no event if both end together."""
        self.ended: OrynError | None = None

    def lineage(self) -> Iterator[CdpSession]:
        """This session, its parent, and so on up to the session of the tab."""
        session: CdpSession | None = self
        while session is not None:
            yield session
            session = session.parent

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` with the parameters of each `event`, in the order in which they arrive."""
        self.handlers.setdefault(event, []).append(handler)

    def off(self, event: str, handler: Handler) -> None:
        """Stop calling `handler`, which must have been registered with `on`."""
        self.handlers[event].remove(handler)

    def send(self, method: str, params: dict[str, Any] | None = None) -> asyncio.Future[Answer]:
        """Send a command without waiting. A failure that nobody awaits is dropped."""
        _, future = self.connection.post(self, method, params)
        future.add_done_callback(_retrieve)
        return future

    async def call(self, method: str, params: dict[str, Any] | None = None, *, timeout: float = 30) -> Answer:
        """Send a command and wait for its answer, at most `timeout` seconds.

        Raises `Timeout`, and the error that `error_mapping` returns for a failure."""
        number, future = self.connection.post(self, method, params)
        deadline = asyncio.get_running_loop().call_later(timeout, _expire, future, method, timeout)
        try:
            return await future
        except BaseException:  # there may be no answer yet
            self.connection.forget(number)
            raise
        finally:
            deadline.cancel()


async def answer_or_undo(answer: asyncio.Future[Answer], undo: Callable[[Answer], object]) -> Answer:
    """Wait for the answer to a command that creates something. If the caller is cancelled meanwhile, the browser
    creates it all the same, and `undo` is called with the answer."""
    try:
        return await asyncio.shield(answer)
    except asyncio.CancelledError:
        answer.add_done_callback(lambda created: created.exception() or undo(created.result()))
        raise


def _retrieve(future: asyncio.Future[Answer]) -> None:
    if not future.cancelled():
        future.exception()


def _expire(future: asyncio.Future[Answer], method: str, timeout: float) -> None:
    if not future.done():
        future.set_exception(Timeout(f"the browser did not answer {method} within {round_up_seconds(timeout):g} s"))
