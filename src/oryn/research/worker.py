"""`python -m oryn.research.worker`: research for a host in a process of its own, which says what to do on standard
input and hears of it on standard output (`wire`).

Everything that is slow to import or large in memory is here: the host stays small and quick, and outlives what a page
may do to a parser. Ends with its input.
"""

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

from oryn.errors import Cancelled, InternalError, OrynError
from oryn.extras import needed
from oryn.research.asked import Asked
from oryn.research.failures import BodyTooLarge
from oryn.research.wire import Message, error_form, line_of, message_of, options_of

if TYPE_CHECKING:
    from oryn.research import Research
    from oryn.research.options import ResearchOptions

log = logging.getLogger(__name__)


MOST_DESKS = 4
"""So many `Research` stay open that nobody uses now: callers differ in what their sessions allow."""


class Worker:
    """`write` takes the lines that go to the host; it is called in a thread."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="oryn-wire")
        self._asked: dict[int, tuple[Asked, asyncio.Task[None]]] = {}
        self._desks: dict[ResearchOptions, Research] = {}
        self._keeper: Research | None = None
        """Has the index and the model."""

    def hear(self, message: Message) -> None:
        """Begin a request, or go on with one."""
        id = message["id"]
        if "do" in message:
            asked = Asked(id, message["do"], options_of(message["options"]), message["arguments"], self._send)
            self._asked[id] = asked, asyncio.create_task(self._answer(asked))
        elif id in self._asked:
            asked, task = self._asked[id]
            if "cancel" in message:
                task.cancel()
            else:
                asked.hear(message)

    async def close(self) -> None:
        """Give up what is under way, and close what was opened."""
        tasks = [task for _, task in self._asked.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for desk in self._desks.values():
            await desk.close()
        if self._keeper is not None:
            await self._keeper.close()
        self._writing.shutdown()

    async def _answer(self, asked: Asked) -> None:
        try:
            last: Message = {"result": await self._performed(asked)}
        except OrynError as error:
            last = {"error": error_form(error)}
        except asyncio.CancelledError:
            last = {"error": error_form(Cancelled())}
        except Exception as raised:  # a bug costs one request, not all that are under way
            log.exception("unexpected error in %s", asked.do)
            bug = InternalError(f"unexpected {type(raised).__name__}", "Please report this.")
            last = {"error": error_form(bug)}
        await asked.until_done.aclose()
        del self._asked[asked.id]
        await self._tidy()
        try:
            await self._send({"id": asked.id, **last})
        except BodyTooLarge as error:
            await self._send({"id": asked.id, "error": error_form(error)})

    async def _performed(self, asked: Asked) -> Message:
        with needed("research", f"'{asked.do}'"):
            from oryn.research.rendering import ASKED
            from oryn.research.requests import performer_of

            ASKED.set(asked)
            return await performer_of(asked.do)(self._desk(asked.options), asked)

    def _desk(self, options: ResearchOptions) -> Research:
        """The `Research` with these options, whose throttle and cache all requests with them share. The index, which
        can be opened once only, and the model, which is large, are the same for all."""
        desk = self._desks.pop(options, None)
        if desk is None:
            from oryn.research import Research
            from oryn.research.rendering import TabRenderer

            self._keeper = self._keeper or Research(options)
            desk = Research(options, index=self._keeper.index, embedder=self._keeper.embedder, renderer=TabRenderer())
        self._desks[options] = desk  # as the one that was used last
        return desk

    async def _tidy(self) -> None:
        """Close what was not used for longest, where there is much of it."""
        used = {asked.options for asked, _ in self._asked.values()}
        idle = [options for options in self._desks if options not in used]
        for options in idle[: max(0, len(self._desks) - MOST_DESKS)]:
            await self._desks.pop(options).close()

    async def _send(self, message: Message) -> None:
        line = line_of(message)
        await asyncio.get_running_loop().run_in_executor(self._writing, self._write, line)


async def serve() -> None:
    """Until the input ends."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what a library prints must not stand between messages
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    threading.Thread(target=_read, args=(asyncio.get_running_loop(), lines), daemon=True).start()
    worker = Worker(partial(_written, out))
    try:
        while line := await lines.get():
            worker.hear(message_of(line))
    finally:
        await worker.close()


def _read(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes]) -> None:
    with suppress(RuntimeError):  # the loop has ended before the input
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")


def _written(out: BinaryIO, line: bytes) -> None:
    rest = memoryview(line)
    with suppress(BrokenPipeError):  # the host has gone: so does the input
        while rest:
            rest = rest[out.write(rest) :]


def main() -> None:
    # Whoever started this ends it; an interrupt at the terminal is theirs to hear.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(level=logging.WARNING, format="research: %(levelname)s %(name)s: %(message)s")
    asyncio.run(serve())


if __name__ == "__main__":
    main()
