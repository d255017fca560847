"""Standard streams and signals of a host process, on the event loop.

Reading and writing never block the event loop, whether the streams are pipes, files or terminals. `select` supports no
regular files, and no pipes on Windows, so each stream has a separate thread. Both threads are daemons: a read or a
write that never ends does not keep the process alive."""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from oryn.sessions.framing import LineSplitter, OversizedLine


@contextmanager
def handle_signals(action: Callable[[int], None], *names: str) -> Iterator[None]:
    """Call `action` with the number of each of these signals (`SIGTERM` …) that arrives while the block runs.

    Names that the platform does not have are ignored. So is a SIGHUP that is ignored from the start: a program under
    `nohup` continues when the terminal closes."""
    loop = asyncio.get_running_loop()
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name) and not _ignored_by_nohup(name)]
    for number in numbers:
        try:
            loop.add_signal_handler(number, action, number)
        except NotImplementedError:  # Windows' event loop
            signal.signal(number, lambda received, _: loop.call_soon_threadsafe(action, received))
    try:
        yield
    finally:
        for number in numbers:
            try:
                loop.remove_signal_handler(number)
            except NotImplementedError:
                signal.signal(number, signal.SIG_DFL)


def _ignored_by_nohup(name: str) -> bool:
    return name == "SIGHUP" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


class SignalExit:
    """`code` is the exit code for the received signal (128 and its number), or None if no signal was received."""

    def __init__(self) -> None:
        self.code: int | None = None


@contextmanager
def cancel_on_signals(*names: str) -> Iterator[SignalExit]:
    """Cancel the current task on the first of these signals, and suppress the cancellation at the block's end.

    Later signals are ignored, so that the block can close its resources."""
    task, ending = asyncio.current_task(), SignalExit()
    assert task is not None

    def end(number: int) -> None:
        if ending.code is None:
            ending.code = 128 + number
            task.cancel()

    with handle_signals(end, *names):
        try:
            yield ending
        except asyncio.CancelledError:
            if ending.code is None:
                raise


_CHUNK_BYTES = 64 * 1024


class LineReader:
    """The lines of a file descriptor, as an asynchronous iterator. It reads at most one chunk ahead."""

    def __init__(self, descriptor: int, splitter: LineSplitter | None = None) -> None:
        self._descriptor = descriptor
        self._splitter = splitter or LineSplitter()
        self._lines: asyncio.Queue[bytes | OversizedLine | None] = asyncio.Queue()
        self._consumed = threading.Semaphore(0)

    async def __aiter__(self) -> AsyncIterator[bytes | OversizedLine]:
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), name="stdin", daemon=True).start()
        while (line := await self._lines.get()) is not None:
            self._consumed.release()
            yield line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            while data := self._read_chunk():
                self._enqueue(loop, self._splitter.feed(data))
            self._enqueue(loop, self._splitter.end())
            loop.call_soon_threadsafe(self._lines.put_nowait, None)
        except RuntimeError:
            return  # the loop has ended before the input did

    def _read_chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK_BYTES)
        except OSError:
            return b""  # closed concurrently, or the terminal hung up: the input has ended

    def _enqueue(self, loop: asyncio.AbstractEventLoop, lines: Iterator[bytes | OversizedLine]) -> None:
        waiting = 0
        for line in lines:
            loop.call_soon_threadsafe(self._lines.put_nowait, line)
            waiting += 1
        for _ in range(waiting):
            self._consumed.acquire()


class Writer:
    """Writes whole answers to a file descriptor, each at once and in order."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._jobs: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def write(self, data: bytes) -> None:
        """Write `data`; returns after all of it was written. Raises `BrokenPipeError` if the reader has closed the
        pipe."""
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
                done.get_loop().call_soon_threadsafe(_resolve, done, failure)
            except RuntimeError:
                return  # the loop has ended: no task waits for this answer

    def _write_all(self, data: bytes) -> BrokenPipeError | None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            # Windows reports a closed pipe as EINVAL; a full disk is ENOSPC. In each case no answer gets through.
            return BrokenPipeError(error.errno, error.strerror)
        return None


def _resolve(done: asyncio.Future[None], failure: BrokenPipeError | None) -> None:
    if done.done():
        return
    if failure is None:
        done.set_result(None)
    else:
        done.set_exception(failure)
