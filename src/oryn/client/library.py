"""`Oryn`: the client library (seed 000 §4.2). It carries lines of the Intent Language to an engine and answers back,
and reads neither; whoever sends them does. `SyncOryn` (`oryn.client.blocking`) is generated from it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Sequence
from typing import Literal, Protocol, Self, TypeVar

from oryn.client.lines import click, close_session, goto, new_session, one_line, type_text
from oryn.errors import ConfigurationError, NoAnswer, NotConnected
from oryn.modes import refuse

Mode = Literal["headless", "embedded", "remote"]

Result = TypeVar("Result")


class Engine(Protocol):
    """The way to an engine. `connect` may be called again after `close`; `ask` starts or awaits again what was lost."""

    async def connect(self, session: str | None) -> None: ...

    async def ask(self, line: str) -> str: ...

    async def close(self) -> None: ...


class Oryn:
    """A browser that is driven in the Intent Language.

        async with Oryn() as oryn:
            await oryn.send("goto example.com")
            print(await oryn.send("observe"))

    `mode` is "headless", whose engine is started as a process, or "remote": a server on `port` of this computer, to
    which the extension in the user's own browser connects. `session` names the first session of a
    process; `binary` is its program where it is not to be looked for, and `arguments` are more options of it
    (`["--timeout", "60s"]`). `pair` is the code that the extension shows, needed once for each browser. `timeout` is
    how many seconds each call may take; without one it takes as long as it takes, and every command has a limit.

    Raises `ConfigurationError` for what can't be, and `NotSupported` for the mode "embedded", which is to come. What an
    engine answers, also `error …`, is no exception."""

    def __init__(
        self,
        mode: Mode = "headless",
        *,
        session: str | None = None,
        binary: str | os.PathLike[str] | None = None,
        arguments: Sequence[str] = (),
        port: int = 8080,
        pair: str | None = None,
        timeout: float | None = None,
    ) -> None:
        self._session = session
        self._timeout = timeout
        self._connected = False
        self._engine = _engine(mode, binary, arguments, port, pair)

    @property
    def connected(self) -> bool:
        """Whether it was connected, and not closed since. An engine that was lost is started or awaited again."""
        return self._connected

    async def connect(self, session_name: str | None = None) -> None:
        """Start the engine and wait until it is ready; in mode "remote", until the extension is connected.

        Raises `EngineNotFound`, which says where it was looked for, `EngineFailed`, `ProtocolMismatch`, `NoAnswer`."""
        if self._connected:
            raise ConfigurationError("the client is connected already", "Call close() first, or make another client.")
        self._connected = True
        try:
            await self._limited(self._engine.connect(session_name or self._session), "the engine did not get ready")
        except BaseException:
            await self.close()
            raise

    async def send(self, command: str) -> str:
        """The answer to one command, as the engine wrote it. Commands that are sent at once are done in the order in
        which they were sent; one that is cancelled does not disturb the others, and may be done nevertheless.

        Raises `ConnectionLost` where the engine went away: what was under way is not sent again, and the next call
        starts or awaits another. Raises `NotConnected`, `UnexpectedInput` for a command that is more than a line,
        `NoAnswer` after `timeout`, and what `connect` does where it has to start again."""
        line = one_line(command)
        if not self._connected:
            raise NotConnected("the client is not connected")
        return await self._limited(self._engine.ask(line), "no answer")

    async def close(self) -> None:
        """End the engine, or the server, and with it what is under way. Safe to call twice."""
        self._connected = False
        await self._engine.close()

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- optional: lines that are written for you ---

    async def goto(self, url: str) -> str:
        """`goto <url>`."""
        return await self.send(goto(url))

    async def observe(self) -> str:
        """`observe`: the elements of the page, numbered."""
        return await self.send("observe")

    async def click(self, target: int | str) -> str:
        """`click <target>`. A number, and what is a target of the language (`@e5`, `email`, `css(".a")`), are that; any
        other text is the text of an element, and `quote(text)` always is."""
        return await self.send(click(target))

    async def type(self, target: int | str, text: str) -> str:
        """`type <target> "<text>"`, whatever the text is."""
        return await self.send(type_text(target, text))

    async def list_sessions(self) -> str:
        """`sessions`."""
        return await self.send("sessions")

    async def get_session(self) -> str:
        """`session`: the current one."""
        return await self.send("session")

    async def new_session(self, name: str, mode: Mode | None = None) -> str:
        """`session new <name>`; lines for it begin with `@name`."""
        return await self.send(new_session(name, mode))

    async def close_session(self, name: str) -> str:
        """`session close <name>`."""
        return await self.send(close_session(name))

    async def _limited(self, call: Awaitable[Result], what: str) -> Result:
        try:
            async with asyncio.timeout(self._timeout):
                return await call
        except TimeoutError:
            raise NoAnswer(f"{what} within {self._timeout:g} s") from None


def _engine(
    mode: str, binary: str | os.PathLike[str] | None, arguments: Sequence[str], port: int, pair: str | None
) -> Engine:
    if mode == "remote":
        from oryn.client.remote import RemoteBrowser

        return RemoteBrowser(port, pair)
    refuse(mode)
    if mode != "headless":
        raise ConfigurationError(f"the mode can't be {mode!r}", "It may be headless or remote.")
    if isinstance(arguments, str):
        raise ConfigurationError("the arguments can't be one text", "Give a list: arguments=['--timeout', '60s'].")
    from oryn.client.local import LocalEngine

    return LocalEngine(mode, binary, arguments)
