"""Where the worker enters the engine: `start` wires it to the browser."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from oryn import __version__
from oryn.browsers.extension import ExtensionBrowser, Tabs
from oryn.engine import Session
from oryn.errors import InvalidValue, OrynError
from oryn.extension.activity import Activity
from oryn.extension.agent import Agents
from oryn.extension.agent_limits import agent_session
from oryn.extension.bridge import Bridge, Host, Socket
from oryn.extension.connection import Connection
from oryn.extension.greeting import Versions
from oryn.extension.router import Router, session_of
from oryn.extension.sessions import TabSessions
from oryn.extension.signs import Shown, Signs
from oryn.extension.state import Popups, State, state_of
from oryn.extension.stored import Stored
from oryn.extension.wishes import Wishes
from oryn.extension.world import Timer

__all__ = ["Session", "start"]

log = logging.getLogger(__name__)

FILES = Path("/files")
"""In the memory of Pyodide."""
ALARMS = {"connection": 0.5, "connection-between": 0.75}
"""With the minutes until each is first due. A browser lets none come more often than every 30 s, so two take turns: a
worker that was stopped is back in half the time."""


class ChromeWorld:
    """The world of a service worker."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._work = set[asyncio.Task[object]]()
        self._has_alarm = False

    def now(self) -> float:
        return time.time()

    def later(self, seconds: float, then: Callable[[], object]) -> Timer:
        return asyncio.get_running_loop().call_later(seconds, then)

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._work.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("in the background: %s", error, exc_info=error)

    def open(
        self,
        url: str,
        opened: Callable[[], object],
        received: Callable[[str], object],
        closed: Callable[[int, str], object],
    ) -> Socket:
        return self._bridge.socket(url, opened, received, closed)

    def alarm(self, wanted: bool) -> None:
        self._has_alarm = wanted
        self.spawn(self._set_alarm())

    async def _set_alarm(self) -> None:
        for name, delay in ALARMS.items():
            if not self._has_alarm:
                await self._bridge.call("alarms.clear", name)
            # One that is there would begin anew, and be late.
            elif await self._bridge.call("alarms.get", name) is None and self._has_alarm:
                await self._bridge.call("alarms.create", name, {"delayInMinutes": delay, "periodInMinutes": 0.5})


