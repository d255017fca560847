"""The daemon's client of the research process: starts it when it is first needed, ends it when it has been idle, and
sends it the requests of all callers.

The process is `oryn.research.process`; `oryn.research.process.protocol` has the messages on its pipes."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from typing import Any

from oryn.errors import OrynError, TooManyCommands, WorkerFailed
from oryn.research.options import ResearchOptions
from oryn.research.process.protocol import (
    MAX_LINE_BYTES,
    Message,
    error_form,
    error_of,
    line_of,
    message_of,
    options_form,
)
from oryn.system.environment import worker_environment

log = logging.getLogger(__name__)

SHUTDOWN_SECONDS = 10.0
"""Seconds that the process gets to close the index, and to cancel a request."""
MAX_REQUESTS = 16
"""Maximum number of requests at once."""
_LARGE_LINE_BYTES = 1 << 20
"""Size in bytes above which a line is parsed outside the event loop."""


class JobObserver:
    """Receives the progress and the items of a request. The methods of this base class ignore progress and items."""

    def progress(self, progress: Mapping[str, Any]) -> None:
        """Receive the progress (`oryn.research.documents.ResearchProgress`)."""

    async def item(self, item: dict[str, Any]) -> None:
        """Receive a part of the result, as JSON data; the next part is sent after this method returns."""

    async def render(self, url: str, proxy: str | None) -> tuple[str, str]:
        """Open `url` in a browser; return the final URL and the HTML. Raises `OrynError`.

        If `proxy` is not None, all requests go through it."""
        raise NotImplementedError


class ResearchProcessClient:
    """Runs requests in the research process, which ends after `idle` seconds without a request."""

    def __init__(self, idle: float) -> None:
        self._idle = idle
        self._process: Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._idle_timer: asyncio.TimerHandle | None = None
        self._changing = asyncio.Lock()
        self._numbers = itertools.count(1)
        self._requests: dict[int, asyncio.Queue[Message]] = {}
        self._exit_tasks: set[asyncio.Task[None]] = set()

    @property
    def pid(self) -> int | None:
        """The process's identifier; None if it does not run."""
        return self._process.pid if self._process else None

    async def request(
        self, do: str, options: ResearchOptions, arguments: Mapping[str, Any], watcher: JobObserver
    ) -> Message:
        """Send a request and return its result. If the call is cancelled, it returns after the request has ended in the
        process.

        Raises the error that the process reports, `WorkerFailed` if the process ends, `TooManyCommands`."""
        if len(self._requests) >= MAX_REQUESTS:
            raise TooManyCommands(f"{MAX_REQUESTS} commands of research are being done")
        id = next(self._numbers)
        messages = self._requests[id] = asyncio.Queue()
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        rendering: set[asyncio.Task[None]] = set()
        started = False
        try:
            await self._ensure_process()
            started = True
            await self._send({"id": id, "do": do, "options": options_form(options), "arguments": dict(arguments)})
            return await self._follow(id, messages, watcher, rendering)
        except asyncio.CancelledError:
            if started:
                await self._cancel_request(id, messages)
            raise
        finally:
            for task in rendering:
                task.cancel()
            del self._requests[id]
            if not self._requests:
                self._idle_timer = asyncio.get_running_loop().call_later(self._idle, self._end_if_idle_soon)

    async def close(self) -> None:
        """End the process, if it runs. It gets a short time to close its files."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        async with self._changing:
            await self._end_process()
        if self._exit_tasks:  # ended for idleness just now: their exit is all that is left to wait for
            await asyncio.wait(self._exit_tasks)

    # --- a request ---

    async def _follow(
        self, id: int, messages: asyncio.Queue[Message], watcher: JobObserver, rendering: set[asyncio.Task[None]]
    ) -> Message:
        while True:
            match message := await messages.get():
                case {"progress": progress}:
                    watcher.progress(progress)
                case {"item": item}:
                    await watcher.item(item)
                    await self._send({"id": id, "taken": True})
                case {"render": number, "url": url}:
                    proxy = message.get("proxy")
                    task = asyncio.create_task(self._render(id, number, url, proxy, watcher))
                    rendering.add(task)
                    task.add_done_callback(rendering.discard)
                case {"result": result}:
                    return dict(result)
                case {"error": error}:
                    raise error_of(error)

    async def _render(self, id: int, number: int, url: str, proxy: str | None, watcher: JobObserver) -> None:
        try:
            found, html = await watcher.render(url, proxy)
            line = line_of({"id": id, "rendered": number, "url": found, "html": html})
        except OrynError as error:
            line = line_of({"id": id, "rendered": number, "error": error_form(error)})
        with contextlib.suppress(WorkerFailed):  # the request's own task gets this error
            await self._write(line)

    async def _cancel_request(self, id: int, messages: asyncio.Queue[Message]) -> None:
        """Cancel a request in the process, and wait until it has ended there."""
        with contextlib.suppress(WorkerFailed, TimeoutError):
            await self._send({"id": id, "cancel": True})
            async with asyncio.timeout(SHUTDOWN_SECONDS):
                while not {"result", "error"} & (await messages.get()).keys():
                    pass

    # --- the process ---

    async def _ensure_process(self) -> None:
        async with self._changing:
            if self._process is not None and self._reading is not None and not self._reading.done():
                return
            await self._end_process()
            try:
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-P",  # don't import modules from the current folder
                    "-m",
                    "oryn.research.process.server",
                    stdin=PIPE,
                    stdout=PIPE,
                    limit=MAX_LINE_BYTES,
                    env=worker_environment(),
                    start_new_session=True,  # so that its child processes can be killed with it
                )
            except OSError as error:
                raise WorkerFailed(f"the research process does not start: {error.strerror}") from error
            self._reading = asyncio.create_task(self._read(self._process))

    async def _read(self, process: Process) -> None:
        """Pass the process's messages to their requests until it ends; then fail those that remain."""
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                message = (
                    await asyncio.to_thread(message_of, line) if len(line) > _LARGE_LINE_BYTES else message_of(line)
                )
                if message["id"] in self._requests:
                    self._requests[message["id"]].put_nowait(message)
        except ValueError as error:  # a line that is too long or not a message of the protocol
            log.error("the research process sent an unknown message: %s", error)
        failed = error_form(WorkerFailed("the research process ended in the middle of the command"))
        for messages in self._requests.values():
            messages.put_nowait({"error": failed})
        _kill(process)

    async def _send(self, message: Message) -> None:
        await self._write(line_of(message))

    async def _write(self, line: bytes) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise WorkerFailed("the research process has ended")
        try:
            process.stdin.write(line)
            await process.stdin.drain()
        except (ConnectionError, RuntimeError):
            raise WorkerFailed("the research process has ended") from None

    def _end_if_idle_soon(self) -> None:
        task = asyncio.ensure_future(self._end_if_idle())
        self._exit_tasks.add(task)
        task.add_done_callback(self._exit_tasks.discard)

    async def _end_if_idle(self) -> None:
        async with self._changing:
            if not self._requests:  # else a request has arrived in the meantime
                await self._end_process()

    async def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(SHUTDOWN_SECONDS):
                await process.wait()
        except TimeoutError:
            log.warning("the research process does not end: it is killed")
            _kill(process)
            await process.wait()
        if self._reading is not None:
            await asyncio.wait([self._reading])


def _kill(process: Process) -> None:
    """Kill the process and its children."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
