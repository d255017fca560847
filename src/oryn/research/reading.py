"""Pages become articles in processes beside this one.

Reading is Python for the most part: on two cores, threads of one process were as quick as processes, but a thread can
neither be ended nor crash alone. A page that never ends to be read, or a parser that takes its process down, costs that
one page here. A process reads one page after the other and is started when all others are busy.

`multiprocessing` is not used for it: it imports a program's main module again in each process, which a program must be
written for; and one process that ends takes the others of a `ProcessPoolExecutor` with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import sys
from asyncio.subprocess import PIPE, Process

from oryn.errors import OrynError
from oryn.research.documents import Article, Page
from oryn.research.failures import ExtractionFailed

LIMIT = 60.0
"""Seconds that one page may take. Half a second is slow."""

MOST = 4
"""Processes at once, where there are as many cores. Each has about 90 MB."""

READ = "oryn.research.extracting:read"
"""The function that makes an article of a page: its module and its name."""

_SIZE = 8
"""Bytes that tell how long what follows is."""


class Readers:
    """As many processes as are needed at once, at most `most`; idle ones wait for the next page."""

    def __init__(self, most: int | None = None, limit: float = LIMIT, read: str = READ) -> None:
        self._free = asyncio.Semaphore(most or min(MOST, os.cpu_count() or 1))
        self._limit = limit
        self._read = read
        self._idle: list[Process] = []

    async def article(self, page: Page) -> Article:
        """What the page says. Raises what reading it raises, and `ExtractionFailed`."""
        async with self._free:
            process = await self._process()
            try:
                async with asyncio.timeout(self._limit):
                    answer = await _ask(process, page)
            except TimeoutError:
                await _end(process)
                raise ExtractionFailed(f"{page.url} can't be read within {self._limit:g} s") from None
            except (asyncio.IncompleteReadError, ConnectionError):
                await _end(process)
                raise ExtractionFailed(f"{page.url} can't be read: it ended the process that did") from None
            except BaseException:
                # Nobody waits for this page any more, and its answer would be taken for the next one's.
                await _end(process)
                raise
            self._idle.append(process)
        if isinstance(answer, OrynError):
            raise answer
        return answer

    async def _process(self) -> Process:
        while self._idle:
            process = self._idle.pop()
            if process.returncode is None:
                return process
            await _end(process)
        return await _start(self._read)

    async def close(self) -> None:
        """End the processes."""
        while self._idle:
            await _end(self._idle.pop())


async def _start(read: str) -> Process:
    # -P: a module in the current folder is not ours.
    command = [sys.executable, "-P", "-m", "oryn.research.reading_process", read]
    return await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)


async def _ask(process: Process, page: Page) -> Article | OrynError:
    assert process.stdin and process.stdout
    said = pickle.dumps(page)
    process.stdin.write(len(said).to_bytes(_SIZE, "big") + said)
    await process.stdin.drain()
    size = int.from_bytes(await process.stdout.readexactly(_SIZE), "big")
    answer: Article | OrynError = pickle.loads(await process.stdout.readexactly(size))
    return answer


async def _end(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    if process.stdin:
        process.stdin.close()
    # Its pipes are let go of only when somebody has seen their end.
    await process.communicate()
