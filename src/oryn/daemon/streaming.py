"""`POST /command` for callers who read as it comes: what of a command is there before its response, a JSON object a
line (`Accept: application/x-ndjson`).

    {"progress": {"stage": "crawl", "done": 3, "total": 8}}
    {"item": {…}}                                               a part of the result, such as a page of a crawl
    {"response": {…}, "exit_code": 0, "json": false}            the last line; `json` says that the words ask for it

A caller that hangs up takes the command back.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any

from starlette.responses import StreamingResponse

from oryn.daemon.protocol import json_text

if TYPE_CHECKING:
    from starlette.types import Send

    from oryn.daemon.dispatch import Dispatcher
    from oryn.daemon.reading import Meaning

MEDIA_TYPE = "application/x-ndjson"


class Stream:
    """What is told of one command while it is done."""

    def __init__(self) -> None:
        self._items: asyncio.Queue[tuple[Mapping[str, Any], asyncio.Event]] = asyncio.Queue()
        self._progress: Mapping[str, Any] | None = None
        self._news = asyncio.Event()

    def progress(self, progress: Mapping[str, Any]) -> None:
        """How far it is; of what was not read yet, the latest counts."""
        self._progress = progress
        self._news.set()

    async def item(self, item: Mapping[str, Any]) -> None:
        """A part of the result; returns when it was sent."""
        sent = asyncio.Event()
        self._items.put_nowait((item, sent))
        self._news.set()
        await sent.wait()

    async def until(self, task: asyncio.Task[Any]) -> AsyncGenerator[dict[str, Any]]:
        """All that is told until a task has ended."""
        task.add_done_callback(lambda _: self._news.set())
        while True:
            self._news.clear()
            while not self._items.empty():
                item, sent = self._items.get_nowait()
                yield {"item": item}
                sent.set()
            if self._progress is not None:
                progress, self._progress = self._progress, None
                yield {"progress": progress}
            if task.done() and self._items.empty():
                return
            await self._news.wait()


STREAM: ContextVar[Stream | None] = ContextVar("STREAM", default=None)
"""Of the command that the current task performs, where its caller reads one."""


class Streamed(StreamingResponse):
    """A command on its way. Raises what keeps it from being tried."""

    def __init__(self, dispatcher: Dispatcher, meaning: Meaning) -> None:
        stream, context = Stream(), copy_context()
        context.run(STREAM.set, stream)
        self._task = context.run(dispatcher.begun, meaning.envelope, meaning.line)
        self._stream = stream
        self._as_json = meaning.as_json
        self._lines = self._told()
        super().__init__(self._lines, media_type=MEDIA_TYPE)

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        finally:  # the caller may have hung up
            await self._lines.aclose()

    async def _told(self) -> AsyncGenerator[bytes]:
        try:
            async for told in self._stream.until(self._task):
                yield _line(told)
            response, answer = self._task.result()
            ending = {"exit_code": answer.error.exit_code if answer.error else 0, "json": self._as_json}
            yield b'{"response":' + json_text(response).encode("utf-8", "replace") + b"," + _line(ending)[1:]
        finally:
            self._task.cancel()


def _line(told: Mapping[str, Any]) -> bytes:
    """ASCII only: half a character, which a page may have, can't be sent otherwise."""
    return json.dumps(told, separators=(",", ":")).encode("ascii") + b"\n"
