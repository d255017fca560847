"""`oryn mcp` on standard input and output: one client, and sessions of this process."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from mcp.server.stdio import stdio_server

from oryn.host.opening import close, sessions_of
from oryn.host.signals import ending_on_signals
from oryn.mcp.clients import Client, chosen
from oryn.mcp.host import OwnHost
from oryn.mcp.server import Oryn

if TYPE_CHECKING:
    from oryn.settings import Configuration


def run(configuration: Configuration, offer: str, *, structured: bool = True) -> int:
    """Serve until the input ends or a signal comes; the exit code. Raises `UnknownCommand` for what is no tool."""
    chosen(offer)
    if configuration.origins["session"] == "default":  # an assistant in another window has a server of its own
        configuration = configuration.replaced({"session": f"mcp_{os.getpid()}"})
    client = Client(configuration.settings.session, owns=True, offer=offer, structured=structured)
    return asyncio.run(_serve(configuration, client))


async def _serve(configuration: Configuration, client: Client) -> int:
    with ending_on_signals("SIGTERM", "SIGINT", "SIGHUP") as ending:
        sessions = sessions_of(configuration)
        server = Oryn(OwnHost(sessions), lambda _: client)
        server.announcing.start()
        try:
            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            server.announcing.stop()
            await close(sessions)
    return ending.code or 0
