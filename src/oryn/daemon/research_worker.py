"""The research process of a daemon: started when it is first needed, ended when it has been idle, one for all clients
(`oryn.research.worker`; what goes over its pipes, `oryn.research.wire`)."""

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

from oryn.errors import OrynError, TooManyCommands
from oryn.research.failures import WorkerFailed
from oryn.research.options import ResearchOptions
from oryn.research.wire import LARGEST, Message, error_form, error_of, line_of, message_of, options_form

log = logging.getLogger(__name__)

ENDING_SECONDS = 10.0
"""What it may take to close the index, and to give up a request."""
MOST = 16
"""Requests at once."""
_LARGE = 1 << 20
"""Bytes of a line that is read beside the event loop."""


class Watcher:
    """Who hears of a request while it lasts. These do nothing with it."""

    def progress(self, progress: Mapping[str, Any]) -> None:
        """How far it has come: `oryn.research.documents.Progress`."""

    async def item(self, item: dict[str, Any]) -> None:
        """A part of its result; the next one comes when this returns."""

    async def render(self, url: str, proxy: str | None) -> tuple[str, str]:
        """Where a browser ended up that was to show this, and the HTML there. If there is a `proxy`, it has no other
        way out. Raises `OrynError`."""
        raise NotImplementedError


class Researching:
    """The process, and the requests that are under way. Without any it stays for `idle` seconds."""

    def __init__(self, idle: float) -> None:
        self._idle = idle
        self._process: Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self._changing = asyncio.Lock()
        self._numbers = itertools.count(1)
        self._requests: dict[int, asyncio.Queue[Message]] = {}
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def pid(self) -> int | None:
        """Of the process, where it runs."""
        return self._process.pid if self._process else None

    async def request(
        self, do: str, options: ResearchOptions, arguments: Mapping[str, Any], watcher: Watcher
    ) -> Message:
        """The result. Cancelled, it has ended in the process when this returns. Raises what the process says, and
        `WorkerFailed` where that ends, `TooManyCommands`."""
        if len(self._requests) >= MOST:
            raise TooManyCommands(f"{MOST} commands of research are being done")
        id = next(self._numbers)
        messages = self._requests[id] = asyncio.Queue()
        if self._leaving is not None:
            self._leaving.cancel()
        rendering: set[asyncio.Task[None]] = set()
        begun = False
        try:
            await self._running()
            begun = True
            await self._send({"id": id, "do": do, "options": options_form(options), "arguments": dict(arguments)})
            return await self._followed(id, messages, watcher, rendering)
        except asyncio.CancelledError:
            if begun:
                await self._given_up(id, messages)
            raise
        finally:
            for task in rendering:
                task.cancel()
            del self._requests[id]
            if not self._requests:
                self._leaving = asyncio.get_running_loop().call_later(self._idle, self._leave)

    async def close(self) -> None:
        """End the process, if it runs; it has a short time to close its files."""
        if self._leaving is not None:
            self._leaving.cancel()
        async with self._changing:
            await self._ended()
        if self._closing:  # idle just now: nothing is left to do for them
            await asyncio.wait(self._closing)

    # --- a request ---

    async def _followed(
        self, id: int, messages: asyncio.Queue[Message], watcher: Watcher, rendering: set[asyncio.Task[None]]
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

    async def _render(self, id: int, number: int, url: str, proxy: str | None, watcher: Watcher) -> None:
        try:
            found, html = await watcher.render(url, proxy)
            line = line_of({"id": id, "rendered": number, "url": found, "html": html})
        except OrynError as error:
            line = line_of({"id": id, "rendered": number, "error": error_form(error)})
        with contextlib.suppress(WorkerFailed):  # whoever waits for the request hears of it
            await self._write(line)

    async def _given_up(self, id: int, messages: asyncio.Queue[Message]) -> None:
        """Take a request back, and wait until nothing more of it happens."""
        with contextlib.suppress(WorkerFailed, TimeoutError):
            await self._send({"id": id, "cancel": True})
            async with asyncio.timeout(ENDING_SECONDS):
                while not {"result", "error"} & (await messages.get()).keys():
                    pass

    # --- the process ---

    async def _running(self) -> None:
        async with self._changing:
            if self._process is not None and self._reading is not None and not self._reading.done():
                return
            await self._ended()
            try:
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-P",  # a module in the current folder is not ours
                    "-m",
                    "oryn.research.worker",
                    stdin=PIPE,
                    stdout=PIPE,
                    limit=LARGEST,
                    start_new_session=True,  # with what it starts
                )
            except OSError as error:
                raise WorkerFailed(f"the research process does not start: {error.strerror}") from error
            self._reading = asyncio.create_task(self._read(self._process))

    async def _read(self, process: Process) -> None:
        """Hand out what it says, until it ends; then tell all who wait."""
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                message = await asyncio.to_thread(message_of, line) if len(line) > _LARGE else message_of(line)
                if message["id"] in self._requests:
                    self._requests[message["id"]].put_nowait(message)
        except ValueError as error:  # a line that is too long, or none of ours
            log.error("the research process says what nobody understands: %s", error)
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

    def _leave(self) -> None:
        task = asyncio.ensure_future(self._left())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _left(self) -> None:
        async with self._changing:
            if not self._requests:  # else one has come in the meantime
                await self._ended()

    async def _ended(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(ENDING_SECONDS):
                await process.wait()
        except TimeoutError:
            log.warning("the research process does not end: it is killed")
            _kill(process)
            await process.wait()
        if self._reading is not None:
            await asyncio.wait([self._reading])


def _kill(process: Process) -> None:
    """With all that it has started."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
