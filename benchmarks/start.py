"""From nothing to the first answered `goto`, against launching the browser and navigating with bare protocol calls.

usage: python -m benchmarks.start      Medians of rounds run in turn, and their ratio.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import Any

from benchmarks._host import FORM, Host, OnePage, compile_modules
from oryn.browsers.chromium.discovery import find_browser

ROUNDS = 9
REST = 1.5
"""Seconds between two starts, so that what one leaves to end does not slow the other."""
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-quic --remote-debugging-pipe about:blank"
)


class Pipe:
    """The protocol over the browser's pipe, one call at a time."""

    def __init__(self, executable: str, profile: str) -> None:
        # Above 10, so that the child's copies on 3 and 4 overwrite neither end.
        child_in, self._out = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in os.pipe())
        self._in, child_out = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in os.pipe())

        def wire() -> None:
            os.dup2(child_in, 3)
            os.dup2(child_out, 4)

        command = [executable, *FLAGS.split(), f"--user-data-dir={profile}"]
        self.process = subprocess.Popen(
            command, preexec_fn=wire, pass_fds=(3, 4), stderr=subprocess.DEVNULL, start_new_session=True
        )
        os.close(child_in)
        os.close(child_out)
        self._buffer = b""
        self._number = 0

    def message(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            self._buffer += os.read(self._in, 65536)
        whole, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(whole)
        return message

    def call(self, method: str, session: str | None = None, **params: object) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (answer := self.message()).get("id") != self._number:
            pass
        result: dict[str, Any] = answer["result"]
        return result

    def close(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._out)
        os.close(self._in)


def bare(executable: str, url: str) -> float:
    """Launch, attach, navigate, and wait for the load event; the moment when it came."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Pipe(executable, profile)
        targets = browser.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        session = browser.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        browser.call("Page.enable", session)
        browser.call("Page.navigate", session, url=url)
        while browser.message().get("method") != "Page.loadEventFired":
            pass
        ended = time.perf_counter()
        browser.close()
        return ended


def measure(work: Callable[[], float]) -> float:
    time.sleep(REST)
    started = time.perf_counter()
    return work() - started


def main() -> None:
    executable = str(find_browser())

    def run_oryn() -> float:
        host = Host()
        answer = host.ask(f"goto {page.url}")
        ended = time.perf_counter()
        assert answer.startswith("ok"), answer
        host.close()
        return ended

    with tempfile.TemporaryDirectory() as folder, OnePage(FORM) as page:
        compile_modules(folder)
        times = [(measure(lambda: bare(executable, page.url)), measure(run_oryn)) for _ in range(ROUNDS + 1)][1:]
    base, ours = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"bare {base:.3f} s  oryn headless {ours:.3f} s  ratio {ours / base:.2f}  (medians of {ROUNDS})")


if __name__ == "__main__":
    main()
