"""Entry point of the service worker: `start` connects the engine to the browser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from oryn import __version__
from oryn.browsers.base.leases import LeaseHolder
from oryn.browsers.extension import ExtensionBrowser, ExtensionTabs
from oryn.browsers.extension.bridge import Bridge, BridgeHost
from oryn.engine import Session
from oryn.errors import InvalidValue, OrynError
from oryn.extension.agent.controller import AgentController
from oryn.extension.agent.policy import create_agent_session
from oryn.extension.environment import ChromeEnvironment
from oryn.extension.hub_tools import HubTools
from oryn.extension.popup.activity import CommandActivity
from oryn.extension.popup.indicators import IndicatorStatus, StatusIndicators
from oryn.extension.popup.notes import UserNotes
from oryn.extension.popup.popup import PopupCommands, Popups, State, popup_state
from oryn.extension.router import Router, create_session
from oryn.extension.server_connection.client import ReconnectingClient
from oryn.extension.server_connection.connection import ExtensionVersions
from oryn.extension.server_connection.plugins import ServerPlugins
from oryn.extension.sessions import TabSessions
from oryn.extension.storage import ExtensionStorage

__all__ = ["Session", "start"]

FILES_FOLDER = Path("/files")
"""In Pyodide's file system in memory."""


class ServiceWorker:
    """The service worker, from one start of it to its end: connects its parts."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._environment = ChromeEnvironment(bridge)
        self._engine: State = bridge.engine()
        self._storage = ExtensionStorage(bridge)
        self._popups = Popups(self._environment, bridge.post, self._state)
        self._activity = CommandActivity(self._on_changed)
        self._tabs = ExtensionTabs(bridge, lambda: self._storage.settings.tab_scope)
        self._indicators = StatusIndicators(bridge, self._environment.spawn)
        self._notes = UserNotes(bridge, self._session_of, self._on_changed)
        self._sessions = sessions = TabSessions(self._tabs, self._create_session)
        self._router = Router(sessions, self._tabs, self._send, self._activity, FILES_FOLDER)
        self._tabs.busy = lambda: self._router.busy
        versions = ExtensionVersions(__version__, __version__, str(self._engine.get("browser", "Chrome")))
        plugins = ServerPlugins(
            bridge, self._environment.spawn, self._send, self._page_offers_tools, self._tabs.tool_changes
        )
        self._connection = ReconnectingClient(
            self._environment, self._storage, versions, self._router, self._on_changed, plugins
        )
        self._popup_commands = PopupCommands(self._connection, self._storage, self._on_changed)
        self._agent = AgentController(
            bridge, self._environment, self._tabs, self._create_agent_session, self._on_changed
        )
        self._server = LeaseHolder("default")
        """Who a server's sessions are together, as only one server controls the browser at a time."""
        self._loaded = asyncio.Event()
        self._turn = asyncio.Lock()

    def start(self) -> None:
        """Register all listeners, and start the delivery of events."""
        bridge = self._bridge
        bridge.on("runtime.onConnect", lambda port: self._popups.on_opened(port["port"]))
        bridge.on("port.onDisconnect", self._popups.on_closed)
        bridge.on("port.onMessage", lambda port, message: self._environment.spawn(self._handle_message(message, port)))
        bridge.on("runtime.onMessage", self._on_page_message)
        bridge.on("alarms.onAlarm", self._on_alarm)
        bridge.on("storage.onChanged", self._on_storage_changed)
        self._indicators.start()
        self._agent.start()
        self._environment.spawn(self._load())
        bridge.attach()

    async def _load(self) -> None:
        try:
            await self._storage.load()
            await self._tabs.start()
            await self._agent.load()
        except OrynError as error:  # without stored keys and settings no server may be accepted
            self._engine |= {"state": "failed", "error": error.message}
            self._popups.ready()
            return
        # Banners and popups depend on the tabs: these listeners come after those of `ExtensionTabs`.
        for event in ("tabs.onActivated", "tabs.onUpdated", "tabs.onRemoved", "windows.onFocusChanged"):
            self._bridge.on(event, lambda *_: self._on_changed())
        if not self._agent.is_running:
            self._connection.resume()
        self._loaded.set()
        self._popups.ready()

    async def _handle_message(self, message: Any, port: int | None = None) -> None:
        """Handle one message after the other: a changed address must be stored before it is connected to."""
        async with self._turn:
            await self._loaded.wait()
            try:
                await self._dispatch(message)
            except OrynError as error:
                if port is not None:
                    self._popups.refuse(port, f"{error.message}. {error.hint or ''}".strip())

    async def _dispatch(self, message: Any) -> None:
        """Let either a server or an agent control the browser, not both. Raises `OrynError`."""
        match message:
            case {"type": "connect" | "new_code"} if self._agent.is_running:
                raise InvalidValue("an agent works in this browser", "Stop it before you connect.")
            case {"type": "agent_start"} if self._connection.wanted:
                raise InvalidValue("a server is connected, or is to be", "Disconnect before an agent starts.")
            case {"type": "stop"} if self._agent.is_running:
                await self._agent.stop()
                return
        if not (await self._notes.handle(message) or await self._agent.handle(message)):
            await self._popup_commands.handle(message)

    def _on_page_message(self, message: Any, sender: Any) -> None:
        """A content script has sent a message. It may only stop what controls its page, dismiss a notice, or say what
        the user has pointed at, who then writes about it elsewhere."""
        if message == {"type": "stop"}:
            self._environment.spawn(self._handle_message({"type": "stop"}))
        elif message == {"type": "seen"}:
            self._agent.dismiss_notice()
        elif message == {"type": "notes"}:
            self._environment.spawn(self._notes.open_window())
        elif isinstance(message, dict) and message.get("type") == "mark" and isinstance(sender, dict):
            self._environment.spawn(self._notes.mark(message, (sender.get("tab") or {}).get("id")))

    async def _session_of(self, tab: int) -> Session | None:
        """The session that controls a tab, given by the browser's id; None if none does."""
        if self._agent.is_running:
            return self._agent.session_of(tab)
        number = self._tabs.number(tab) if tab in self._tabs.accessible_tabs() else None
        if number is None or number not in self._router.controlled:
            return None
        return await self._sessions.session_for(None if number == self._tabs.active else number)

    def _on_alarm(self, alarm: Any) -> None:
        if self._loaded.is_set():
            self._connection.wake()

    def _on_storage_changed(self, changes: Any, area: str) -> None:
        if area == "sync":
            self._environment.spawn(self._reload_settings())

    async def _reload_settings(self) -> None:
        await self._loaded.wait()
        await self._storage.refresh()
        self._popup_commands.check_connection()
        self._on_changed()
        await self._tabs.apply_settings()

    def _on_changed(self) -> None:
        """Update indicators and popups after a change of the state."""
        if (host := self._agent.host) is not None:
            status: IndicatorStatus = "asking" if self._agent.asks else "agent"
            self._notes.bind(f"agent {host}")
            self._indicators.update(
                status, f"https://{host}", self._agent.targets, self._agent.notices, self._notes.remark
            )
            self._popups.on_changed()
            return
        endpoint = self._connection.endpoint
        tabs = [tab for tab in self._tabs.accessible_tabs() if self._tabs.number(tab) in self._router.controlled]
        if self._connection.status == "connected" and endpoint:
            self._notes.bind(endpoint.url)
        self._indicators.update(
            self._connection.status, endpoint.url if endpoint else "", tabs, self._agent.notices, self._notes.remark
        )
        self._popups.on_changed()

    def _send(self, frame: str) -> None:
        self._connection.send(frame)

    async def _page_offers_tools(self) -> bool:
        """Whether the page in front offers tools, as far as its documents have reported."""
        try:
            tools = self._tabs.active_page().tools
        except OrynError:  # no tab in front is within reach
            return False
        await tools.refresh()
        return bool(tools.names())

    def _serves_this_computer(self) -> bool:
        """Whether the server runs on the browser's computer, so that it can read its files without the browser."""
        endpoint = self._connection.endpoint
        return endpoint is not None and endpoint.is_local

    def _allows_trusted_input(self) -> bool:
        """Whether the user lets the debugger be attached, which not every browser has."""
        return self._storage.settings.trusted_input and bool(self._engine.get("debugger", True))

    def _create_session(self, name: str, tab: int | None) -> Session:
        browser = ExtensionBrowser(
            self._bridge,
            self._tabs,
            pinned=tab,
            trusted_input=self._allows_trusted_input,
            files=self._serves_this_computer,
            holder=self._server,
        )
        return self._with_hub(create_session(browser, name))

    def _create_agent_session(self, tab: int, asks: bool) -> Session:
        browser = ExtensionBrowser(
            self._bridge,
            self._tabs,
            pinned=tab,
            trusted_input=self._allows_trusted_input,
            holder=LeaseHolder("agent"),
        )
        return self._with_hub(create_agent_session(browser, f"tab{tab}", asks=asks))

    def _with_hub(self, session: Session) -> Session:
        session.plugins = lambda: HubTools(self._bridge)
        session.person_notes = self._notes.notes
        return session

    def _state(self) -> State:
        rows = [row for row in self._tabs.rows() if row.number in self._router.controlled]
        controlled = [{"number": row.number, "title": row.title, "url": row.url} for row in rows]
        state = popup_state(self._connection, self._storage, self._activity, self._engine, controlled)
        return {**state, "agent": self._agent.state(), "notes": self._notes.state()}


def start(host: BridgeHost) -> None:
    """Start the engine and the delivery of the browser's events. `extension/worker.ts` calls it once."""
    ServiceWorker(Bridge(host)).start()
