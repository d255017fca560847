"""`Oryn`: the library with a method for every command. `SyncOryn` (`oryn.client.sync.api`) is generated from it."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

from oryn.client.client import LineClient, Place
from oryn.client.commands import OrynMethods
from oryn.client.commands.caller import Target
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
    command line and other programs share. `session` names the session. `binary`, `arguments`, `port`, `pair` and
    `timeout` are as in `oryn.client.Oryn`.

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
        self._client = LineClient(
            mode, session=session, binary=binary, arguments=arguments, port=port, pair=pair, timeout=timeout
        )
        self._mode = mode
        self._own_session = session
        self._session: str | None = None
        self._raises = raises

    @property
    def connected(self) -> bool:
        """Whether the client was connected, and not closed since."""
        return self._client.connected

    async def connect(self, session_name: str | None = None) -> Self:
        """Start the engine, or find the daemon or the browser, and return the client itself.

        Raises what `oryn.client.Oryn.connect` raises."""
        await self._client.connect(session_name)
        return self

    async def close(self) -> None:
        """End the engine, or the connection. Sessions of the daemon stay open. Safe to call twice."""
        await self._client.close()

    def with_options(self, *, session: str | None = None, raises: bool | None = None) -> Self:
        """Return a client of the same engine with other options; both may be used alternately.

        session: the session that its commands run in.
        raises: whether methods raise the error of a command that fails."""
        other = copy.copy(self)
        other._session = self._session if session is None else session
        other._raises = self._raises if raises is None else raises
        return other

    async def send(self, line: str) -> str:
        """Send one line and return the answer's text, also if it is `error …`. Raises what `oryn.client.Oryn.send`
        raises."""
        return await self._client.send(line if self._session is None else f"@{self._session} {line}")

    async def run(self, line: str) -> Result[Any]:
        """Run one line of the language, such as `wait visible "Done"`, and return its result.

        Raises the command's error, unless the client was asked not to."""
        return await self._request({"line": line})

    def expect(self, target: Target) -> Expectation:
        """Return checks that wait until they are true: `await oryn.expect("Saved").to_be_visible()`."""
        return Expectation(self.with_options(raises=True), target)

    async def _call(self, action: str, arguments: Mapping[str, Any]) -> Result[Any]:
        passed = {name: value for name, value in arguments.items() if value is not None and value is not False}
        return await self._request({"action": action, "args": passed})

    async def _request(self, request: dict[str, Any]) -> Result[Any]:
        if self._session is not None:
            request["session"] = self._session
        answer = await self._client.send(json.dumps(request, default=_as_json, separators=(",", ":")))
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
