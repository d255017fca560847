"""Notifications to clients: changed resources and tools, and the progress of a call.

Progress is sent to clients that request it: the seconds for which the command has run, and its current activity. The
protocol requires a number that only grows, so it is the time. A share that the engine reports (`encoding demo.webm`) is
in the message. https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated, ToolsListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from oryn.hosts.terminal import PROGRESS_LISTENER
from oryn.mcp.clients import offers_tools
from oryn.mcp.host import SessionEvent
from oryn.mcp.resources import CHANGING, uri_of

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.subscriptions import ServerEvent, SubscriptionBus

    from oryn.mcp.clients import McpClient
    from oryn.mcp.host import McpHost

log = logging.getLogger(__name__)

COALESCE_SECONDS = 0.25
"""Changes of a page's tools within this time are one change."""


class ResourceNotifier:
    """Sends the host's events to all clients: to those of the older era over their channel, to the others over the
    streams that they have opened (`bus`).

    No task waits for a client that does not read."""

    def __init__(self, host: McpHost, bus: SubscriptionBus) -> None:
        self._host = host
        self._bus = bus
        self._clients: WeakSet[McpClient] = WeakSet()
        self._sending: set[asyncio.Task[None]] = set()
        self._offering: set[str] = set()
        """The sessions in which the page or a plugin offers tools."""
        self._watches: dict[str, Callable[[], None]] = {}
        """By the names of sessions: functions that end the subscriptions to their tools."""
        self._due: set[str] = set()
        """The sessions whose tools have changed since they were compared last."""
        self._stop: Callable[[], None] | None = None

    def start(self) -> None:
        """Subscribe to the host's events. Needs a running event loop."""
        if self._stop is None:
            self._stop = self._host.listen(self._on_event)

    def stop(self) -> None:
        """Stop listening to the host's events, and cancel the notifications that are not sent yet."""
        if self._stop is not None:
            self._stop()
            self._stop = None
        for name in tuple(self._watches):
            self._end_watch(name)
        for task in self._sending:
            task.cancel()

    def add_client(self, client: McpClient, context: ServerRequestContext[Any, Any]) -> None:
        """Register the client of a request, if its connection can carry notifications."""
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS and client.channel is None:
            client.channel = context.session
            self._clients.add(client)

    def on_tools_changed(self) -> None:
        """Notify all clients that the list of tools has changed."""
        self._send(ToolsListChanged(), list(self._clients))

    async def _compare_tools(self, session: str) -> None:
        """Notify the clients of a session if there are tools of its page or of plugins now, and were none, or the other
        way round: `OFFERED_TOOLS` come and go."""
        self._watch(session)
        is_offering = await offers_tools(self._host, session)
        if is_offering == (session in self._offering):
            return
        (self._offering.add if is_offering else self._offering.discard)(session)
        await self._deliver(ToolsListChanged(), [client for client in self._clients if client.session == session])

    def _watch(self, name: str) -> None:
        """Subscribe to the tools of the session's current page, which come and go between commands too."""
        self._end_watch(name)
        session = self._host.session(name)
        if session is not None and self._stop is not None:
            self._watches[name] = session.subscribe_tools(lambda: self._compare_soon(name))

    def _end_watch(self, name: str) -> None:
        if (end := self._watches.pop(name, None)) is not None:
            end()

    def _compare_soon(self, name: str) -> None:
        """Compare a session's tools in a moment. A page may register and remove tools as fast as it likes."""
        if name not in self._due:
            self._due.add(name)
            asyncio.get_running_loop().call_later(COALESCE_SECONDS, self._compare_now, name)

    def _compare_now(self, name: str) -> None:
        self._due.discard(name)
        if self._stop is not None:
            self._start(self._compare_tools(name))

    def _on_event(self, event: SessionEvent) -> None:
        if event.kind == "noted":
            self._send_updated(event.session, ("notes",))
            return
        self._start(self._compare_tools(event.session))
        if event.kind in ("opened", "closed"):
            self._send(ResourcesListChanged(), list(self._clients))
            return
        self._send_updated(event.session, CHANGING)

    def _send_updated(self, session: str, kinds: Collection[str]) -> None:
        """Notify the clients that have subscribed to these resources of a session."""
        for uri in (uri_of(session, kind) for kind in kinds):
            self._send(ResourceUpdated(uri=uri), [client for client in self._clients if uri in client.subscribed])

    def _send(self, event: ServerEvent, clients: list[McpClient]) -> None:
        self._start(self._deliver(event, clients))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _deliver(self, event: ServerEvent, clients: list[McpClient]) -> None:
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


INTERVAL_SECONDS = 1.0
"""Seconds between two notifications of one call."""


@asynccontextmanager
async def progress_notifications(context: ServerRequestContext[Any, Any], activity: str) -> AsyncIterator[None]:
    """Send the client of `context` progress notifications while the block runs, if its request has a progress token.
    `activity` names what is going on until the engine reports something else."""
    if not context.meta or context.meta.get("progress_token") is None:
        yield
        return
    updates: asyncio.Queue[str] = asyncio.Queue()
    token = PROGRESS_LISTENER.set(lambda what, share: updates.put_nowait(f"{what} {share:.0%}"))
    notifier = asyncio.create_task(_notify(context, activity, updates))
    try:
        yield
    finally:
        PROGRESS_LISTENER.reset(token)
        notifier.cancel()
        await asyncio.wait([notifier])


async def _notify(context: ServerRequestContext[Any, Any], activity: str, updates: asyncio.Queue[str]) -> None:
    started = time.monotonic()
    while True:
        try:
            activity = await asyncio.wait_for(updates.get(), INTERVAL_SECONDS)
        except TimeoutError:
            pass
        while not updates.empty():
            activity = updates.get_nowait()
        await context.session.report_progress(round(time.monotonic() - started, 3), None, activity)
