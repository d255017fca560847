"""The daemon's end of the processes that read its large requests (`reading_process`). Small ones, which are nearly all,
are read here and now."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from typing import Any

from oryn.daemon import reading_process as asking
from oryn.daemon.bodies import read_json
from oryn.daemon.reading import Meaning, meaning_of_body
from oryn.errors import RequestError, RequestTooLarge
from oryn.language import Line

log = logging.getLogger(__name__)

SMALL = 8 * 1024
"""Bytes that are read here, however they are made within a few hundredths of a second."""
MOST_PROCESSES = 2
READ_SECONDS = 10.0
"""How long one request may take to be read."""
IDLE_SECONDS = 60.0
"""How long a process stays that has nothing to read."""


class Reader:
    """Nothing runs before the first large request."""

    def __init__(self) -> None:
        self._free: list[Process] = []
        self._places = asyncio.Semaphore(MOST_PROCESSES)
        self._leaving: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Task[int]] = set()

    async def command(self, body: bytes) -> Meaning:
        """Raises `RequestError`."""
        if len(body) <= SMALL:
            return meaning_of_body(body)
        meaning: Meaning = await self._read(asking.COMMAND, body)
        return meaning

    async def data(self, body: bytes) -> Any:
        """A body as JSON data. Raises `RequestError`."""
        return read_json(body) if len(body) <= SMALL else await self._read(asking.DATA, body)

    async def tool(self, name: str, arguments: Mapping[str, Any]) -> Line:
        """The line that the call of a tool means. Raises `LanguageError`, `RequestError`."""
        from oryn.tools import line_of

        said = asking.said(name, arguments)
        if len(said) <= SMALL:
            return line_of(name, arguments)
        line: Line = await self._read(asking.TOOL, said)
        return line

    async def close(self) -> None:
        """End the processes."""
        self._leave()
        if self._ending:
            await asyncio.wait(self._ending)

    async def _read(self, kind: bytes, body: bytes) -> Any:
        async with self._places:
            if self._leaving is not None:
                self._leaving.cancel()
            process = self._free.pop() if self._free else await _started()
            try:
                async with asyncio.timeout(READ_SECONDS):
                    good, meaning = await _exchanged(process, kind + body)
            except TimeoutError:
                self._end(process)
                raise RequestTooLarge(f"reading the request took more than {READ_SECONDS:g} s") from None
            except (OSError, EOFError, asyncio.IncompleteReadError):
                self._end(process)
                log.warning("a process that reads requests has ended")
                raise RequestError("the request could not be read", "Send less at once.") from None
            except BaseException:  # taken back: what it says next would be taken for another's
                self._end(process)
                raise
            self._free.append(process)
            self._leaving = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._leave)
        if not good:
            raise meaning
        return meaning

    def _leave(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
        while self._free:
            self._end(self._free.pop())

    def _end(self, process: Process) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        task = asyncio.ensure_future(process.wait())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


async def _started() -> Process:
    # -P: a module in the current folder is not ours.
    program = (sys.executable, "-P", "-m", asking.__name__)
    return await asyncio.create_subprocess_exec(*program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)


async def _exchanged(process: Process, asked: bytes) -> tuple[bool, Any]:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(asking.frame(asked))
    await process.stdin.drain()
    size = int.from_bytes(await process.stdout.readexactly(4), "big")
    good, meaning = pickle.loads(await process.stdout.readexactly(size))
    return good, meaning
