"""`ServerPlugins`: passes messages between the hub and the plugins of the connected server, and notifies the server
whether the hub or the page has tools.

The hub (`extension/hub`) checks them as it checks those of other extensions. When the connection ends, it unregisters
the plugins, and calls that they have not answered fail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from oryn.browsers.extension.bridge import Bridge
from oryn.core.listeners import Listeners
from oryn.extension_server.messages import OfferedTools, PluginMessage


class ServerPlugins:
    """The plugins of one server at a time.

    spawn: runs a coroutine in the background. send: sends a frame to the server, if one is connected.
    page_offers_tools: returns whether the page in front offers tools, as far as it has reported. tool_changes: notified
    when that may have changed."""

    def __init__(
        self,
        bridge: Bridge,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        send: Callable[[str], object],
        page_offers_tools: Callable[[], Awaitable[bool]],
        tool_changes: Listeners[[]],
    ) -> None:
        self._bridge = bridge
        self._spawn = spawn
        self._send = send
        self._is_used = False
        self._announced: bool | None = None
        self._page_offers_tools = page_offers_tools
        for event in ("hub.onChanged", "tabs.onActivated"):
            bridge.on(event, lambda *_: spawn(self._announce()))
        tool_changes.subscribe(lambda: spawn(self._announce()))
        bridge.on("hub.onMessage", self._on_hub_message)

    def begin(self) -> None:
        """A server is connected."""
        self._announced = False
        self._spawn(self._announce())

    def receive(self, message: PluginMessage) -> None:
        """Deliver a message of the server to the hub."""
        self._is_used = True
        self._spawn(self._call("hub.receive", message.plugin, dict(message.message)))

    def withdraw(self) -> None:
        """The server is no longer connected: its plugins are gone."""
        self._announced = None
        if self._is_used:
            self._is_used = False
            self._spawn(self._call("hub.withdraw"))

    async def _announce(self) -> None:
        """Notify the server if the hub or the page has tools now, and had none, or the other way round."""
        if self._announced is None:
            return
        is_offering = bool(await self._bridge.call("hub.list")) or await self._page_offers_tools()
        if self._announced is not None and is_offering != self._announced:
            self._announced = is_offering
            self._send(OfferedTools(is_offering).frame)

    async def _call(self, name: str, *arguments: Any) -> None:
        await self._bridge.call(name, *arguments)

    def _on_hub_message(self, plugin: str, message: Mapping[str, Any]) -> None:
        self._send(PluginMessage(plugin, message).frame)