class Worker:
    """One life of the service worker."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._world = ChromeWorld(bridge)
        self._engine: State = bridge.engine()
        self._stored = Stored(bridge)
        self._popups = Popups(self._world, bridge.post, self._state)
        self._activity = Activity(self._changed)
        self._tabs = Tabs(bridge, lambda: self._stored.settings.tab_scope)
        self._signs = Signs(bridge, self._world.spawn)
        sessions = TabSessions(self._tabs, self._session)
        self._router = Router(sessions, self._tabs, self._send, self._activity, FILES)
        versions = Versions(__version__, __version__, str(self._engine.get("browser", "Chrome")))
        self._connection = Connection(self._world, self._stored, versions, self._router, self._changed)
        self._wishes = Wishes(self._connection, self._stored, self._changed)
        self._agents = Agents(bridge, self._world, self._tabs, self._agent_session, self._changed)
        self._loaded = asyncio.Event()
        self._turn = asyncio.Lock()

    def start(self) -> None:
        bridge = self._bridge
        bridge.on("runtime.onConnect", lambda port: self._popups.opened(port["port"]))
        bridge.on("port.onDisconnect", self._popups.closed)
        bridge.on("port.onMessage", lambda port, message: self._world.spawn(self._wish(message, port)))
        bridge.on("runtime.onMessage", self._hear)
        bridge.on("alarms.onAlarm", self._wake)
        bridge.on("storage.onChanged", self._change)
        self._signs.start()
        self._agents.start()
        self._world.spawn(self._load())
        bridge.attach()

    async def _load(self) -> None:
        try:
            await self._stored.load()
            await self._tabs.start()
            await self._agents.load()
        except OrynError as error:  # without what is stored nobody may be let in
            self._engine |= {"state": "failed", "error": error.message}
            self._popups.ready()
            return
        # Which of them are under control, and what they are called: after `Tabs` has heard of it.
        for event in ("tabs.onActivated", "tabs.onUpdated", "tabs.onRemoved", "windows.onFocusChanged"):
            self._bridge.on(event, lambda *_: self._changed())
        if not self._agents.is_running:
            self._connection.resume()
        self._loaded.set()
        self._popups.ready()

    async def _wish(self, message: Any, port: int | None = None) -> None:
        """One after the other: an address that was changed is to be known when it is connected to."""
        async with self._turn:
            await self._loaded.wait()
            try:
                await self._fulfil(message)
            except OrynError as error:
                if port is not None:
                    self._popups.refuse(port, f"{error.message}. {error.hint or ''}".strip())

    async def _fulfil(self, message: Any) -> None:
        """Who controls the browser is one at a time, a server or an agent. Raises `OrynError`."""
        match message:
            case {"type": "connect" | "new_code"} if self._agents.is_running:
                raise InvalidValue("an agent works in this browser", "Stop it before you connect.")
            case {"type": "agent_start"} if self._connection.wanted:
                raise InvalidValue("a server is connected, or is to be", "Disconnect before an agent begins.")
            case {"type": "stop"} if self._agents.is_running:
                await self._agents.stop()
                return
        if not await self._agents.fulfil(message):
            await self._wishes.fulfil(message)

    def _hear(self, message: Any, sender: Any) -> None:
        """A content script says something: all that it may ask for is the end of what is done to its page."""
        if message == {"type": "stop"}:
            self._world.spawn(self._wish({"type": "stop"}))
        elif message == {"type": "seen"}:
            self._agents.seen()

    def _wake(self, alarm: Any) -> None:
        if self._loaded.is_set():
            self._connection.wake()

    def _change(self, changes: Any, area: str) -> None:
        if area == "sync":
            self._world.spawn(self._refresh())

    async def _refresh(self) -> None:
        await self._loaded.wait()
        await self._stored.refresh()
        self._wishes.check()
        self._changed()
        await self._tabs.obey()

    def _changed(self) -> None:
        """Something about the state is another than before."""
        if (host := self._agents.host) is not None:
            shown: Shown = "asking" if self._agents.asks else "agent"
            self._signs.tell(shown, f"https://{host}", self._agents.targets, self._agents.notices)
            self._popups.changed()
            return
        endpoint = self._connection.endpoint
        tabs = [tab for tab in self._tabs.within_reach() if self._tabs.number(tab) in self._router.controlled]
        self._signs.tell(self._connection.status, endpoint.url if endpoint else "", tabs, self._agents.notices)
        self._popups.changed()

    def _send(self, frame: str) -> None:
        self._connection.send(frame)

    def _serves_this_computer(self) -> bool:
        """Whether the server is beside the browser, and needs no browser to read the files that lie there."""
        endpoint = self._connection.endpoint
        return endpoint is not None and endpoint.is_local

    def _session(self, name: str, tab: int | None) -> Session:
        browser = ExtensionBrowser(
            self._bridge,
            self._tabs,
            pinned=tab,
            trusted_input=lambda: self._stored.settings.trusted_input,
            files=self._serves_this_computer,
        )
        return session_of(browser, name)

    def _agent_session(self, tab: int, asks: bool) -> Session:
        browser = ExtensionBrowser(
            self._bridge, self._tabs, pinned=tab, trusted_input=lambda: self._stored.settings.trusted_input
        )
        return agent_session(browser, f"tab{tab}", asks=asks)

    def _state(self) -> State:
        rows = [row for row in self._tabs.rows() if row.number in self._router.controlled]
        controlled = [{"number": row.number, "title": row.title, "url": row.url} for row in rows]
        state = state_of(self._connection, self._stored, self._activity, self._engine, controlled)
        return {**state, "agent": self._agents.state()}


def start(host: Host) -> None:
    """Called once by `extension/worker.js`, when the engine is loaded. Its events come from now on."""
    Worker(Bridge(host)).start()
