"""`Daemon`: one host of sessions for all programs of a user, and its components."""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import re
import socket
import time
from collections.abc import Collection, Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn import __version__
from oryn.browsers.chromium.machine_limits import has_sandbox
from oryn.browsers.process.browser_process import RUNNING
from oryn.browsers.process.process_tree import memory_of_tree
from oryn.daemon.access.audit import changed_settings
from oryn.daemon.access.gate import Gate
from oryn.daemon.access.principals import OWNER
from oryn.daemon.dispatcher import Dispatcher
from oryn.daemon.event_bus import EventBus
from oryn.daemon.events import utc_now
from oryn.daemon.extension_endpoint import ExtensionEndpoint
from oryn.daemon.history.log import ActionHistory
from oryn.daemon.host_commands import HostCommands
from oryn.daemon.http.middleware import load_token
from oryn.daemon.http.tls import server_context
from oryn.daemon.live.login_links import OneTimeLinks
from oryn.daemon.live.page_state import url_and_title
from oryn.daemon.live.screencasts import ScreencastHub
from oryn.daemon.login.interactive import awaited_login
from oryn.daemon.mcp_endpoint import DaemonHost, McpEndpoint
from oryn.daemon.protocol import BrowserStatus, DaemonStatus, ProviderStatus, QueuedCommand, SessionStatus
from oryn.daemon.readiness import DRAINING, ENDING, RECORDS, Readiness
from oryn.daemon.request.parser_pool import RequestParserPool
from oryn.errors import ConfigurationError, RecordsUnavailable
from oryn.hosts.browser_factory import BrowserFactory
from oryn.hosts.session_factory import CLOSE_TIMEOUT_SECONDS, sessions_of
from oryn.settings import Configuration
from oryn.system.daemon_paths import PERSON_KEY_FILE
from oryn.system.optional_dependencies import require_extra
from oryn.system.paths import MAX_SESSION_NAME_CHARACTERS, private_folder

if TYPE_CHECKING:
    from oryn.daemon.cluster.history import ClusterHistory
    from oryn.daemon.cluster.member import ClusterMember
    from oryn.daemon.cluster.relay import Relay
    from oryn.daemon.metrics.prometheus import DaemonMetrics
    from oryn.daemon.metrics.tracing import CommandTracer

log = logging.getLogger(__name__)


