"""Standard input and output without ever blocking the event loop, whatever they are: pipes, files, terminals.

`select` knows no regular files and Windows no pipes, so each stream has a thread of its own. Both are daemons: one that
is stuck in a read or a write that never ends does not keep the process alive.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import AsyncIterator, Iterator

from oryn.sessions.framing import LineSplitter, TooLong

_CHUNK = 64 * 1024


class LineReader:
    """The lines of a file descriptor, as `async for`. It reads no further ahead than one chunk."""

    def __init__(self, descriptor: int, splitter: LineSplitter | None = None) -> None:
        self._descriptor = descriptor
        self._splitter = splitter or LineSplitter()
        self._lines: asyncio.Queue[bytes | TooLong | None] = asyncio.Queue()
        self._taken = threading.Semaphore(0)

    async def __aiter__(self) -> AsyncIterator[bytes | TooLong]:
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), name="stdin", daemon=True).start()
        while (line := await self._lines.get()) is not None:
            self._taken.release()
            yield line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            while data := self._chunk():
                self._hand_over(loop, self._splitter.feed(data))
            self._hand_over(loop, self._splitter.end())
            loop.call_soon_threadsafe(self._lines.put_nowait, None)
        except RuntimeError:
            return  # the loop has ended before the input did

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK)
        except OSError:
            return b""  # closed under us, or a terminal that hung up: the input has ended

    def _hand_over(self, loop: asyncio.AbstractEventLoop, lines: Iterator[bytes | TooLong]) -> None:
        waiting = 0
        for line in lines:
            loop.call_soon_threadsafe(self._lines.put_nowait, line)
            waiting += 1
        for _ in range(waiting):
            self._taken.acquire()


class Writer:
    """Writes whole answers to a file descriptor, each at once and in order."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._jobs: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def write(self, data: bytes) -> None:
        """Returns when all of `data` is written. Raises `BrokenPipeError` when nobody reads any more."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="stdout", daemon=True)
            self._thread.start()
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._jobs.put((data, done))
        await done

    def _run(self) -> None:
        while True:
            data, done = self._jobs.get()
            failure = self._write_all(data)
            try:
                done.get_loop().call_soon_threadsafe(_finish, done, failure)
            except RuntimeError:
                return  # the loop has ended: nobody waits for this answer

    def _write_all(self, data: bytes) -> BrokenPipeError | None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            # Windows reports a closed pipe as EINVAL, a full disk is ENOSPC: in each case no answer gets through.
            return BrokenPipeError(error.errno, error.strerror)
        return None


def _finish(done: asyncio.Future[None], failure: BrokenPipeError | None) -> None:
    if done.done():
        return
    if failure is None:
        done.set_result(None)
    else:
        done.set_exception(failure)
