"""Modes whose engine is a process of our own: found, started, and started again when it has ended."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from oryn.client.discovery import engine_command
from oryn.client.process import EngineProcess
from oryn.errors import NotConnected


class LocalEngine:
    """`arguments` are options of the engine, as its `--help` lists them."""

    def __init__(self, mode: str, binary: str | os.PathLike[str] | None = None, arguments: Sequence[str] = ()) -> None:
        self._mode = mode
        self._binary = binary
        self._arguments = tuple(arguments)
        self._session: str | None = None
        self._process: EngineProcess | None = None
        self._open = False
        self._starting = asyncio.Lock()

    async def connect(self, session: str | None) -> None:
        """Raises `EngineNotFound`, `EngineFailed`, `ProtocolMismatch`."""
        self._session, self._open = session, True
        await self._running()

    async def ask(self, line: str) -> str:
        """The answer to a line. Raises `ConnectionLost`, and what `connect` does where it has to start again."""
        process = await self._running()
        return await process.ask(line)

    async def close(self) -> None:
        """End the process. What is under way fails."""
        self._open = False
        if self._process is not None:
            await self._process.end()
            self._process = None

    async def _running(self) -> EngineProcess:
        # The lock keeps those who ask in order, also while the engine starts.
        async with self._starting:
            if not self._open:
                raise NotConnected("the client was closed")
            if self._process is None or self._process.lost:
                self._process = EngineProcess(self._words())
                await self._process.start()
            return self._process

    def _words(self) -> list[str]:
        session = ["--session", self._session] if self._session else []
        return [*engine_command(self._mode, self._binary), *session, *self._arguments]
