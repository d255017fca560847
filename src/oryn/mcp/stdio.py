"""`oryn mcp` on standard input and output: one client, with sessions of this process."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from mcp.server.stdio import stdio_server

from oryn.hosts.process_io import LineReader, Writer, cancel_on_signals
from oryn.hosts.session_factory import close_sessions, sessions_of
from oryn.mcp.clients import McpClient, select_tools
from oryn.mcp.host import CommandDelegate, LocalMcpHost
from oryn.mcp.server import OrynMcpServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import anyio

    from oryn.settings import Configuration

_TOO_LONG = '"a line that is too long"'
"""The SDK gets this, which is not a message, instead of an overlong line."""


def with_session(configuration: Configuration) -> Configuration:
    """Give this process a session name of its own, unless one is configured: each window of an assistant has its own
    server."""
    if configuration.origins["session"] == "default":
        return configuration.with_settings({"session": f"mcp_{os.getpid()}"})
    return configuration


def run(
    configuration: Configuration, offer: str, *, structured: bool = True, elsewhere: CommandDelegate | None = None
) -> int:
    """Serve until the input ends or a signal arrives; return the exit code. Raises `UnknownCommand` for an unknown
    tool."""
    select_tools(offer)
    client = McpClient(configuration.settings.session, owns=True, offer=offer, structured=structured)
    return asyncio.run(_serve(configuration, client, elsewhere))


class _Input:
    """Standard input for the SDK. The SDK's own reader would keep a process alive that a signal has ended."""

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in LineReader(0):
            yield line.decode("utf-8", "replace") if isinstance(line, bytes) else _TOO_LONG


class _Output:
    """Standard output for the SDK. Other output of this process is not written to it."""

    def __init__(self) -> None:
        self._writer = Writer(os.dup(1))
        os.dup2(2, 1)

    async def write(self, text: str) -> None:
        with suppress(BrokenPipeError):  # the reader is closed: the input is about to end
            await self._writer.write(text.encode("utf-8"))

    async def flush(self) -> None:
        """No-op: `write` returns after everything was written."""


async def _serve(configuration: Configuration, client: McpClient, elsewhere: CommandDelegate | None) -> int:
    with cancel_on_signals("SIGTERM", "SIGINT", "SIGHUP") as ending:
        sessions = sessions_of(configuration)
        server = OrynMcpServer(LocalMcpHost(sessions, elsewhere), lambda _: client)
        server.notifier.start()
        try:
            streams = stdio_server(cast("anyio.AsyncFile[str]", _Input()), cast("anyio.AsyncFile[str]", _Output()))
            async with streams as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            server.notifier.stop()
            await close_sessions(sessions)
            if elsewhere is not None:
                await elsewhere.close()
    return ending.code or 0
