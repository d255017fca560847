"""`Daemon`: one host of sessions for all programs of a user, and its components."""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import time

from oryn import __version__
from oryn.browsers.chromium.machine_limits import has_sandbox
from oryn.daemon.dispatcher import Dispatcher
from oryn.daemon.event_bus import EventBus
from oryn.daemon.events import utc_now
from oryn.daemon.extension_endpoint import ExtensionEndpoint
from oryn.daemon.history.log import ActionHistory
from oryn.daemon.host_commands import HostCommands
from oryn.daemon.http.middleware import load_token
from oryn.daemon.live.login_links import OneTimeLinks
from oryn.daemon.live.page_state import url_and_title
from oryn.daemon.live.screencasts import ScreencastHub
from oryn.daemon.login.interactive import awaited_login
from oryn.daemon.mcp_endpoint import DaemonHost, McpEndpoint
from oryn.daemon.protocol import DaemonStatus, QueuedCommand, SessionStatus
from oryn.daemon.request.parser_pool import RequestParserPool
from oryn.hosts.session_factory import CLOSE_TIMEOUT_SECONDS, sessions_of
from oryn.settings import Configuration
from oryn.system.daemon_paths import PERSON_KEY_FILE
from oryn.system.paths import private_folder

log = logging.getLogger(__name__)


class Daemon:
    """The daemon's components, created from the settings. Creating them opens no port and starts no browser."""

    def __init__(self, configuration: Configuration) -> None:
        settings, folder = configuration.settings, private_folder(configuration.paths.daemon)
        self.configuration = configuration
        self.token = load_token(folder)
        self._person_key = load_token(folder, PERSON_KEY_FILE)
        self.events = EventBus()
        self.history = ActionHistory(folder)
        self.history.recover()
        self.extension_endpoint = ExtensionEndpoint(configuration.paths, self.events)
        self.sessions = sessions_of(configuration, keep=True, extensions=self.extension_endpoint.extensions)
        self.dispatcher = Dispatcher(
            self.sessions,
            self.history,
            self.events,
            HostCommands(self.sessions, configuration, self.events),
            max_commands=settings.max_commands,
            max_sessions=settings.max_sessions,
        )
        self.request_parser = RequestParserPool()
        self.login_links = OneTimeLinks()
        self.mcp_endpoint = McpEndpoint(DaemonHost(self.dispatcher, self.request_parser), self.request_parser)
        self.screencasts = ScreencastHub(self.sessions, self.events)
        self.port: int | None = None
        self.socket: str | None = None
        self._started, self._started_monotonic = utc_now(), time.monotonic()
        self._stopping = asyncio.Event()

    def status(self) -> DaemonStatus:
        """The answer of `GET /status`. `uptime_s` is in seconds, `memory_mb` in megabytes; sessions of other processes
        are not in it."""
        now = time.perf_counter()
        return DaemonStatus(
            version=__version__,
            pid=os.getpid(),
            port=self.port,
            socket=self.socket,
            started=self._started,
            uptime_s=round(time.monotonic() - self._started_monotonic, 1),
            commands=self.dispatcher.answered,
            running=len(self.dispatcher.running),
            memory_mb=_memory_megabytes(),
            history=self.history.failing,
            extension=self.extension_endpoint.extensions.any_connected,
            sandbox=has_sandbox(self.configuration.settings.sandbox),
            sessions=[
                SessionStatus(
                    name=one.name,
                    mode=one.mode,
                    started=one.started,
                    state="dormant" if one.dormant else "running",
                    queue=[
                        QueuedCommand(action=each.action, seconds=round(now - each.started, 3))
                        for each in self.dispatcher.queue_of(one.name)
                    ],
                    **({"url": one.url} if one.dormant else self._page_fields(one.name)),
                )
                for one in self.sessions.own()
            ],
        )

    def is_person(self, key: str) -> bool:
        """Whether a request with this key comes from a person, who may approve what an agent's command waits for."""
        return hmac.compare_digest(key.encode("utf-8", "replace"), self._person_key.encode())

    # --- shutdown ---

    def stop(self, reason: str) -> None:
        """Request the daemon's end: `wait_stopped` returns. `reason` is for the log."""
        if not self._stopping.is_set():
            log.info("ending: %s", reason)
            self._stopping.set()

    async def wait_stopped(self) -> None:
        """Wait until `stop` is called, or until the daemon has been idle for `idle_stop` seconds.

        A running command, a subscriber to the events and a connected extension keep the daemon running. Open sessions
        don't, as they are restored later."""
        limit = self.configuration.settings.idle_stop
        while True:
            left = self.dispatcher.last_activity + limit - time.monotonic()
            if self.dispatcher.running or self.events.listeners or self.extension_endpoint.extensions.any_connected:
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
        """Reject further commands; give the running ones a short time, then cancel them."""
        await self.dispatcher.end()

    def _page_fields(self, name: str) -> dict[str, str | None]:
        """What a session shows, and whether a person has it or is to log in, without a request to the browser."""
        session = self.sessions.get(name)
        if session is None:
            return {}
        url, title = url_and_title(session)
        takeover = session.control.takeover
        return {
            "url": url,
            "title": title,
            "taken_over": takeover.since if takeover else None,
            "login": awaited_login(session),
        }

    async def close(self) -> None:
        """Close all components: the sessions and their browsers, the parsers, the history; and end the event
        streams."""
        self.extension_endpoint.extensions.end()
        await self.mcp_endpoint.close()
        await self.request_parser.close()
        self.events.close()
        await self.dispatcher.host_commands.close()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_SECONDS):
                await self.sessions.close()
        except TimeoutError:
            log.warning("the browsers did not end within %g s", CLOSE_TIMEOUT_SECONDS)
        self.history.close()


def _memory_megabytes() -> float | None:
    """The resident memory of this process in megabytes; None if the platform does not report it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return round(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
    except (OSError, ValueError):
        return None
