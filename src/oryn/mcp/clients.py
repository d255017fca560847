"""The clients of the MCP server: each with its session, the tools that it is offered, and its subscriptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mcp.server.connection import allowed_log_levels
from mcp_types import LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams

from oryn.mcp.catalog import mcp_name, verb_names, with_hidden_names
from oryn.tools import Tool, tools
from oryn.tools.catalog import LINE_TOOL, research_tools

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession

    from oryn.mcp.host import McpHost

OFFERED_TOOLS = ("tools", "tool")
"""The tools for what pages and plugins offer: beside `LINE_TOOL`, which can run the same lines, they are listed only
while there is something to call. A page's own tools are never listed: a client presents names and descriptions to its
model as instructions, and a page writes what it likes."""

LEVELS: tuple[LoggingLevel, ...] = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class McpClient:
    """A program that calls tools, with its session.

    `session` is the name of its session, which its first command opens. If the client `owns` the session, it is closed
    when the client disconnects. `offer` selects the tools: `core`, `all`, or names of tools and families separated by
    commas."""

    def __init__(
        self,
        session: str,
        *,
        owns: bool,
        offer: str = "core",
        structured: bool = True,
        settings: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.session = session
        self.owns = owns
        self.offer = offer
        self.structured = structured
        self.settings = settings
        """The settings that its session is opened with."""
        self.roots: tuple[Path, ...] | None = None
        """The folders that the client's roots allow (`oryn.mcp.roots`); None if they are not known or the client has no
        roots."""
        self.roots_loaded = False
        self.subscribed: set[str] = set()
        """URIs of the resources whose changes the client has subscribed to."""
        self.channel: ServerSession | None = None
        """The channel to the client between requests, if the protocol's era has one; else None."""
        self.level: LoggingLevel = "warning"
        """The lowest level of log messages that the client wants."""

    @cached_property
    def _selected(self) -> tuple[Tool, ...]:
        return select_tools(self.offer)

    def tools(self, host: McpHost) -> dict[str, Tool]:
        """The tools offered to the client, by their names in the listing: those it has selected and the host supports.
        Raises `UnknownCommand`."""
        return {mcp_name(tool.name): tool for tool in self._selected if host_supports(host, tool)}

    def callable_tools(self, host: McpHost) -> dict[str, Tool]:
        """The tools that the client may call: `tools`, by their verbs too, and `OFFERED_TOOLS` if it may run lines
        anyway. Raises `UnknownCommand`."""
        selected = with_hidden_names(self.tools(host))
        if LINE_TOOL not in selected:
            return selected
        more = (tool for tool in tools(OFFERED_TOOLS) if tool.name not in selected and host_supports(host, tool))
        return {**selected, **{tool.name: tool for tool in more}}

    async def log(self, context: ServerRequestContext[Any, Any], level: LoggingLevel, text: str) -> None:
        """Send a log message about a request, if the client's log level includes it."""
        wanted = level in allowed_log_levels(context.protocol_version, context.meta)
        if not wanted or (self.channel is not None and LEVELS.index(level) < LEVELS.index(self.level)):
            return
        params = LoggingMessageNotificationParams(level=level, logger="oryn", data=text)
        await context.session.send_notification(LoggingMessageNotification(params=params), context.request_id)


async def offers_tools(host: McpHost, session: str) -> bool:
    """Whether the page of a session or its plugins offer tools now, as far as is known without asking the page."""
    found = host.session(session)
    return found is not None and await found.offers_tools()


def select_tools(offer: str) -> tuple[Tool, ...]:
    """The tools that an offer selects.

    The words are `core` (with the research tools), `all`, names of tools (`goto,cookies`), and names of families of the
    command table (`Moving`, in any case). Raises `UnknownCommand`."""
    from oryn.language import api_vocabulary

    families = {family.lower(): verbs for family, verbs in api_vocabulary().families.items()}
    found: dict[str, Tool] = {}
    for word in filter(None, (each.strip() for each in offer.split(","))):
        names = word if word in ("core", "all") else families.get(word.lower(), verb_names([word]))
        found |= {tool.name: tool for tool in tools(names)}
        if word == "core":  # hosts without research drop them (`host_supports`)
            found |= {tool.name: tool for tool in research_tools() if tool.name not in found}
    return tuple(found.values())


def host_supports(host: McpHost, tool: Tool) -> bool:
    """Whether a host can run at least one of the commands that a tool stands for."""
    from oryn.language import api_vocabulary

    verb = api_vocabulary().verbs.get(tool.command)
    return verb is None or any(host.supports(spec) for spec in verb.commands)


ClientFinder = Callable[["ServerRequestContext[Any, Any]"], McpClient]
"""Finds the client of a request. Raises `MCPError` if the request's options are invalid."""
