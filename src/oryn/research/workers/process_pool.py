"""A pool of processes that turn pages into articles.

Extraction is mostly Python: on two cores, threads of one process were as fast as processes, but a thread can
neither be killed nor crash alone. A page whose extraction never ends, or crashes its process, costs only that page
here. A process reads one page after the other; another is started when all are busy.

`multiprocessing` is not used: it imports a program's main module again in each process, which the program must be
written for; and one process that dies breaks a whole `ProcessPoolExecutor`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from typing import Any

from oryn.errors import ExtractionFailed, OrynError
from oryn.research.documents import Article, FetchedPage
from oryn.system.environment import worker_environment

PAGE_TIMEOUT_SECONDS = 60.0
"""The maximum time for one page. Half a second is slow."""

MAX_PROCESSES = 4
"""The maximum number of processes, if there are as many cores. Each has about 90 MB."""

READ_FUNCTION = "oryn.research.extractor:read"
"""The function that extracts an article: its module and its name."""

_SIZE = 8
"""The size of a length prefix in bytes."""


class ExtractionPool:
    """At most `max_processes` processes, started as needed; idle ones wait for the next page. A page may take `limit`
    seconds. `read` names the function that extracts an article (`module:function`)."""

    def __init__(
        self, max_processes: int | None = None, limit: float = PAGE_TIMEOUT_SECONDS, read: str = READ_FUNCTION
    ) -> None:
        self._free = asyncio.Semaphore(max_processes or min(MAX_PROCESSES, os.cpu_count() or 1))
        self._limit = limit
        self._read = read
        self._idle: list[Process] = []

    async def article(self, page: FetchedPage) -> Article:
        """The article of a page. Raises what `run` does."""
        article: Article = await self.run(page)
        return article

    async def run(self, page: FetchedPage) -> Any:
        """What the function makes of a page. Raises what the function raises, and `ExtractionFailed` if it takes too
        long or ends its process."""
        async with self._free:
            process = await self._process()
            try:
                async with asyncio.timeout(self._limit):
                    answer = await _request(process, page)
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
    command = [sys.executable, "-P", "-m", "oryn.research.workers.extraction_process", read]
    return await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=worker_environment())


async def _request(process: Process, page: FetchedPage) -> Any:
    assert process.stdin and process.stdout
    payload = pickle.dumps(page)
    process.stdin.write(len(payload).to_bytes(_SIZE, "big") + payload)
    await process.stdin.drain()
    size = int.from_bytes(await process.stdout.readexactly(_SIZE), "big")
    return pickle.loads(await process.stdout.readexactly(size))


async def _end(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    if process.stdin:
        process.stdin.close()
    # Its pipes are let go of only when somebody has seen their end.
    await process.communicate()
