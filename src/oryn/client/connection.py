"""`EngineConnection`: sends lines and requests to an engine and returns its answers. It parses neither.

`Oryn` and the clients that `Oryn.with_options` makes share one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Sequence
from typing import Literal, Protocol, TypeVar

from oryn.errors import ConfigurationError, NoAnswer, NotConnected, UnexpectedInput


def require_one_line(command: str) -> str:
    """Return `command`, if it is a single line of text that can be sent. Raises `UnexpectedInput`."""
    if "\n" in command or "\r" in command:
        raise UnexpectedInput(
            "a line break in a command",
            "Send one command at a time. Inside a string, \\n is a line break; quote(text) writes such a string.",
        )
    try:
        command.encode()
    except UnicodeEncodeError as error:
        raise UnexpectedInput(f"half a character at position {error.start}", "Send commands as Unicode text.") from None
    return command


Mode = Literal["embedded", "headless", "playwright", "remote"]
"""The modes of a session."""
Place = Literal["headless", "embedded", "playwright", "remote", "daemon"]
"""Where a client's commands run: a mode of Oryn, with an engine of the client's own, or the daemon, which programs
share."""

Result = TypeVar("Result")


class Engine(Protocol):
    """A connection to an engine.

    `connect` may be called again after `close`. If the engine was lost, `ask` starts it again or waits for it."""

    async def connect(self, session: str | None) -> None:
        """Start the engine, or wait for it, until it is ready. `session` names the first session; with None the engine
        names it."""

    async def ask(self, line: str) -> str:
        """Send a line, which is one command, and return the answer's text, also if that is an error of the command."""

    async def close(self) -> None:
        """End the engine or the connection. May be called twice."""


class EngineConnection:
    """A connection to the engine of `mode`; the parameters are those of `Oryn`.

    Answers of the engine raise no exception, not even `error …`."""

    def __init__(
        self,
        mode: Place,
        *,
        session: str | None,
        binary: str | os.PathLike[str] | None,
        arguments: Sequence[str],
        port: int,
        pair: str | None,
        timeout: float | None,
    ) -> None:
        self._session = session
        self._timeout = timeout
        self._connected = False
        self._engine = _create_engine(mode, binary, arguments, port, pair)

    @property
    def connected(self) -> bool:
        """Whether `connect` was called, and not `close` since."""
        return self._connected

    async def connect(self, session_name: str | None = None) -> None:
        """As `Oryn.connect`."""
        if self._connected:
            raise ConfigurationError("the client is connected already", "Call close() first, or make another client.")
        self._connected = True
        try:
            await self._limited(self._engine.connect(session_name or self._session), "the engine did not get ready")
        except BaseException:
            await self.close()
            raise

    async def send(self, command: str) -> str:
        """As `Oryn.send`, for a line or a request."""
        line = require_one_line(command)
        if not self._connected:
            raise NotConnected("the client is not connected")
        return await self._limited(self._engine.ask(line), "no answer")

    async def close(self) -> None:
        """End the engine, or the server, and cancel the commands in progress. Safe to call twice."""
        self._connected = False
        await self._engine.close()

    async def _limited(self, call: Awaitable[Result], what: str) -> Result:
        try:
            async with asyncio.timeout(self._timeout):
                return await call
        except TimeoutError:
            raise NoAnswer(f"{what} within {self._timeout:g} s") from None


def _create_engine(
    mode: str, binary: str | os.PathLike[str] | None, arguments: Sequence[str], port: int, pair: str | None
) -> Engine:
    if mode == "remote":
        from oryn.client.extension_engine import ExtensionEngine

        return ExtensionEngine(port, pair)
    if mode == "daemon":
        from oryn.client.daemon_engine import DaemonEngine

        return DaemonEngine()
    if mode not in ("headless", "embedded", "playwright"):
        raise ConfigurationError(
            f"the mode can't be {mode!r}", "It may be headless, embedded, playwright or remote, or daemon."
        )
    if isinstance(arguments, str):
        raise ConfigurationError("the arguments can't be one text", "Give a list: arguments=['--timeout', '60s'].")
    from oryn.client.local_engine import LocalEngine

    return LocalEngine(mode, binary, arguments)
