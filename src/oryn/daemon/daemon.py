"""`Daemon`: one host of sessions for all programs of a user, and what it is made of."""

from __future__ import annotations

import os
import time

from oryn import __version__
from oryn.daemon.access import token_in
from oryn.daemon.dispatch import Dispatcher
from oryn.daemon.events import Events, now
from oryn.daemon.history import History
from oryn.daemon.links import Links
from oryn.daemon.pictures import Pictures
from oryn.daemon.protocol import SessionStatus, Status
from oryn.host.opening import sessions_of
from oryn.paths import private_folder
from oryn.settings import Configuration


class Daemon:
    """Made of the settings; nothing is opened yet."""

    def __init__(self, configuration: Configuration) -> None:
        settings, folder = configuration.settings, private_folder(configuration.paths.daemon)
        self.configuration = configuration
        self.token = token_in(folder)
        self.events = Events()
        self.history = History(folder)
        self.sessions = sessions_of(configuration)
        self.dispatcher = Dispatcher(
            self.sessions,
            self.history,
            self.events,
            most_commands=settings.most_commands,
            most_sessions=settings.most_sessions,
        )
        self.links = Links()
        self.pictures = Pictures(self.sessions, self.events)
        self.port: int | None = None
        self.socket: str | None = None
        self._started, self._begun = now(), time.monotonic()

    def status(self) -> Status:
        return Status(
            version=__version__,
            pid=os.getpid(),
            port=self.port,
            socket=self.socket,
            started=self._started,
            uptime_s=round(time.monotonic() - self._begun, 1),
            commands=self.dispatcher.answered,
            running=len(self.dispatcher.running),
            memory_mb=_memory(),
            history=self.history.failing,
            extension=False,
            sessions=[
                SessionStatus(name=one.name, mode=one.mode, started=one.started, state="running")
                for one in self.sessions.known()
                if one.process is None
            ],
        )

    async def close(self) -> None:
        """End the sessions' browsers and tell whoever listens that nothing more comes."""
        self.events.close()
        await self.sessions.close()


def _memory() -> float | None:
    """Megabytes that this process holds."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return round(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
    except (OSError, ValueError):
        return None
