"""`PeerSessions`: sessions of the user's other processes, and the server by which those processes reach the sessions of
this host."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from oryn.core.records import Record

# Modules that reach other processes are imported when they are used, as a host should start fast.
if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.sessions.registry import RegisteredSession, SessionRegistration
    from oryn.sessions.registry_db import RegistryRow, RegistryWriter
    from oryn.sessions.server import LocalSessions, SessionServer
    from oryn.system.paths import Paths

_ANSWER_WRITE_SECONDS = 0.02


class SessionEntry(Record, frozen=False):
    """A session of this host and its registration for other processes.

    `started` is in UTC (ISO 8601), `settings` are those in which the session differs from the host."""

    session: Session
    registration: SessionRegistration | None
    started: str
    settings: Mapping[str, Any]
    family: str
    """The name of the session with limits whose lines, or those of its family, opened this session; else the session's
    own name."""


class PeerSessions:
    """The connection between this host's sessions and those of other processes.

    `sessions` are the host's own, `entries` returns their current entries. Without `paths`, this host's sessions are
    not published, and no others are found."""

    def __init__(
        self, sessions: LocalSessions, entries: Callable[[], Iterable[SessionEntry]], paths: Paths | None
    ) -> None:
        self._sessions = sessions
        self._own_entries = entries
        self._paths = paths
        self._server: SessionServer | None = None
        self._start_task: asyncio.Task[None] | None = None
        self._registry_writer: RegistryWriter | None = None
        self._busy = 0
        self._closed = False

    # --- their sessions ---

    def listed(self) -> Iterator[RegisteredSession]:
        """The running sessions of other processes."""
        if self._paths is None:
            return iter(())
        from oryn.sessions.registry import running

        return (one for one in running(self._paths.sessions) if one.process != os.getpid())

    def find(self, name: str) -> RegisteredSession | None:
        """The session of this name in another process; None if there is no such session."""
        return next((one for one in self.listed() if one.name == name), None)

    # --- sessions of this host ---

    def register(self, name: str) -> SessionRegistration | None:
        """Enter a session of this host into the registry; None if that failed."""
        if self._paths is None:
            return None
        from oryn.sessions.registry import register

        return register(self._paths.sessions, name)

    def publish(self, entry: SessionEntry) -> None:
        """Write to the registry how other processes reach this session, if the server runs."""
        if self._server is not None and entry.registration is not None:
            mode = entry.session.browser.mode
            entry.registration.publish(mode=mode, started=entry.started, socket=self._server.path)

    @contextmanager
    def deferring_server(self) -> Iterator[None]:
        """Start the server for other processes only after the block, which runs a command of this host's own caller."""
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            self.start_server()

    def start_server(self) -> None:
        """Start the server for other processes, unless a command of this host's own caller runs: that one waits for the
        browser's start already. Has no effect after `stop_server`."""
        if self._registry_writer is not None:
            self._registry_writer.schedule()
        if self._paths is None or self._start_task is not None or self._busy or self._closed:
            return
        self._start_task = asyncio.create_task(self._serve(self._paths))

    async def _serve(self, paths: Paths) -> None:
        # Another thread is about to write the answer; an import would block it.
        await asyncio.sleep(_ANSWER_WRITE_SECONDS)
        from oryn.sessions.server import SessionServer

        self._server = server = SessionServer(self._sessions, paths.runtime)
        await server.open()
        for entry in self._own_entries():
            self.publish(entry)
        from oryn.sessions.registry_db import FILE, RegistryDatabase, RegistryWriter

        self._registry_writer = RegistryWriter(RegistryDatabase(paths.data / FILE), self._rows)
        self._registry_writer.schedule()

    def _rows(self) -> Iterator[RegistryRow]:
        """The rows of this host's registered sessions."""
        from oryn.sessions.registry_db import RegistryRow

        for entry in self._own_entries():
            if entry.registration is not None:
                name, browser = entry.session.name, entry.session.browser.info
                yield RegistryRow(name, browser.profile, os.getpid(), browser.endpoint, browser.headful, entry.started)

    async def stop_server(self) -> None:
        """Close the server for other processes, and do not start another one."""
        self._closed = True
        if self._start_task is not None:
            self._start_task.cancel()
            await asyncio.wait([self._start_task])
        if self._server is not None:
            await self._server.close()

    async def close(self) -> None:
        """Write the last state of the registry. Call it when the sessions are closed."""
        if self._registry_writer is not None:
            await self._registry_writer.close()
