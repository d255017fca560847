"""`SyncLineClient`: the client of lines for programs without an event loop. It is called `SyncOryn` in
`oryn.client`.

Generated from `client.py` by `scripts/clients`, whose `sync.py` says why; change those."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Self

from oryn.client.client import LineClient, Mode, Place
from oryn.client.loop_thread import LoopThread


class SyncLineClient:
    """A browser that is driven in the Intent Language.

        with SyncOryn() as oryn:
            oryn.send("goto example.com")
            print(oryn.send("observe"))

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
        self._oryn = LineClient(
            mode, session=session, binary=binary, arguments=arguments, port=port, pair=pair, timeout=timeout
        )
        self._loop = LoopThread(lambda: self._oryn.connected)

    @property
    def connected(self) -> bool:
        """Whether the client was connected, and not closed since. A lost engine is started again, or waited for, when
        needed."""
        return self._oryn.connected

    def connect(self, session_name: str | None = None) -> None:
        """Start the engine and wait until it is ready; in mode "remote", until the extension is connected.

        Raises `ConfigurationError` if the client is connected already, `EngineNotFound`, which lists the searched
        places, `EngineFailed`, `ProtocolMismatch`, `NoAnswer`."""
        return self._loop.run(self._oryn.connect(session_name))

    def send(self, command: str) -> str:
        """Send one command and return the answer as the engine wrote it.

        Commands that are sent concurrently run in the order in which they were sent. A call that is cancelled cancels
        its command in the engine, and does not disturb the others.

        Raises `ConnectionLost` if the connection to the engine is lost: commands in progress are not sent again, and
        the next call starts or awaits another engine. Raises `NotConnected`, `UnexpectedInput` for a command of more
        than one line, `NoAnswer` after `timeout`, and what `connect` raises if the engine has to be started again."""
        return self._loop.run(self._oryn.send(command))

    def close(self) -> None:
        """End the engine, or the server, and cancel the commands in progress. Safe to call twice."""
        return self._loop.run(self._oryn.close())

    def goto(self, url: str) -> str:
        """`goto <url>`."""
        return self._loop.run(self._oryn.goto(url))

    def observe(self) -> str:
        """`observe`: the elements of the page, numbered."""
        return self._loop.run(self._oryn.observe())

    def click(self, target: int | str) -> str:
        """`click <target>`.

        A number, and a text that is a target of the language (`@e5`, `email`, `css(".a")`), are used as that target.
        Any other text means an element with that text, and so does `quote(text)` always."""
        return self._loop.run(self._oryn.click(target))

    def type(self, target: int | str, text: str) -> str:
        """`type <target> "<text>"`; `text` may contain any characters."""
        return self._loop.run(self._oryn.type(target, text))

    def list_sessions(self) -> str:
        """`sessions`."""
        return self._loop.run(self._oryn.list_sessions())

    def get_session(self) -> str:
        """`session`: the current one."""
        return self._loop.run(self._oryn.get_session())

    def new_session(self, name: str, mode: Mode | None = None) -> str:
        """`session new <name>`; lines for that session begin with `@name`."""
        return self._loop.run(self._oryn.new_session(name, mode))

    def close_session(self, name: str) -> str:
        """`session close <name>`."""
        return self._loop.run(self._oryn.close_session(name))

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
