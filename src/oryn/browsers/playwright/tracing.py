"""Playwright's own trace of a session, which its viewer opens: pictures, requests, the console, and Oryn's commands as
groups. https://playwright.dev/python/docs/trace-viewer"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from oryn.browsers.base.recording import ByteWriter, Tracing
from oryn.browsers.playwright.error_mapping import call_error
from oryn.core.error_text import round_up_seconds
from oryn.errors import AlreadyRunning, BrowserFailed, OrynError, Timeout

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext

_CHUNK_BYTES = 1 << 20
_DISCARD_SECONDS = 5.0
_STEP_SECONDS = 2.0
_STARTED = "Tracing has been already started"


class PlaywrightTracing(Tracing):
    """The trace of one session.

    context: returns the session's context."""

    is_archive: ClassVar[bool] = True

    def __init__(self, context: Callable[[], BrowserContext]) -> None:
        self._context = context
        self._traced: BrowserContext | None = None
        self._open_steps = 0
        self._steps = 0

    async def start(self, *, timeout: float = 30) -> None:
        context = self._context()
        with _mapped_errors():
            await _limited(context.tracing.start(screenshots=True), timeout, "start its trace")
        self._traced, self._steps = context, 0

    async def begin_step(self, name: str) -> None:
        context = self._traced
        if context is None:
            return
        self._steps += 1
        # Without a location, Playwright would store where in Oryn's source the command is run.
        place = {"file": "commands", "line": self._steps}
        with suppress(OrynError), _mapped_errors():
            await _limited(context.tracing.group(name, location=place), _STEP_SECONDS, "begin a group")
            self._open_steps += 1

    async def end_step(self) -> None:
        if self._traced is None or not self._open_steps:
            return
        self._open_steps -= 1
        with suppress(OrynError), _mapped_errors():
            await _limited(self._traced.tracing.group_end(), _STEP_SECONDS, "end a group")

    async def stop(self, write: ByteWriter, *, timeout: float = 30) -> bool:
        context = self._traced
        if context is None or not self._is_current(context):
            raise BrowserFailed("the browser that was traced is gone", "Run 'goto' to start it again.")
        with tempfile.TemporaryDirectory(prefix="oryn-") as folder:
            file = Path(folder, "trace.zip")
            with _mapped_errors():
                await _limited(context.tracing.stop(path=file), timeout, "end its trace")
            self._traced, self._open_steps = None, 0
            await asyncio.to_thread(_copy, file, write)
        return True

    async def discard(self) -> None:
        context, self._traced = self._traced, None
        self._open_steps = 0
        if context is not None and self._is_current(context):
            with suppress(OrynError), _mapped_errors():
                await _limited(context.tracing.stop(), _DISCARD_SECONDS, "end its trace")

    def _is_current(self, context: BrowserContext) -> bool:
        """Whether the browser of a context still runs."""
        try:
            return self._context() is context
        except BrowserFailed:
            return False


def _copy(file: Path, write: ByteWriter) -> None:
    with file.open("rb") as trace:
        while piece := trace.read(_CHUNK_BYTES):
            write(piece)


@contextmanager
def _mapped_errors() -> Iterator[None]:
    try:
        yield
    except OrynError:
        raise
    except Exception as error:  # of Playwright, also when its driver is gone
        if _STARTED in str(error):
            raise AlreadyRunning("a trace is running already", "End it first: trace stop.") from error
        raise call_error(error) from error


async def _limited(call: Awaitable[object], timeout: float, what: str) -> None:
    try:
        async with asyncio.timeout(timeout):
            await call
    except TimeoutError:
        raise Timeout(f"the browser did not {what} within {round_up_seconds(timeout):g} s") from None
