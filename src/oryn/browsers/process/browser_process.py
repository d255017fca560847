"""A running browser process: its end, and the tail of its standard error."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from weakref import WeakSet

from oryn.browsers.process.run_folder import LaunchedProcess, kill_group

START_SECONDS = 30.0
END_SECONDS = 5.0

_LOG_TAIL = 600

RUNNING: WeakSet[BrowserProcess] = WeakSet()
"""The browsers that this process has launched and that have not ended."""


class BrowserProcess:
    """A running browser process and its children."""

    def __init__(self, launched: LaunchedProcess) -> None:
        self.pid = launched.pid
        self.profile = launched.profile
        self._log = launched.folder.log
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        RUNNING.add(self)
        threading.Thread(target=self._watch, args=(launched.wait,), name="oryn-browser-exit", daemon=True).start()

    def _watch(self, wait: Callable[[], object]) -> None:
        try:
            wait()
        except ChildProcessError:
            pass  # the process was reaped elsewhere
        try:
            self._loop.call_soon_threadsafe(self._on_ended)
        except RuntimeError:
            pass  # the loop is closed, so nothing waits

    def _on_ended(self) -> None:
        self._ended.set()
        RUNNING.discard(self)

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    async def wait(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds for the end of the process. Returns whether it has ended."""
        try:
            async with asyncio.timeout(timeout):
                await self._ended.wait()
        except TimeoutError:
            return False
        return True

    def kill(self) -> None:
        """Kill the browser and its children."""
        kill_group(self.pid)

    def stderr_tail(self) -> str:
        """The last part of the browser's standard error."""
        try:
            text = self._log.read_text(errors="replace")
        except OSError:
            return ""
        return text[-_LOG_TAIL:].strip()
