"""The life of a browser's process: its end, and what it said before."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from oryn.browsers.cdp.cleanup import kill_group
from oryn.browsers.cdp.launch import PORT_FILE, Started
from oryn.errors import BrowserFailed

START_SECONDS = 30.0
END_SECONDS = 5.0

_LOG_TAIL = 600


class Process:
    """A running browser and all that it started."""

    def __init__(self, started: Started) -> None:
        self.pid = started.pid
        self._profile = started.profile
        self._log = started.folder.log
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        threading.Thread(target=self._watch, args=(started.wait,), name="oryn-browser-exit", daemon=True).start()

    def _watch(self, wait: Callable[[], object]) -> None:
        try:
            wait()
        except ChildProcessError:
            pass  # somebody else has reaped it
        try:
            self._loop.call_soon_threadsafe(self._ended.set)
        except RuntimeError:
            pass  # the loop is closed: nobody waits

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    async def wait(self, timeout: float) -> bool:
        """Wait for the end, at most `timeout` seconds. Whether it came."""
        try:
            async with asyncio.timeout(timeout):
                await self._ended.wait()
        except TimeoutError:
            return False
        return True

    def kill(self) -> None:
        """End the browser and its children now."""
        kill_group(self.pid)

    def last_words(self) -> str:
        """The end of what the browser said on standard error."""
        try:
            text = self._log.read_text(errors="replace")
        except OSError:
            return ""
        return text[-_LOG_TAIL:].strip()

    async def endpoint(self, timeout: float) -> str:
        """The WebSocket address of a browser with an open port, which it writes into its profile. Raises
        `BrowserFailed`."""
        deadline = self._loop.time() + timeout
        while self._loop.time() < deadline and not self.ended:
            try:
                port, path = (self._profile / PORT_FILE).read_text().split()
                return f"ws://127.0.0.1:{port}{path}"
            except (OSError, ValueError):
                await self.wait(0.02)  # there is no event for a file that appears
        raise BrowserFailed("the browser did not open its port", self.last_words() or None)
