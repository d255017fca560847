"""`SyncOryn`: the client library for programs without an event loop.

Generated from `library.py` by `scripts/blocking_client.py`, which says why; change those."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Self

from oryn.client.library import Mode, Oryn
from oryn.client.loop_thread import LoopThread


class SyncOryn:
    """A browser that is driven in the Intent Language.

        with SyncOryn() as oryn:
            oryn.send("goto example.com")
            print(oryn.send("observe"))

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
        self._oryn = Oryn(
            mode, session=session, binary=binary, arguments=arguments, port=port, pair=pair, timeout=timeout
        )
        self._loop = LoopThread(lambda: self._oryn.connected)

    @property
    def connected(self) -> bool:
        """Whether it was connected, and not closed since. An engine that was lost is started or awaited again."""
        return self._oryn.connected

    def connect(self, session_name: str | None = None) -> None:
        """Start the engine and wait until it is ready; in mode "remote", until the extension is connected.

        Raises `EngineNotFound`, which says where it was looked for, `EngineFailed`, `ProtocolMismatch`, `NoAnswer`."""
        return self._loop.run(self._oryn.connect(session_name))

    def send(self, command: str) -> str:
        """The answer to one command, as the engine wrote it. Commands that are sent at once are done in the order in
        which they were sent; one that is cancelled does not disturb the others, and may be done nevertheless.

        Raises `ConnectionLost` where the engine went away: what was under way is not sent again, and the next call
        starts or awaits another. Raises `NotConnected`, `UnexpectedInput` for a command that is more than a line,
        `NoAnswer` after `timeout`, and what `connect` does where it has to start again."""
        return self._loop.run(self._oryn.send(command))

    def close(self) -> None:
        """End the engine, or the server, and with it what is under way. Safe to call twice."""
        return self._loop.run(self._oryn.close())

    def goto(self, url: str) -> str:
        """`goto <url>`."""
        return self._loop.run(self._oryn.goto(url))

    def observe(self) -> str:
        """`observe`: the elements of the page, numbered."""
        return self._loop.run(self._oryn.observe())

    def click(self, target: int | str) -> str:
        """`click <target>`. A number, and what is a target of the language (`@e5`, `email`, `css(".a")`), are that; any
        other text is the text of an element, and `quote(text)` always is."""
        return self._loop.run(self._oryn.click(target))

    def type(self, target: int | str, text: str) -> str:
        """`type <target> "<text>"`, whatever the text is."""
        return self._loop.run(self._oryn.type(target, text))

    def list_sessions(self) -> str:
        """`sessions`."""
        return self._loop.run(self._oryn.list_sessions())

    def get_session(self) -> str:
        """`session`: the current one."""
        return self._loop.run(self._oryn.get_session())

    def new_session(self, name: str, mode: Mode | None = None) -> str:
        """`session new <name>`; lines for it begin with `@name`."""
        return self._loop.run(self._oryn.new_session(name, mode))

    def close_session(self, name: str) -> str:
        """`session close <name>`."""
        return self._loop.run(self._oryn.close_session(name))

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
