"""Who is there: each client with its session, the tools that it is offered, and what it wants to hear of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mcp.server.connection import allowed_log_levels
from mcp_types import LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams

from oryn.tools import Tool, tools
from oryn.tools.table import reading

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession

    from oryn.mcp.host import Host

LEVELS: tuple[LoggingLevel, ...] = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Client:
    """One program that calls tools, and the model behind it.

    `session` is the name of its session, which is opened with its first command; one that it `owns` ends when it
    goes. `offer` says which tools: `core`, `all`, or names of tools and families with commas between them."""

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
        """Those that its session is opened with."""
        self.roots: tuple[Path, ...] | None = None
        """The folders that it lets commands use (`oryn.mcp.roots`), once they are known; None where it does not say."""
        self.roots_are_known = False
        self.subscribed: set[str] = set()
        """Resources whose changes it hears of."""
        self.channel: ServerSession | None = None
        """The way to it between two requests, where the protocol has one."""
        self.level: LoggingLevel = "warning"
        """What it wants to be told of what happens, at least."""

    @cached_property
    def _chosen(self) -> tuple[Tool, ...]:
        return chosen(self.offer)

    def tools(self, host: Host) -> dict[str, Tool]:
        """What it is offered, by name: of what it has chosen, what the host can do. Raises `UnknownCommand`."""
        return {tool.name: tool for tool in self._chosen if host_has(host, tool)}

    async def log(self, context: ServerRequestContext[Any, Any], level: LoggingLevel, text: str) -> None:
        """Tell what happened with a request, if the client wants to know."""
        wanted = level in allowed_log_levels(context.protocol_version, context.meta)
        if not wanted or (self.channel is not None and LEVELS.index(level) < LEVELS.index(self.level)):
            return
        params = LoggingMessageNotificationParams(level=level, logger="oryn", data=text)
        await context.session.send_notification(LoggingMessageNotification(params=params), context.request_id)


def chosen(offer: str) -> tuple[Tool, ...]:
    """The tools that words mean: `core` (with those that read), `all`, names of tools (`goto,cookies`) and of families
    of the table (`Moving`, in any case). Raises `UnknownCommand`."""
    from oryn.language import doors

    families = {family.lower(): verbs for family, verbs in doors().families.items()}
    found: dict[str, Tool] = {}
    for word in filter(None, (each.strip() for each in offer.split(","))):
        names = word if word in ("core", "all") else families.get(word.lower(), [word])
        found |= {tool.name: tool for tool in tools(names)}
        if word == "core":  # for hosts that can (`host_has`)
            found |= {tool.name: tool for tool in reading() if tool.name not in found}
    return tuple(found.values())


def host_has(host: Host, tool: Tool) -> bool:
    """Whether a host can do at least one of the commands that a tool stands for."""
    from oryn.language import doors

    verb = doors().verbs.get(tool.command)
    return verb is None or any(host.performs(spec) for spec in verb.commands)


Find = Callable[["ServerRequestContext[Any, Any]"], Client]
"""Finds whose request it is. Raises `MCPError` for one that says who it is in a way that is wrong."""
