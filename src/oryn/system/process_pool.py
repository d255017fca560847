"""A pool of child processes, each of which answers one request after the other (`oryn.system.worker_process`).

A thread can neither be killed nor crash alone, and holds the interpreter's lock. A request that never ends, or crashes
its process, costs only that request here. `multiprocessing` is not used: it imports a program's main module again in
each process, which the program must be written for; and one process that dies breaks a whole `ProcessPoolExecutor`."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence

from oryn.system.environment import worker_environment
from oryn.system.worker_process import SIZE_BYTES, frame


class WorkerEnded(Exception):
    """The process ended before it had answered."""


class ProcessPool:
    """At most `max_processes` processes, started as needed, that run the module and words of `program`.

    seconds: the maximum time for one request; the process that takes longer is killed.
    idle_seconds: how long processes stay if there are no requests; None means until `close`."""

    def __init__(
        self, program: Sequence[str], *, max_processes: int, seconds: float, idle_seconds: float | None = None
    ) -> None:
        # -P: don't import modules from the current folder.
        self.command = (sys.executable, "-P", "-m", *program)
        self.seconds = seconds
        self.idle: list[Process] = []
        """The processes that wait for a request."""
        self._idle_seconds = idle_seconds
        self._idle_timer: asyncio.TimerHandle | None = None
        self._slots = asyncio.Semaphore(max_processes)
        self._exit_tasks: set[asyncio.Task[tuple[bytes, bytes]]] = set()

    async def run(self, request: bytes) -> bytes:
        """The response to a request. Raises `WorkerEnded`, and `TimeoutError` if it takes too long."""
        async with self._slots:
            if self._idle_timer is not None:
                self._idle_timer.cancel()
            process = await self._take_process()
            try:
                async with asyncio.timeout(self.seconds):
                    response = await _exchange(process, request)
            except (OSError, asyncio.IncompleteReadError) as error:
                self._end(process)
                if isinstance(error, TimeoutError):
                    raise
                raise WorkerEnded from None
            except BaseException:  # cancelled: the process's response would be taken for that to the next request
                self._end(process)
                raise
            self.idle.append(process)
            if self._idle_seconds is not None:
                self._idle_timer = asyncio.get_running_loop().call_later(self._idle_seconds, self._end_idle)
        return response

    async def close(self) -> None:
        """End the processes."""
        self._end_idle()
        if self._exit_tasks:
            await asyncio.wait(self._exit_tasks)

    async def _take_process(self) -> Process:
        while self.idle:
            process = self.idle.pop()
            if process.returncode is None:
                return process
            self._end(process)
        return await asyncio.create_subprocess_exec(*self.command, stdin=PIPE, stdout=PIPE, env=worker_environment())

    def _end_idle(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        while self.idle:
            self._end(self.idle.pop())

    def _end(self, process: Process) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        # Not wait(): that returns only when somebody has read the process's output to its end.
        task = asyncio.ensure_future(process.communicate())
        self._exit_tasks.add(task)
        task.add_done_callback(self._exit_tasks.discard)


async def _exchange(process: Process, request: bytes) -> bytes:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(frame(request))
    await process.stdin.drain()
    size = int.from_bytes(await process.stdout.readexactly(SIZE_BYTES), "big")
    return await process.stdout.readexactly(size)