class Daemon:
    """The daemon's components, created from the settings. Creating them opens no port and starts no browser."""

    def __init__(self, configuration: Configuration) -> None:
        settings, folder = configuration.settings, private_folder(configuration.paths.daemon)
        self.configuration = configuration
        self.tls = server_context(settings)
        self._person_key = load_token(folder, PERSON_KEY_FILE)
        shared = None if settings.records is None else self._open_history(settings.records, folder)
        token = load_token(folder)
        self.gate = Gate.of(configuration, token, shared.database if shared else None, self.name)
        if changed := changed_settings(configuration, token):
            self.gate.change(OWNER, "", "daemon", "settings", f"changed: {', '.join(changed)}")
        self.events = EventBus()
        self.history: ActionHistory = shared or ActionHistory(folder)
        self.history.recover()
        self.extension_endpoint = ExtensionEndpoint(configuration.paths, self.events)
        browsers = BrowserFactory(configuration, backend=settings.backend, keeps_connections=True)
        self.providers = browsers.providers
        """The providers of the sessions' browsers; None if all start here."""
        self.sessions = sessions_of(
            configuration, keep=True, extensions=self.extension_endpoint.extensions, browsers=browsers
        )
        self.dispatcher = Dispatcher(
            self.sessions,
            self.history,
            self.events,
            HostCommands(self.sessions, configuration, self.events),
            max_commands=settings.max_commands,
            max_sessions=settings.max_sessions,
            audit=self.gate.audit,
        )
        self.request_parser = RequestParserPool()
        self.login_links = OneTimeLinks()
        self.mcp_endpoint = McpEndpoint(DaemonHost(self.dispatcher, self.request_parser), self.request_parser)
        self.screencasts = ScreencastHub(self.sessions, self.events)
        self.metrics = self._create_metrics() if settings.metrics else None
        self.tracer = None if settings.tracing is None else self._create_tracer(settings.tracing)
        self.readiness = Readiness()
        self.cluster: ClusterMember | None = None
        self.relay: Relay | None = None
        if shared is not None:
            self._create_cluster(shared, folder)
        self.port: int | None = None
        self.socket: str | None = None
        self._started, self._started_monotonic = utc_now(), time.monotonic()
        self._stopping = asyncio.Event()

    async def status(self) -> DaemonStatus:
        """The answer of `GET /status`. `uptime_s` is in seconds, `memory_mb` in megabytes; sessions of other processes
        are not in it."""
        browsers = await asyncio.to_thread(_browsers, sorted(each.pid for each in RUNNING)) if RUNNING else []
        providers = [
            ProviderStatus(**health.values() | {"labels": dict(health.labels)})
            for health in (await self.providers.health() if self.providers is not None else ())
        ]
        now = time.perf_counter()
        return DaemonStatus(
            version=__version__,
            pid=os.getpid(),
            port=self.port,
            tls=self.tls is not None,
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
                    daemon=one.daemon,
                    queue=[
                        QueuedCommand(action=each.action, seconds=round(now - each.started, 3))
                        for each in self.dispatcher.queue_of(one.name)
                    ],
                    **({"url": one.url} if one.dormant or one.daemon else self._page_fields(one.name)),
                )
                for one in self.sessions.listed()
            ],
            browsers=browsers,
            providers=providers,
            load=load_of(providers, len(self.sessions.names), self.configuration.settings.max_sessions),
        )

    @property
    def scheme(self) -> str:
        """The scheme of the daemon's port."""
        return "http" if self.tls is None else "https"

    def is_person(self, key: str) -> bool:
        """Whether a request with this key comes from a person, who may approve what an agent's command waits for."""
        return hmac.compare_digest(key.encode("utf-8", "replace"), self._person_key.encode())

    # --- several daemons with the same records ---

    @property
    def name(self) -> str:
        """The name of this daemon among those with the same records."""
        return self.configuration.settings.daemon_name or _host_name()

    def _open_history(self, url: str, folder: Path) -> ClusterHistory:
        """Raises `RecordsUnavailable`, `ConfigurationError`."""
        from oryn.daemon.cluster import open_history

        return open_history(folder, url, self.name)

    def _create_cluster(self, history: ClusterHistory, folder: Path) -> None:
        from oryn.daemon.cluster.member import ClusterMember
        from oryn.daemon.cluster.relay import Relay

        assert self.sessions.store is not None
        away = RecordsUnavailable("the records do not answer, so another daemon may have the session by now")
        self.cluster = self.dispatcher.cluster = ClusterMember(
            self.sessions,
            self.sessions.store,
            history,
            name=self.name,
            folder=folder,
            on_lost=lambda names: self.dispatcher.break_off(names, away),
            status=self._shared_status,
            on_lapsed=lambda lapsed: (self.readiness.hold if lapsed else self.readiness.release)(RECORDS),
        )
        self.relay = Relay(self.cluster)

    def _shared_status(self) -> dict[str, Any]:
        """What the other daemons may know of this one."""
        return {
            "sessions": len(self.sessions.names),
            "running": len(self.dispatcher.running),
            "ready": self.readiness.ready,
            "memory_mb": _memory_megabytes(),
        }

    async def join(self) -> None:
        """Register this daemon among those with the same records, if it has any; the port must be known.

        Raises `RecordsUnavailable`, `ConfigurationError`."""
        if self.cluster is not None:
            settings = self.configuration.settings
            host = _host_name() if ip_address(settings.listen).is_unspecified else settings.listen
            address = f"[{host}]" if ":" in host else host
            await self.cluster.start(settings.advertise or f"{self.scheme}://{address}:{self.port}")

    def _create_metrics(self) -> DaemonMetrics:
        """Raises `ConfigurationError` if the extra is not installed."""
        with require_extra("metrics", "the setting metrics", ConfigurationError):
            from oryn.daemon.metrics.prometheus import DaemonMetrics
        metrics = DaemonMetrics()
        self.events.on_published(metrics.on_event)
        return metrics

    def _create_tracer(self, endpoint: str) -> CommandTracer:
        """Raises `ConfigurationError` if the extra is not installed."""
        with require_extra("tracing", "the setting tracing", ConfigurationError):
            from oryn.daemon.metrics.tracing import CommandTracer
        tracer = CommandTracer(endpoint)
        self.events.on_published(tracer.on_event)
        return tracer

    # --- shutdown ---

    async def drain(self, provider: str | None = None) -> int:
        """Open no more sessions, of one provider or at all, and save those there are; returns how many have given
        their browsers back. Raises `ConfigurationError`."""
        if provider is not None:
            if self.providers is None:
                raise ConfigurationError("there are no providers", "Leave out the provider to drain the daemon.")
            return await self.providers.drain(provider)
        self.readiness.hold(DRAINING)
        return await self.sessions.drain()

    def stop(self, reason: str) -> None:
        """Request the daemon's end: `wait_stopped` returns. `reason` is for the log."""
        if not self._stopping.is_set():
            log.info("ending: %s", reason)
            self.readiness.hold(ENDING)
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
        takeover, source = session.control.takeover, session.browser.source
        placement = None if source is None else source.placement
        return {
            "url": url,
            "title": title,
            "where": None if placement is None else f"{placement.provider} {placement.where}".rstrip(),
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
        if self.relay is not None:
            await self.relay.close()
        await self.gate.close()
        if self.cluster is not None:
            await self.cluster.close()
        if self.tracer is not None:
            await self.tracer.close()


def _host_name() -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "-", socket.gethostname())[:MAX_SESSION_NAME_CHARACTERS] or "oryn"


def load_of(providers: Collection[ProviderStatus], open_sessions: int, max_sessions: int) -> float | None:
    """How full a daemon is, as `DaemonStatus.load`. `max_sessions` is 0 for no limit."""
    capacities = [each.capacity for each in providers if each.capacity is not None]
    if providers and len(capacities) == len(providers):
        capacity, used = sum(capacities), sum(each.used + each.queue for each in providers)
        return round(used / capacity, 3) if capacity else 1.0
    return round(open_sessions / max_sessions, 3) if max_sessions else None


def _browsers(processes: Iterable[int]) -> list[BrowserStatus]:
    """The status of browsers, by their processes. It reads files of each: call it in a thread."""
    memory = {process: memory_of_tree(process) for process in processes}
    return [
        BrowserStatus(process=process, memory_mb=None if size is None else round(size / 1e6, 1))
        for process, size in memory.items()
    ]


def _memory_megabytes() -> float | None:
    """The resident memory of this process in megabytes; None if the platform does not report it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return round(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
    except (OSError, ValueError):
        return None
