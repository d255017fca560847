"""`SyncOryn`: the library with a method for every command, for programs without an event loop.

Generated from `client.py` and `expectation.py` by `scripts/clients`, whose `sync.py` says why; change those."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

from oryn.client._generated.sync import SyncOrynMethods
from oryn.client.caller import Target
from oryn.client.client import Oryn
from oryn.client.connection import Mode, Place
from oryn.client.expectation import DEFAULT_SECONDS, Expectation
from oryn.client.loop_thread import LoopThread
from oryn.client.result import Result


class SyncOryn(SyncOrynMethods):
    """A browser with a method for every command.

        with SyncOryn() as oryn:
            oryn.goto("example.com")
            oryn.click("Learn more")
            title = oryn.title()
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
        self._oryn = Oryn(
            mode,
            session=session,
            binary=binary,
            arguments=arguments,
            port=port,
            pair=pair,
            timeout=timeout,
            raises=raises,
        )
        self._loop = LoopThread(lambda: self._oryn.connected)

    @property
    def connected(self) -> bool:
        """Whether the client was connected, and not closed since. A lost engine is started again, or waited for, when
        needed."""
        return self._oryn.connected

    def connect(self, session_name: str | None = None) -> Self:
        """Start the engine, or find the daemon or the browser, and return the client itself.

        Raises `ConfigurationError` if the client is connected already, `EngineNotFound`, which lists the searched
        places, `EngineFailed`, `ProtocolMismatch`, `NoAnswer`; in mode "remote" why a browser was
        rejected."""
        self._loop.run(self._oryn.connect(session_name))
        return self

    def close(self) -> None:
        """End the engine, or the connection. Sessions of the daemon stay open. Safe to call twice."""
        return self._loop.run(self._oryn.close())

    def with_options(self, *, session: str | None = None, raises: bool | None = None) -> Self:
        """Return a client of the same engine with other options; both may be used alternately.

        session: the session that its commands run in.
        raises: whether methods raise the error of a command that fails."""
        other = copy.copy(self)
        other._oryn = self._oryn.with_options(session=session, raises=raises)
        return other

    def send(self, line: str) -> str:
        """Send one line and return the answer's text as the engine wrote it, also if it is `error …`.

        Commands that are sent concurrently run in the order in which they were sent. A call that is cancelled cancels
        its command in the engine, and does not disturb the others.

        Raises `ConnectionLost` if the connection to the engine is lost: commands in progress are not sent again, and
        the next call starts or awaits another engine. Raises `NotConnected`, `UnexpectedInput` for a command of more
        than one line, `NoAnswer` after `timeout`, and what `connect` raises if the engine has to be started again."""
        return self._loop.run(self._oryn.send(line))

    def run(self, line: str) -> Result[Any]:
        """Run one line of the language, such as `wait visible "Done"`, and return its result.

        Raises the command's error, unless the client was asked not to."""
        return self._loop.run(self._oryn.run(line))

    def expect(self, target: Target) -> SyncExpectation:
        """Return checks that wait until they are true: `oryn.expect("Saved").to_be_visible()`."""
        return SyncExpectation(self._oryn.expect(target), self._loop)

    def list_sessions(self) -> Result[Any]:
        """List the sessions: `sessions`."""
        return self._loop.run(self._oryn.list_sessions())

    def get_session(self) -> Result[Any]:
        """Show the current session: `session`."""
        return self._loop.run(self._oryn.get_session())

    def new_session(self, name: str, mode: Mode | None = None) -> Result[Any]:
        """Start a session: `session new <name>`."""
        return self._loop.run(self._oryn.new_session(name, mode))

    def close_session(self, name: str) -> Result[Any]:
        """End a session: `session close <name>`."""
        return self._loop.run(self._oryn.close_session(name))

    def _call(self, action: str, arguments: Mapping[str, Any]) -> Result[Any]:
        return self._loop.run(self._oryn._call(action, arguments))

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return repr(self._oryn).replace("<Oryn", "<SyncOryn", 1)


class SyncExpectation:
    """What is expected of an element. Each method waits until it is true, for at most `timeout` seconds (5).

    The methods raise `Timeout`, which says what is there instead, or the error of the command, such as
    `SelectorInvalid`."""

    def __init__(self, expectation: Expectation, loop: LoopThread) -> None:
        self._oryn = expectation
        self._loop = loop

    def to_be_visible(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element or text is visible."""
        return self._loop.run(self._oryn.to_be_visible(timeout=timeout))

    def to_be_hidden(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element is hidden, or there is no such element."""
        return self._loop.run(self._oryn.to_be_hidden(timeout=timeout))

    def to_be_enabled(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element can be used."""
        return self._loop.run(self._oryn.to_be_enabled(timeout=timeout))

    def to_be_disabled(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element can't be used."""
        return self._loop.run(self._oryn.to_be_disabled(timeout=timeout))

    def to_exist(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until there is such an element or text."""
        return self._loop.run(self._oryn.to_exist(timeout=timeout))

    def to_be_gone(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until there is no such element or text any more."""
        return self._loop.run(self._oryn.to_be_gone(timeout=timeout))

    def to_be_checked(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the box is checked."""
        return self._loop.run(self._oryn.to_be_checked(timeout=timeout))

    def to_be_focused(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element has the focus."""
        return self._loop.run(self._oryn.to_be_focused(timeout=timeout))

    def to_have_text(self, text: str, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element's text contains `text`."""
        return self._loop.run(self._oryn.to_have_text(text, timeout=timeout))

    def to_have_value(self, value: str, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the field's value is `value`."""
        return self._loop.run(self._oryn.to_have_value(value, timeout=timeout))

    def to_have_count(self, count: int, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until there are exactly `count` such elements or texts."""
        return self._loop.run(self._oryn.to_have_count(count, timeout=timeout))
