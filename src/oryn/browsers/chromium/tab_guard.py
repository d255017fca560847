"""Closes the tabs that sessions have opened in somebody's browser, also if this process is killed.

A browser keeps tabs in its default context open when the client that has opened them disconnects. A small process of
its own therefore shares the socket of the connection. It learns which tabs to close, and closes them over the socket
once this process has ended, for whatever reason. A new connection would not do: the browser may ask its user to allow
each one."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from oryn.system.environment import child_environment
from oryn.system.processes import PASSES_DESCRIPTORS, detached_options

_PROGRAM = Path(__file__).with_name("tab_guard_process.py")
END_SECONDS = 5.0


class TabGuard:
    """The tabs to close if this process ends before `end`. Without a `descriptor`, a socket's that can be inherited,
    there is no such process: an encrypted connection has no second user, and Windows passes no sockets so."""

    def __init__(self, descriptor: int | None) -> None:
        self._tabs: set[str] = set()
        self._process: subprocess.Popen[bytes] | None = None
        if descriptor is not None and PASSES_DESCRIPTORS:
            # Standard library only, without the user's or the site's modules: it starts in milliseconds.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_PROGRAM), str(descriptor)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(descriptor,),
                env=child_environment(),
                **detached_options(),
            )

    @property
    def process_id(self) -> int | None:
        return None if self._process is None else self._process.pid

    def add(self, target_id: str) -> None:
        """Close this tab at the end. Idempotent."""
        if target_id not in self._tabs:
            self._tabs.add(target_id)
            self._send(f"+{target_id}")

    def remove(self, target_id: str) -> None:
        """The tab has closed, or is none of ours. Idempotent."""
        if target_id in self._tabs:
            self._tabs.remove(target_id)
            self._send(f"-{target_id}")

    def end(self) -> None:
        """End the process without closing a tab. Idempotent."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        _close(process.stdin)
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)

    def _send(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):  # it has ended
                self._process.stdin.write(f"{line}\n".encode())
                self._process.stdin.flush()


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        with suppress(OSError):
            stream.close()
