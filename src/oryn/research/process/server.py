"""`python -m oryn.research.process.server`: research in a separate process, which reads requests from standard
input and writes results to standard output (`protocol`).

Everything that is slow to import or large in memory is here: the host stays small and fast, and survives a parser
that crashes on a page. Exits at the end of its input."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from oryn.errors import BodyTooLarge, Cancelled, InternalError, OrynError
from oryn.research.process.protocol import Message, error_form, line_of, message_of, options_of
from oryn.research.process.request import ResearchRequest
from oryn.system.optional_dependencies import require_extra

if TYPE_CHECKING:
    from oryn.research import Research
    from oryn.research.context import ResearchContext
    from oryn.research.options import ResearchOptions

log = logging.getLogger(__name__)


MAX_IDLE_RESEARCH = 4
"""The number of unused `Research` objects that stay open: callers differ in what their sessions allow."""


class ResearchServer:
    """Runs requests. `write` writes a line to the host; it is called in a thread."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="oryn-wire")
        self._requests: dict[int, tuple[ResearchRequest, asyncio.Task[None]]] = {}
        self._pool: dict[ResearchOptions, Research] = {}
        self._shared: ResearchContext | None = None
        """Has the index and the embedding model."""

    def on_message(self, message: Message) -> None:
        """Start a request, or pass a message to one."""
        id = message["id"]
        if "do" in message:
            request = ResearchRequest(
                id, message["do"], options_of(message["options"]), message["arguments"], self._send
            )
            self._requests[id] = request, asyncio.create_task(self._answer(request))
        elif id in self._requests:
            request, task = self._requests[id]
            if "cancel" in message:
                task.cancel()
            else:
                request.on_message(message)

    async def close(self) -> None:
        """Cancel the running requests, and close what was opened."""
        tasks = [task for _, task in self._requests.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for research in self._pool.values():
            await research.close()
        if self._shared is not None:
            await self._shared.close()
        self._writing.shutdown()

    async def _answer(self, request: ResearchRequest) -> None:
        try:
            last: Message = {"result": await self._perform(request)}
        except OrynError as error:
            last = {"error": error_form(error)}
        except asyncio.CancelledError:
            last = {"error": error_form(Cancelled())}
        except Exception as raised:  # a bug costs one request, not all that are under way
            log.exception("unexpected error in %s", request.do)
            bug = InternalError(f"unexpected {type(raised).__name__}")
            last = {"error": error_form(bug)}
        await request.exit_stack.aclose()
        del self._requests[request.id]
        await self._evict_idle()
        try:
            await self._send({"id": request.id, **last})
        except BodyTooLarge as error:
            await self._send({"id": request.id, "error": error_form(error)})

    async def _perform(self, request: ResearchRequest) -> Message:
        with require_extra("research", f"'{request.do}'"):
            from oryn.research.process.handlers import handler_of
            from oryn.research.process.tab_renderer import CURRENT_REQUEST

            CURRENT_REQUEST.set(request)
            return await handler_of(request.do)(self._research_for(request.options), request)

    def _research_for(self, options: ResearchOptions) -> Research:
        """The `Research` with these options; requests with the same options share its throttle and cache. All of them
        share the index, which can be opened only once, and the model, which is large."""
        research = self._pool.pop(options, None)
        if research is None:
            from oryn.research import Research
            from oryn.research.context import ResearchContext
            from oryn.research.process.tab_renderer import TabRenderer

            self._shared = self._shared or ResearchContext(options)
            research = Research(
                options, index=self._shared.index, embedder=self._shared.embedder, renderer=TabRenderer()
            )
        self._pool[options] = research  # as the one that was used last
        return research

    async def _evict_idle(self) -> None:
        """Close those that were not used for longest, if there are too many."""
        used = {request.options for request, _ in self._requests.values()}
        idle = [options for options in self._pool if options not in used]
        for options in idle[: max(0, len(self._pool) - MAX_IDLE_RESEARCH)]:
            await self._pool.pop(options).close()

    async def _send(self, message: Message) -> None:
        line = line_of(message)
        await asyncio.get_running_loop().run_in_executor(self._writing, self._write, line)


async def serve() -> None:
    """Run until the input ends."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what a library prints must not stand between messages
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    threading.Thread(target=_read_lines, args=(asyncio.get_running_loop(), lines), daemon=True).start()
    server = ResearchServer(partial(_write_all, out))
    try:
        while line := await lines.get():
            server.on_message(message_of(line))
    finally:
        await server.close()


def _read_lines(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes]) -> None:
    with suppress(RuntimeError):  # the loop has ended before the input
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")


def _write_all(out: BinaryIO, line: bytes) -> None:
    rest = memoryview(line)
    with suppress(BrokenPipeError):  # the host has gone: so does the input
        while rest:
            rest = rest[out.write(rest) :]


def main() -> None:
    """Serve requests until standard input ends. Interrupts are ignored."""
    # An interrupt at the terminal concerns the parent process, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(level=logging.WARNING, format="research: %(levelname)s %(name)s: %(message)s")
    asyncio.run(serve())


if __name__ == "__main__":
    main()
