"""`PluginProvider`: the plugins of a server, registered with the hub of one connected extension.

The hub treats them as extensions that speak `harbor-plugin/v1`
(docs/spec/plugin-protocol.md#plugins-of-the-connected-server), under the ids `oryn:<plugin>`: pages call
their tools through `window.agent`, if the user consents. Messages go through the connection as `PluginMessage`."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from oryn import __version__
from oryn.errors import InvalidValue, NameNotFound, OrynError, Timeout
from oryn.extension_server.messages import COMMAND_LIMIT, SERVER_PLUGIN_PREFIX, PluginMessage

if TYPE_CHECKING:
    from oryn.extension_server.peer import Peer
    from oryn.plugins.registry import InstalledPlugins

log = logging.getLogger(__name__)

VERSION = "harbor-plugin/v1"
CALL_SECONDS = 30.0
"""Limit of a call (docs/spec/plugin-protocol.md#heartbeat)."""
MAX_PARALLEL_CALLS = 4
"""Further calls wait: tools that are not `async` run in threads that the whole process shares."""

_CODES: tuple[tuple[type[OrynError], str], ...] = (
    (NameNotFound, "TOOL_NOT_FOUND"),
    (InvalidValue, "INVALID_ARGUMENTS"),
    (Timeout, "TIMEOUT"),
)
"""Error codes (docs/spec/plugin-protocol.md#error-codes) by the errors of `InstalledPlugins.call`; others are
`EXECUTION_FAILED`."""


class PluginProvider:
    """Registers the plugins with the hub behind `peer`, and answers its requests until `end`."""

    def __init__(self, peer: Peer, plugins: InstalledPlugins) -> None:
        self._peer = peer
        self._plugins = plugins
        self._slots = asyncio.Semaphore(MAX_PARALLEL_CALLS)
        self._tasks = set[asyncio.Task[None]]()
        peer.on_plugin_message = self._receive
        self._spawn(self._register())

    def end(self) -> None:
        """Cancel all calls: nobody waits for their results."""
        self._peer.on_plugin_message = None
        for task in self._tasks:
            task.cancel()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _register(self) -> None:
        for id, tools in (await self._tools_by_plugin()).items():
            plugin = {"extensionId": id, "name": id.removeprefix(SERVER_PLUGIN_PREFIX), "version": _semver(__version__)}
            self._send(id, "PLUGIN_REGISTER", {"plugin": {**plugin, "tools": tools}}, f"server-{uuid4().hex}")

    async def _tools_by_plugin(self) -> dict[str, list[dict[str, Any]]]:
        """The definitions of tools, by the ids of their plugins in the hub."""
        found: dict[str, list[dict[str, Any]]] = {}
        for tool in await self._plugins.all():
            plugin, _, name = tool.name.partition("::")
            definition = {
                "name": name,
                "title": name,
                "description": tool.description,
                "inputSchema": tool.parameters,
                "uiHints": {"dangerous": not tool.read_only},  # the user is asked at each call
            }
            found.setdefault(SERVER_PLUGIN_PREFIX + plugin, []).append(definition)
        return found

    def _receive(self, control: PluginMessage) -> None:
        message = control.message
        match message:
            case {"type": "PLUGIN_TOOL_CALL", "requestId": str(request), "payload": dict(payload)}:
                self._spawn(self._call(control.plugin, request, payload))
            case {"type": "PLUGIN_TOOLS_LIST", "requestId": str(request)}:
                self._spawn(self._list(control.plugin, request))
            case {"type": "PLUGIN_PING", "requestId": str(request)}:
                self._send(control.plugin, "PLUGIN_PONG", {"healthy": True}, request)
            case {"type": "PLUGIN_REGISTER_ACK", "payload": {"success": False, "error": str(error)}}:
                log.warning("the extension does not offer the plugin %s to pages: %s", control.plugin, error)

    async def _list(self, plugin: str, request: str) -> None:
        tools = (await self._tools_by_plugin()).get(plugin, [])
        self._send(plugin, "PLUGIN_TOOLS_LIST_RESULT", {"tools": tools}, request)

    async def _call(self, plugin: str, request: str, payload: Mapping[str, Any]) -> None:
        name = f"{plugin.removeprefix(SERVER_PLUGIN_PREFIX)}::{payload.get('toolName')}"
        started = time.perf_counter()
        try:
            async with self._slots:
                result = await self._plugins.call(name, payload.get("arguments"), timeout=CALL_SECONDS)
        except OrynError as error:
            code = next((code for kind, code in _CODES if isinstance(error, kind)), "EXECUTION_FAILED")
            self._send(plugin, "PLUGIN_TOOL_ERROR", {"code": code, "message": error.message[:2000]}, request)
            return
        elapsed = round((time.perf_counter() - started) * 1000, 1)
        if not self._send(plugin, "PLUGIN_TOOL_RESULT", {"result": result, "executionTimeMs": elapsed}, request):
            text = f"the result has more than {COMMAND_LIMIT} characters"
            self._send(plugin, "PLUGIN_TOOL_ERROR", {"code": "EXECUTION_FAILED", "message": text}, request)

    def _send(self, plugin: str, type: str, payload: Mapping[str, Any], request: str) -> bool:
        """Send a message. False if it is longer than the extension accepts."""
        envelope = {
            "namespace": "harbor-plugin",
            "protocolVersion": VERSION,
            "type": type,
            "requestId": request,
            "timestamp": round(time.time() * 1000),
            "payload": payload,
        }
        message = PluginMessage(plugin, envelope)
        if len(message.frame) > COMMAND_LIMIT:
            return False
        self._peer.send_plugin_message(message)
        return True


def _semver(version: str) -> str:
    """The first three numbers of a version, which the protocol demands."""
    numbers = [part for part in version.replace("+", ".").split(".") if part.isdigit()]
    return ".".join((*numbers, "0", "0", "0")[:3])
