"""`LineClient`: sends lines of the Intent Language to an engine and returns its answers. It is called
`Oryn` in `oryn.client`.

It parses neither. The optional methods write the lines. The text that they are given stays text: it can't become an
option, a comment or a second command. `SyncLineClient` (`oryn.client.sync.client`) is generated from this module. The
client with a method for every command, `oryn.Oryn`, sends its requests through this one."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Sequence
from typing import Literal, Protocol, Self, TypeVar

from oryn.errors import ConfigurationError, NoAnswer, NotConnected, UnexpectedInput
from oryn.language.kinds import URL
from oryn.language.lexer import is_identifier, quote
from oryn.language.targets import RELATIONS, ROLE_ALIASES, ROLES

_STRING = r"""(?:"(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^'\\\r\n]|\\[^\r\n])*')"""
_NUMBER = r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?"
_SIMPLE = (
    rf"(?:[0-9]{{1,15}}|@e[0-9]{{1,15}}|{'|'.join((*ROLES, *ROLE_ALIASES))}|{_STRING}|(?:css|xpath)\({_STRING}\)"
    rf"|at\({_NUMBER}, *{_NUMBER}\))"
)
_TARGET = re.compile(rf"{_SIMPLE}(?: +(?:{'|'.join(RELATIONS)}) +{_SIMPLE})*", re.ASCII)
_SELECTOR = re.compile(r"(css|xpath)\((.+)\)")


def target_text(target: int | str) -> str:
    """The words for a target in a line.

    A number, and a text that is a complete target of the language (`@e5`, `email`, `"Save" near "Address"`), are used
    as that target. Any other text means an element with that text, and so does `quote(text)` always."""
    if isinstance(target, int):
        return str(int(target))
    if _TARGET.fullmatch(target):
        return target
    if (selector := _SELECTOR.fullmatch(target)) and (inside := selector[2].strip()):
        return f"{selector[1]}({quote(inside)})"
    return quote(target)


def goto_line(url: str) -> str:
    """The line that opens `url`."""
    return f"goto {URL.write(url) if url else quote(url)}"


def click_line(target: int | str) -> str:
    """The line that clicks `target`: an element's number, or its text."""
    return f"click {target_text(target)}"


def type_line(target: int | str, text: str) -> str:
    """The line that types `text` into `target`: an element's number, or its text."""
    return f"type {target_text(target)} {quote(text)}"


def new_session_line(name: str, mode: str | None) -> str:
    """The line that opens the session `name`. `mode` is `headless` or `remote`; None is the engine's own."""
    return f"session new {_name(name)}{f' --mode {_name(mode)}' if mode else ''}"


def close_session_line(name: str) -> str:
    """The line that closes the session `name`."""
    return f"session close {_name(name)}"


def _name(name: str) -> str:
    return name if is_identifier(name) else quote(name)


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


Mode = Literal["headless", "embedded", "playwright", "remote"]
Place = Literal["headless", "embedded", "playwright", "remote", "daemon"]
"""Where a client's commands run: a mode, whose engine is the client's own, or the daemon, which many programs share."""

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


class LineClient:
    """A browser that is driven in the Intent Language.

        async with Oryn() as oryn:
            await oryn.send("goto example.com")
            print(await oryn.send("observe"))

    `mode` is "headless", "embedded", "playwright", "remote" or "daemon". In mode "headless" (Chromium), "embedded"
    (WebKit) and "playwright" (a browser that Playwright drives) the client starts an engine as a process. In mode
    "remote" it runs a server on `port` of this computer, to which the extension in the user's own browser connects. In
    mode "daemon" the commands run in the sessions of the user's daemon, which is started if it does not run.

    `session` names the first session of a process. `binary` is the engine's program; by default the client searches for
    it. `arguments` are more options of the engine (`["--timeout", "60s"]`). `pair` is the code that the extension
    shows, needed once for each browser. `timeout` is the time limit of each call in seconds; by default calls have no
    limit, but every command has one.

    Raises `ConfigurationError` for invalid arguments. Answers of the engine raise no exception, not even `error …`."""

    def __init__(
        self,
        mode: Place = "headless",
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
        self._engine = _create_engine(mode, binary, arguments, port, pair)

    @property
    def connected(self) -> bool:
        """Whether the client was connected, and not closed since. A lost engine is started again, or waited for, when
        needed."""
        return self._connected

    async def connect(self, session_name: str | None = None) -> None:
        """Start the engine and wait until it is ready; in mode "remote", until the extension is connected.

        Raises `ConfigurationError` if the client is connected already, `EngineNotFound`, which lists the searched
        places, `EngineFailed`, `ProtocolMismatch`, `NoAnswer`."""
        if self._connected:
            raise ConfigurationError("the client is connected already", "Call close() first, or make another client.")
        self._connected = True
        try:
            await self._limited(self._engine.connect(session_name or self._session), "the engine did not get ready")
        except BaseException:
            await self.close()
            raise

    async def send(self, command: str) -> str:
        """Send one command and return the answer as the engine wrote it.

        Commands that are sent concurrently run in the order in which they were sent. A call that is cancelled cancels
        its command in the engine, and does not disturb the others.

        Raises `ConnectionLost` if the connection to the engine is lost: commands in progress are not sent again, and
        the next call starts or awaits another engine. Raises `NotConnected`, `UnexpectedInput` for a command of more
        than one line, `NoAnswer` after `timeout`, and what `connect` raises if the engine has to be started again."""
        line = require_one_line(command)
        if not self._connected:
            raise NotConnected("the client is not connected")
        return await self._limited(self._engine.ask(line), "no answer")

    async def close(self) -> None:
        """End the engine, or the server, and cancel the commands in progress. Safe to call twice."""
        self._connected = False
        await self._engine.close()

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- optional: methods that write the lines ---

    async def goto(self, url: str) -> str:
        """`goto <url>`."""
        return await self.send(goto_line(url))

    async def observe(self) -> str:
        """`observe`: the elements of the page, numbered."""
        return await self.send("observe")

    async def click(self, target: int | str) -> str:
        """`click <target>`.

        A number, and a text that is a target of the language (`@e5`, `email`, `css(".a")`), are used as that target.
        Any other text means an element with that text, and so does `quote(text)` always."""
        return await self.send(click_line(target))

    async def type(self, target: int | str, text: str) -> str:
        """`type <target> "<text>"`; `text` may contain any characters."""
        return await self.send(type_line(target, text))

    async def list_sessions(self) -> str:
        """`sessions`."""
        return await self.send("sessions")

    async def get_session(self) -> str:
        """`session`: the current one."""
        return await self.send("session")

    async def new_session(self, name: str, mode: Mode | None = None) -> str:
        """`session new <name>`; lines for that session begin with `@name`."""
        return await self.send(new_session_line(name, mode))

    async def close_session(self, name: str) -> str:
        """`session close <name>`."""
        return await self.send(close_session_line(name))

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
        from oryn.client.remote import RemoteEngine

        return RemoteEngine(port, pair)
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
