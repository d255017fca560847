"""`Daemon`: one host of sessions for all programs of a user, and what it is made of."""

from __future__ import annotations

import asyncio
import logging
import os
import time

from oryn import __version__
from oryn.daemon.access import token_in
from oryn.daemon.dispatch import Dispatcher
from oryn.daemon.events import Events, now
from oryn.daemon.extension import Door
from oryn.daemon.history import History
from oryn.daemon.hosting import Hosting
from oryn.daemon.links import Links
from oryn.daemon.mcp import Assistants
from oryn.daemon.pictures import Pictures
from oryn.daemon.protocol import SessionStatus, Status
from oryn.daemon.reader import Reader
from oryn.daemon.sight import page_of
from oryn.host.opening import CLOSING_LIMIT, sessions_of
from oryn.paths import private_folder
from oryn.settings import Configuration

log = logging.getLogger(__name__)


class Daemon:
    """Made of the settings; nothing is opened yet."""

    def __init__(self, configuration: Configuration) -> None:
        settings, folder = configuration.settings, private_folder(configuration.paths.daemon)
        self.configuration = configuration
        self.token = token_in(folder)
        self.events = Events()
        self.history = History(folder)
        self.history.recover()
        self.door = Door(configuration.paths, self.events)
        self.sessions = sessions_of(configuration, keep=True, extensions=self.door.extensions)
        self.dispatcher = Dispatcher(
            self.sessions,
            self.history,
            self.events,
            Hosting(self.sessions, configuration),
            most_commands=settings.most_commands,
            most_sessions=settings.most_sessions,
        )
        self.reader = Reader()
        self.links = Links()
        self.assistants = Assistants(self)
        self.pictures = Pictures(self.sessions, self.events)
        self.port: int | None = None
        self.socket: str | None = None
        self._started, self._begun = now(), time.monotonic()
        self._stopping = asyncio.Event()

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
            extension=self.door.extensions.any_connected,
            sessions=[
                SessionStatus(
                    name=one.name,
                    mode=one.mode,
                    started=one.started,
                    state="dormant" if one.dormant else "running",
                    **self._shown(one.name),
                )
                for one in self.sessions.own()
            ],
        )

    # --- its end ---

    def stop(self, reason: str) -> None:
        """Have it end soon: `stopped` returns."""
        if not self._stopping.is_set():
            log.info("ending: %s", reason)
            self._stopping.set()

    async def stopped(self) -> None:
        """Wait until it shall end: until somebody says so, or for `idle_stop` nothing was to do.

        A command under way, whoever listens to the events, and an extension that is connected keep it; open sessions
        don't, for they come back."""
        limit = self.configuration.settings.idle_stop
        while True:
            left = self.dispatcher.latest + limit - time.monotonic()
            if self.dispatcher.running or self.events.listeners or self.door.extensions.any_connected:
                left = limit
            elif left <= 0:
                self.stop(f"nothing was to do for {limit:g} s")
            try:
                async with asyncio.timeout(left):
                    await self._stopping.wait()
                    return
            except TimeoutError:
                continue

    async def end_commands(self) -> None:
        """Take no more commands; give those under way a short time, and then end them too."""
        await self.dispatcher.end()

    def _shown(self, name: str) -> dict[str, str | None]:
        """The page that a session shows, as far as nobody need be asked."""
        session = self.sessions.get(name)
        return dict(zip(("url", "title"), page_of(session), strict=True)) if session else {}

    async def close(self) -> None:
        """End the sessions' browsers and tell whoever listens that nothing more comes."""
        self.door.extensions.end()
        await self.assistants.close()
        await self.reader.close()
        self.events.close()
        await self.dispatcher.hosting.close()
        try:
            async with asyncio.timeout(CLOSING_LIMIT):
                await self.sessions.close()
        except TimeoutError:
            log.warning("the browsers did not end within %g s", CLOSING_LIMIT)
        self.history.close()


def _memory() -> float | None:
    """Megabytes that this process holds."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return round(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
    except (OSError, ValueError):
        return None
