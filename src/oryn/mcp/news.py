"""Who hears that a resource, or which resources there are, has changed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated, ToolsListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from oryn.mcp.host import News
from oryn.mcp.resources import CHANGING, uri_of

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.subscriptions import ServerEvent, SubscriptionBus

    from oryn.mcp.clients import Client
    from oryn.mcp.host import Host

log = logging.getLogger(__name__)


class Announcing:
    """Hands the host's news to all clients: to those of the older era over their channel, to the others over the
    streams that they have asked for (`bus`). Nothing waits for a client that does not read."""

    def __init__(self, host: Host, bus: SubscriptionBus) -> None:
        self._host = host
        self._bus = bus
        self._clients: WeakSet[Client] = WeakSet()
        self._sending: set[asyncio.Task[None]] = set()
        self._stop: Callable[[], None] | None = None

    def start(self) -> None:
        """Listen to the host from now on. Needs a running event loop."""
        if self._stop is None:
            self._stop = self._host.listen(self._heard)

    def stop(self) -> None:
        if self._stop is not None:
            self._stop()
            self._stop = None
        for task in self._sending:
            task.cancel()

    def reaches(self, client: Client, context: ServerRequestContext[Any, Any]) -> None:
        """A client has come, over a connection that may carry more than answers."""
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS and client.channel is None:
            client.channel = context.session
            self._clients.add(client)

    def tools_changed(self) -> None:
        """Other tools are offered than before."""
        self._send(ToolsListChanged(), list(self._clients))

    def _heard(self, news: News) -> None:
        if news.kind in ("opened", "closed"):
            self._send(ResourcesListChanged(), list(self._clients))
            return
        for uri in (uri_of(news.session, kind) for kind in CHANGING):
            self._send(ResourceUpdated(uri=uri), [client for client in self._clients if uri in client.subscribed])

    def _send(self, event: ServerEvent, clients: list[Client]) -> None:
        task = asyncio.get_running_loop().create_task(self._sent(event, clients))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _sent(self, event: ServerEvent, clients: list[Client]) -> None:
        await self._bus.publish(event)
        for client in clients:
            assert client.channel is not None
            match event:
                case ResourceUpdated():
                    await client.channel.send_resource_updated(event.uri)
                case ResourcesListChanged():
                    await client.channel.send_resource_list_changed()
                case ToolsListChanged():
                    await client.channel.send_tool_list_changed()
                case _:
                    pass
