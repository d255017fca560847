"""`oryn mcp` on standard input and output: one client, and sessions of this process."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from mcp.server.stdio import stdio_server

from oryn.host.opening import close, sessions_of
from oryn.host.signals import ending_on_signals
from oryn.host.streams import LineReader, Writer
from oryn.mcp.clients import Client, chosen
from oryn.mcp.host import OwnHost
from oryn.mcp.server import Oryn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import anyio

    from oryn.settings import Configuration

_TOO_LONG = '"a line that is too long"'
"""In its place the SDK gets what is no message."""


def run(configuration: Configuration, offer: str, *, structured: bool = True) -> int:
    """Serve until the input ends or a signal comes; the exit code. Raises `UnknownCommand` for what is no tool."""
    chosen(offer)
    if configuration.origins["session"] == "default":  # an assistant in another window has a server of its own
        configuration = configuration.replaced({"session": f"mcp_{os.getpid()}"})
    client = Client(configuration.settings.session, owns=True, offer=offer, structured=structured)
    return asyncio.run(_serve(configuration, client))


class _Input:
    """Standard input for the SDK, whose own reader would keep a process alive that a signal has ended."""

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in LineReader(0):
            yield line.decode("utf-8", "replace") if isinstance(line, bytes) else _TOO_LONG


class _Output:
    """Standard output likewise. Nothing else that this process writes gets there."""

    def __init__(self) -> None:
        self._writer = Writer(os.dup(1))
        os.dup2(2, 1)

    async def write(self, text: str) -> None:
        with suppress(BrokenPipeError):  # nobody listens any more: the input is about to end
            await self._writer.write(text.encode("utf-8"))

    async def flush(self) -> None:
        """All that was written is."""


async def _serve(configuration: Configuration, client: Client) -> int:
    with ending_on_signals("SIGTERM", "SIGINT", "SIGHUP") as ending:
        sessions = sessions_of(configuration)
        server = Oryn(OwnHost(sessions), lambda _: client)
        server.announcing.start()
        try:
            streams = stdio_server(cast("anyio.AsyncFile[str]", _Input()), cast("anyio.AsyncFile[str]", _Output()))
            async with streams as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            server.announcing.stop()
            await close(sessions)
    return ending.code or 0
