"""`Others`: the other processes of a user. Which sessions they have, and how they come to those of this host."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

# What reaches other processes is imported when it does: the start of a host is in a hurry.
if TYPE_CHECKING:
    from oryn.paths import Paths
    from oryn.sessions.members import Member
    from oryn.sessions.registry import Listed, Registration
    from oryn.sessions.server import Server
    from oryn.sessions.sessions import Sessions
    from oryn.sessions.store import Recording, Row

_TIME_TO_WRITE = 0.02


class Others:
    """`members` are the host's own sessions as they are now. Without `paths` there is nobody else."""

    def __init__(self, sessions: Sessions, members: Callable[[], Iterable[Member]], paths: Paths | None) -> None:
        self._sessions = sessions
        self._members = members
        self._paths = paths
        self._server: Server | None = None
        self._opening: asyncio.Task[None] | None = None
        self._recording: Recording | None = None
        self._busy = 0
        self._closed = False

    # --- their sessions ---

    def listed(self) -> Iterator[Listed]:
        if self._paths is None:
            return iter(())
        from oryn.sessions.registry import running

        return (one for one in running(self._paths.sessions) if one.process != os.getpid())

    def find(self, name: str) -> Listed | None:
        return next((one for one in self.listed() if one.name == name), None)

    # --- ours ---

    def register(self, name: str) -> Registration | None:
        """Put a session of ours on the list."""
        if self._paths is None:
            return None
        from oryn.sessions.registry import register

        return register(self._paths.sessions, name)

    def tell(self, member: Member) -> None:
        if self._server is not None and member.registration is not None:
            mode = member.session.browser.mode
            member.registration.tell(mode=mode, started=member.started, socket=self._server.path)

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Something is to be done for our own caller; others are let in afterwards."""
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            self.open_door()

    def open_door(self) -> None:
        """Let other processes send commands from now on: once nothing is to be done for our own caller, who waits for
        the browser's start and for the first answer as it is."""
        if self._recording is not None:
            self._recording.look()
        if self._paths is None or self._opening is not None or self._busy or self._closed:
            return
        self._opening = asyncio.create_task(self._serve(self._paths))

    async def _serve(self, paths: Paths) -> None:
        # The answer is only about to be written, by a thread that an import would keep from it.
        await asyncio.sleep(_TIME_TO_WRITE)
        from oryn.sessions.server import Server

        self._server = server = Server(self._sessions, paths.runtime)
        await server.open()
        for member in self._members():
            self.tell(member)
        from oryn.sessions.store import FILE, Recording, SessionStore

        self._recording = Recording(SessionStore(paths.data / FILE), self._rows)
        self._recording.look()

    def _rows(self) -> Iterator[Row]:
        """The sessions that are listed, for the record."""
        from oryn.sessions.store import Row

        for member in self._members():
            if member.registration is not None:
                name, place = member.session.name, member.session.browser.place
                yield Row(name, place.profile, os.getpid(), place.endpoint, place.headful, member.started)

    async def shut(self) -> None:
        """Let nobody in any more."""
        self._closed = True
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait([self._opening])
        if self._server is not None:
            await self._server.close()

    async def end(self) -> None:
        """Our sessions are closed."""
        if self._recording is not None:
            await self._recording.close()
