"""`Oryn`: the library with a method for every command. `SyncOryn` (`oryn.client._generated.sync.client`)
is generated from it."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

from oryn.client._generated import OrynMethods
from oryn.client.caller import Target
from oryn.client.connection import EngineConnection, Mode, Place
from oryn.client.expectation import Expectation
from oryn.client.result import Result
from oryn.errors import ProtocolMismatch


class Oryn(OrynMethods):
    """A browser with a method for every command.

        async with Oryn() as oryn:
            await oryn.goto("example.com")
            await oryn.click("Learn more")
            title = await oryn.title()
            print(title.data)

    Methods return a `Result` with `text`, `data` and `changes`, and raise the error of a command that fails. With
    `raises=False` they return the result of a failed command too, with its `error`.

    `mode` is "headless" (an engine of its own, with Chromium), "embedded" (WebKit), "playwright" (a browser that
    Playwright drives), "remote" (the user's own browser) or "daemon": the sessions of the user's daemon, which the
    command line and other programs share; it is started if it does not run. In the first three modes the client starts
    an engine as a process; in mode "remote" it runs a server on `port` of this computer, to which the extension
    connects.

    `session` names the session. `binary` is the engine's program; by default the client searches for it. `arguments`
    are more options of the engine (`["--timeout", "60s"]`). `pair` is the code that the extension shows, needed once
    for each browser. `timeout` is the time limit of each call in seconds; by default calls have no limit, but every
    command has one.

    Raises `ConfigurationError` for invalid arguments."""

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
        raises: bool = True,
    ) -> None:
        self._connection = EngineConnection(
            mode, session=session, binary=binary, arguments=arguments, port=port, pair=pair, timeout=timeout
        )
        self._mode = mode
        self._own_session = session
        self._session: str | None = None
        self._raises = raises

    @property
    def connected(self) -> bool:
        """Whether the client was connected, and not closed since. A lost engine is started again, or waited for, when
        needed."""
        return self._connection.connected

    async def connect(self, session_name: str | None = None) -> Self:
        """Start the engine, or find the daemon or the browser, and return the client itself.

        Raises `ConfigurationError` if the client is connected already, `EngineNotFound`, which lists the searched
        places, `EngineFailed`, `ProtocolMismatch`, `NoAnswer`; in mode "remote" why a browser was
        rejected."""
        await self._connection.connect(session_name)
        return self

    async def close(self) -> None:
        """End the engine, or the connection. Sessions of the daemon stay open. Safe to call twice."""
        await self._connection.close()

    def with_options(self, *, session: str | None = None, raises: bool | None = None) -> Self:
        """Return a client of the same engine with other options; both may be used alternately.

        session: the session that its commands run in.
        raises: whether methods raise the error of a command that fails."""
        other = copy.copy(self)
        other._session = self._session if session is None else session
        other._raises = self._raises if raises is None else raises
        return other

    async def send(self, line: str) -> str:
        """Send one line and return the answer's text as the engine wrote it, also if it is `error …`.

        Commands that are sent concurrently run in the order in which they were sent. A call that is cancelled cancels
        its command in the engine, and does not disturb the others.

        Raises `ConnectionLost` if the connection to the engine is lost: commands in progress are not sent again, and
        the next call starts or awaits another engine. Raises `NotConnected`, `UnexpectedInput` for a command of more
        than one line, `NoAnswer` after `timeout`, and what `connect` raises if the engine has to be started again."""
        return await self._connection.send(line if self._session is None else f"@{self._session} {line}")

    async def run(self, line: str) -> Result[Any]:
        """Run one line of the language, such as `wait visible "Done"`, and return its result.

        Raises the command's error, unless the client was asked not to."""
        return await self._request({"line": line})

    def expect(self, target: Target) -> Expectation:
        """Return checks that wait until they are true: `await oryn.expect("Saved").to_be_visible()`."""
        return Expectation(self.with_options(raises=True), target)

    # --- the names that clients in every language have for these commands (docs/spec/line-protocol.md#clients) ---

    async def list_sessions(self) -> Result[Any]:
        """List the sessions: `sessions`."""
        return await self.sessions()

    async def get_session(self) -> Result[Any]:
        """Show the current session: `session`."""
        return await self.session()

    async def new_session(self, name: str, mode: Mode | None = None) -> Result[Any]:
        """Start a session: `session new <name>`."""
        return await self.session_new(name, mode=mode)

    async def close_session(self, name: str) -> Result[Any]:
        """End a session: `session close <name>`."""
        return await self.session_close(name)

    async def _call(self, action: str, arguments: Mapping[str, Any]) -> Result[Any]:
        passed = {name: value for name, value in arguments.items() if value is not None and value is not False}
        return await self._request({"action": action, "args": passed})

    async def _request(self, request: dict[str, Any]) -> Result[Any]:
        if self._session is not None:
            request["session"] = self._session
        answer = await self._connection.send(json.dumps(request, default=_as_json, separators=(",", ":")))
        try:
            result = Result.of_record(json.loads(answer))
        except (ValueError, KeyError, TypeError):
            raise ProtocolMismatch(
                "the engine does not answer requests", "It is older than this library: update it."
            ) from None
        if result.error is not None:
            result.error.target = request.get("args", {}).get("target")
            if self._raises:
                raise result.error
        return result

    async def __aenter__(self) -> Self:
        return await self.connect()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        name = self._session or self._own_session
        parts = [repr(self._mode), *([f"session={name!r}"] if name else [])]
        return f"<{type(self).__name__} {' '.join(parts)} {'connected' if self.connected else 'not connected'}>"


def _as_json(value: Any) -> Any:
    """Return JSON data for an argument of another type: a path, a mapping, a sequence."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"an argument can't be a {type(value).__name__}")
