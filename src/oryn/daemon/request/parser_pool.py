"""Parses requests: small ones, which are nearly all, in the daemon itself, large ones in child processes
(`parser_process`)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from typing import Any

from oryn.daemon.request import parser_process as asking
from oryn.daemon.request.json_body import read_json
from oryn.daemon.request.parser import ParsedRequest, parse_body
from oryn.errors import RequestError, RequestTooLarge
from oryn.language import Line
from oryn.system.environment import worker_environment

log = logging.getLogger(__name__)

MAX_INLINE_BYTES = 8 * 1024
"""Maximum size in bytes of requests that the daemon parses itself. Whatever they contain, parsing takes at most a few
hundredths of a second."""
MAX_PROCESSES = 2
READ_SECONDS = 30.0
"""Maximum time to parse one request. Most take less than a second; on a busy machine their process, whose
priority is low, waits for a processor."""
IDLE_SECONDS = 60.0
"""How long an idle process is kept."""


class RequestParserPool:
    """A pool of parser processes. No process is started before the first large request."""

    def __init__(self) -> None:
        self._free: list[Process] = []
        self._slots = asyncio.Semaphore(MAX_PROCESSES)
        self._idle_timer: asyncio.TimerHandle | None = None
        self._exit_tasks: set[asyncio.Task[tuple[bytes, bytes]]] = set()

    async def parse_command(self, body: bytes) -> ParsedRequest:
        """Parse the body of a command request. Raises `RequestError`."""
        if len(body) <= MAX_INLINE_BYTES:
            return parse_body(body)
        meaning: ParsedRequest = await self._parse_in_process(asking.COMMAND, body)
        return meaning

    async def parse_json(self, body: bytes) -> Any:
        """Parse a body as JSON data. Raises `RequestError`."""
        return read_json(body) if len(body) <= MAX_INLINE_BYTES else await self._parse_in_process(asking.DATA, body)

    async def parse_tool_call(self, name: str, arguments: Mapping[str, Any]) -> Line:
        """Parse the call of a tool into a line. Raises `LanguageError`, `RequestError`."""
        from oryn.tools import line_of

        body = asking.tool_call_body(name, arguments)
        if len(body) <= MAX_INLINE_BYTES:
            return line_of(name, arguments)
        line: Line = await self._parse_in_process(asking.TOOL, body)
        return line

    async def close(self) -> None:
        """End the processes."""
        self._end_idle()
        if self._exit_tasks:
            await asyncio.wait(self._exit_tasks)

    async def _parse_in_process(self, kind: bytes, body: bytes) -> Any:
        async with self._slots:
            if self._idle_timer is not None:
                self._idle_timer.cancel()
            process = self._free.pop() if self._free else await _start_process()
            try:
                async with asyncio.timeout(READ_SECONDS):
                    good, meaning = await _exchange(process, kind + body)
            except TimeoutError:
                self._end(process)
                raise RequestTooLarge(f"reading the request took more than {READ_SECONDS:g} s") from None
            except (OSError, EOFError, asyncio.IncompleteReadError):
                self._end(process)
                log.warning("a process that reads requests has ended")
                raise RequestError("the request could not be read", "Send less at once.") from None
            except BaseException:  # cancelled: the process's response would be taken for that to the next request
                self._end(process)
                raise
            self._free.append(process)
            self._idle_timer = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._end_idle)
        if not good:
            raise meaning
        return meaning

    def _end_idle(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        while self._free:
            self._end(self._free.pop())

    def _end(self, process: Process) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        # Not wait(): that returns only when somebody has read the process's output to its end.
        task = asyncio.ensure_future(process.communicate())
        self._exit_tasks.add(task)
        task.add_done_callback(self._exit_tasks.discard)


async def _start_process() -> Process:
    # -P: don't import modules from the current folder.
    program = (sys.executable, "-P", "-m", asking.__name__)
    return await asyncio.create_subprocess_exec(
        *program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=worker_environment()
    )


async def _exchange(process: Process, request: bytes) -> tuple[bool, Any]:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(asking.frame(request))
    await process.stdin.drain()
    size = int.from_bytes(await process.stdout.readexactly(4), "big")
    good, meaning = pickle.loads(await process.stdout.readexactly(size))
    return good, meaning
