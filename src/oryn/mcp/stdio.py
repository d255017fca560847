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
from oryn.mcp.host import Elsewhere, OwnHost
from oryn.mcp.server import Oryn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import anyio

    from oryn.settings import Configuration

_TOO_LONG = '"a line that is too long"'
"""In its place the SDK gets what is no message."""


def with_session(configuration: Configuration) -> Configuration:
    """With a session of this process's own, unless one is named: an assistant in another window has another server."""
    if configuration.origins["session"] == "default":
        return configuration.replaced({"session": f"mcp_{os.getpid()}"})
    return configuration


def run(
    configuration: Configuration, offer: str, *, structured: bool = True, elsewhere: Elsewhere | None = None
) -> int:
    """Serve until the input ends or a signal comes; the exit code. Raises `UnknownCommand` for what is no tool."""
    chosen(offer)
    client = Client(configuration.settings.session, owns=True, offer=offer, structured=structured)
    return asyncio.run(_serve(configuration, client, elsewhere))


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


async def _serve(configuration: Configuration, client: Client, elsewhere: Elsewhere | None) -> int:
    with ending_on_signals("SIGTERM", "SIGINT", "SIGHUP") as ending:
        sessions = sessions_of(configuration)
        server = Oryn(OwnHost(sessions, elsewhere), lambda _: client)
        server.announcing.start()
        try:
            streams = stdio_server(cast("anyio.AsyncFile[str]", _Input()), cast("anyio.AsyncFile[str]", _Output()))
            async with streams as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            server.announcing.stop()
            await close(sessions)
            if elsewhere is not None:
                await elsewhere.close()
    return ending.code or 0
