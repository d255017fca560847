"""The sessions of a browser's debugging protocol, whichever it is: numbered commands to one target, and its events.

Commands may be pipelined: `send` returns a future at once. A future always completes: with the answer, with the error
that the protocol's `error_mapping` makes of a failure, or, when the session or the connection ends, with the reason."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, Self

from oryn.core.error_text import round_up_seconds
from oryn.errors import OrynError, Timeout

Answer = dict[str, Any]
Handler = Callable[[dict[str, Any]], object]


class UnansweredCommand:
    """A command whose answer has not come."""

    __slots__ = ("answer", "method", "session")

    def __init__(self, session: ProtocolSession, method: str) -> None:
        self.session = session
        self.method = method
        self.answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()


class UnansweredCommands:
    """The commands of one connection whose answers have not come, by their numbers.

    error_from_answer: the error for the `error` object of an answer to a method."""

    def __init__(self, error_from_answer: Callable[[str, dict[str, Any]], OrynError]) -> None:
        self._error_from_answer = error_from_answer
        self._last = 0
        self._commands: dict[int, UnansweredCommand] = {}

    def add(self, session: ProtocolSession, method: str) -> tuple[int, UnansweredCommand]:
        """A command that is about to be sent, and its number."""
        self._last = number = self._last + 1
        command = self._commands[number] = UnansweredCommand(session, method)
        return number, command

    def get(self, number: int) -> UnansweredCommand | None:
        return self._commands.get(number)

    def complete(self, number: int, message: dict[str, Any]) -> None:
        """The answer to a command: `message` has a `result`, or an `error`. Unknown numbers are those of commands that
        nobody awaits any more."""
        command = self._commands.pop(number, None)
        if command is None or command.answer.done():
            return  # timed out, cancelled or interrupted meanwhile
        if "error" in message:
            command.answer.set_exception(self._error_from_answer(command.method, message["error"]))
        else:
            command.answer.set_result(message.get("result", {}))

    def fail(self, number: int, reason: OrynError) -> None:
        """A command that gets no answer. Idempotent."""
        command = self._commands.pop(number, None)
        if command is not None and not command.answer.done():
            command.answer.set_exception(reason)

    def forget(self, number: int) -> None:
        """Drop the answer to a command that nobody awaits any more."""
        self._commands.pop(number, None)

    def of(self, session: ProtocolSession) -> list[asyncio.Future[Answer]]:
        """See `ProtocolSession.unanswered`."""
        return [command.answer for command in self._commands.values() if command.session is session]

    def interrupt(self, session: ProtocolSession, reason: OrynError, methods: tuple[str, ...] = ("",)) -> None:
        """See `ProtocolSession.interrupt`."""
        for number, command in list(self._commands.items()):
            if command.session is session and command.method.startswith(methods):
                self.fail(number, reason)


class ProtocolSession:
    """Commands to one target and events from it. Features that need no more than that take any protocol's session."""

    def __init__(self, pending: UnansweredCommands) -> None:
        self._pending = pending
        self.handlers: dict[str, list[Handler]] = {}
        self.parent: Self | None = None
        """The session of the tab or frame that started the target. The browser sends no event if both end together."""
        self.ended: OrynError | None = None
        """Why commands can't be sent any more, or None."""

    def lineage(self) -> Iterator[Self]:
        """This session, its parent, and so on up to the session of the tab."""
        session: Self | None = self
        while session is not None:
            yield session
            session = session.parent

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` with the parameters of each `event`, in the order in which they arrive."""
        self.handlers.setdefault(event, []).append(handler)

    def off(self, event: str, handler: Handler) -> None:
        """Stop calling `handler`, which must have been registered with `on`."""
        self.handlers[event].remove(handler)

    def emit(self, event: str, params: dict[str, Any]) -> None:
        """An event has come from the target."""
        for handler in self.handlers.get(event, ()):
            handler(params)

    def send(self, method: str, params: dict[str, Any] | None = None) -> asyncio.Future[Answer]:
        """Send a command without waiting. A failure that nobody awaits is dropped."""
        _, answer = self._post(method, params)
        answer.add_done_callback(_retrieve)
        return answer

    async def call(self, method: str, params: dict[str, Any] | None = None, *, timeout: float = 30) -> Answer:
        """Send a command and wait for its answer, at most `timeout` seconds.

        Raises `Timeout`, and the error that `error_mapping` returns for a failure."""
        number, answer = self._post(method, params)
        deadline = asyncio.get_running_loop().call_later(timeout, _expire, answer, method, timeout)
        try:
            return await answer
        except BaseException:  # there may be no answer yet
            self._pending.forget(number)
            raise
        finally:
            deadline.cancel()

    def unanswered(self) -> list[asyncio.Future[Answer]]:
        """The answers that have not come, in the order in which the commands were sent."""
        return self._pending.of(self)

    def interrupt(self, reason: OrynError, methods: tuple[str, ...] = ("",)) -> None:
        """Fail the commands in flight whose method starts with one of `methods`, with `reason`.

        The browser may still execute them."""
        self._pending.interrupt(self, reason, methods)

    def _post(self, method: str, params: dict[str, Any] | None) -> tuple[int, asyncio.Future[Answer]]:
        """Send one command. Returns its number and the future of its answer."""
        number, command = self._pending.add(self, method)
        if reason := self.ended or self._closed():
            self._pending.fail(number, reason)
        else:
            message: dict[str, Any] = {"id": number, "method": method}
            if params:
                message["params"] = params
            self._transmit(message)
        return number, command.answer

    def _closed(self) -> OrynError | None:
        """Why the connection has ended, or None while it is open."""
        raise NotImplementedError

    def _transmit(self, message: dict[str, Any]) -> None:
        """Send a command to the target."""
        raise NotImplementedError


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
