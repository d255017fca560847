"""Finds the engine's program, starts it as a process, and restarts it after it has ended.

The program is searched at the path that the user gave, else in PATH, then in the usual installation folders
(docs/spec/line-protocol.md#finding-an-engine)."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from oryn import DISTRIBUTION
from oryn.client.engine_process import EngineProcess
from oryn.errors import EngineNotFound, NotConnected

ENGINE_NAMES = {"headless": "oryn-h", "embedded": "oryn-e", "playwright": "oryn-p"}
"""The engine's own program in each mode that starts one."""
_MAIN_PROGRAM = "oryn"
"""The program that has all modes, as its commands."""


def install_folders() -> list[Path]:
    """Folders where installers put programs, the last one being that of this Python environment."""
    home = Path.home()
    beside = [Path(sys.executable).parent] if sys.executable else []
    return [home / ".local/bin", Path("/usr/local/bin"), home / ".cargo/bin", *beside]


def engine_command(
    mode: str,
    binary: str | os.PathLike[str] | None = None,
    *,
    path: str | None = None,
    folders: Sequence[Path] | None = None,
) -> list[str]:
    """The first words of the command line that starts the engine of `mode`: `["/usr/bin/oryn-h"]`, or
    `["/usr/bin/oryn", "headless"]`.

    `mode` is a key of `ENGINE_NAMES`. `path` defaults to PATH, `folders` to `install_folders()`. Raises
    `EngineNotFound`, which lists the searched places and how to install the program."""
    path = os.environ.get("PATH", os.defpath) if path is None else path
    if binary is not None:
        found = shutil.which(os.path.expanduser(binary), path=path)
        if found is None:
            raise EngineNotFound(f"there is no program {os.fspath(binary)}", "It must be a file that can be run.")
        return _command_words(found, mode)
    folders = install_folders() if folders is None else folders
    for place in (path, *map(str, folders)):
        for name in (ENGINE_NAMES[mode], _MAIN_PROGRAM):
            if found := shutil.which(name, path=place):
                return _command_words(found, mode)
    raise EngineNotFound(
        f"neither {ENGINE_NAMES[mode]} nor {_MAIN_PROGRAM} is in PATH, nor in {', '.join(map(str, folders))}",
        f"Install it ('pip install {DISTRIBUTION}'), or say where it is: Oryn(binary=…).",
    )


def _command_words(program: str, mode: str) -> list[str]:
    return [program, mode] if Path(program).stem == _MAIN_PROGRAM else [program]


class LocalEngine:
    """An engine that runs as a process of this computer. `arguments` are options of the engine, as its `--help` lists
    them."""

    def __init__(self, mode: str, binary: str | os.PathLike[str] | None = None, arguments: Sequence[str] = ()) -> None:
        self._mode = mode
        self._binary = binary
        self._arguments = tuple(arguments)
        self._session: str | None = None
        self._process: EngineProcess | None = None
        self._open = False
        self._starting = asyncio.Lock()

    async def connect(self, session: str | None) -> None:
        """Start the engine. Raises `EngineNotFound`, `EngineFailed`, `ProtocolMismatch`."""
        self._session, self._open = session, True
        await self._running()

    async def ask(self, line: str) -> str:
        """Send a line and return the answer. Raises `ConnectionLost`, and what `connect` raises if the engine has to be
        started again."""
        process = await self._running()
        return await process.ask(line)

    async def close(self) -> None:
        """End the process. Commands in progress fail."""
        self._open = False
        if self._process is not None:
            await self._process.end()
            self._process = None

    async def _running(self) -> EngineProcess:
        # The lock keeps the order of the callers while the engine starts.
        async with self._starting:
            if not self._open:
                raise NotConnected("the client was closed")
            if self._process is None or self._process.lost:
                session = ["--session", self._session] if self._session else []
                words = [*engine_command(self._mode, self._binary), *session, *self._arguments]
                self._process = EngineProcess(words)
                await self._process.start()
            return self._process
