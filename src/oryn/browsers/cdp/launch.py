"""Starting a browser: its flags, its folder, its process, and its end.

On Linux and macOS the browser speaks over a socket pair that it inherits as descriptors 3 and 4: no port is open, and
it ends by itself when its owner does. Windows can't hand descriptors on this way: there it opens a port on loopback.
https://peter.sh/experiments/chromium-command-line-switches/
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from oryn.browsers.cdp.cleanup import RunFolder, kill_group
from oryn.errors import BrowserFailed

# What the browser would do besides showing pages.
_QUIET = (
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-field-trial-config",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
)
# What would make a page behave otherwise than in a window that a person looks at, or lose input.
_STEADY = (
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-quic",
    "--disable-renderer-backgrounding",
    "--disable-features=Translate,MediaRouter,OptimizationHints,Prerender2,AcceptCHFrame,DestroyProfileOnBrowserClose",
    "--enable-automation",
)
_HEADLESS = ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--mute-audio")

PORT_FILE = "DevToolsActivePort"
_LOG_TAIL = 600


@dataclass(frozen=True, slots=True)
class Launch:
    """What to start and how."""

    executable: str
    profile: Path
    headful: bool
    viewport: tuple[int, int]
    extra_args: tuple[str, ...] = ()

    def arguments(self, *, over_port: bool, as_root: bool) -> list[str]:
        width, height = self.viewport
        return [
            self.executable,
            *_QUIET,
            *_STEADY,
            *(() if self.headful else _HEADLESS),
            # Chromium refuses to run as root with its sandbox: https://crbug.com/638180
            *(("--no-sandbox",) if as_root else ()),
            f"--window-size={width},{height}",
            f"--user-data-dir={self.profile}",
            "--remote-debugging-port=0" if over_port else "--remote-debugging-pipe",
            *self.extra_args,
        ]


class Process:
    """A running browser and all that it started."""

    def __init__(self, pid: int, run_folder: RunFolder, wait: Callable[[], object]) -> None:
        """`wait` blocks until the process has ended; it is called in a thread of its own."""
        self.pid = pid
        self._run_folder = run_folder
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        threading.Thread(target=self._watch, args=(wait,), name="oryn-browser-exit", daemon=True).start()

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
            text = self._run_folder.log.read_text(errors="replace")
        except OSError:
            return ""
        return text[-_LOG_TAIL:].strip()


def start(launch: Launch, run_folder: RunFolder) -> tuple[Process, socket.socket | None]:
    """Start the browser; our end of the pipe, or None where it opens a port. Raises `BrowserFailed`."""
    try:
        if sys.platform == "win32":
            return _start_with_port(launch, run_folder), None
        else:
            return _start_with_pipe(launch, run_folder)
    except OSError as error:
        raise BrowserFailed(
            f"{launch.executable} did not start: {error.strerror}", "Run 'oryn doctor', or name another with --browser."
        ) from error


if sys.platform != "win32":

    def _start_with_pipe(launch: Launch, run_folder: RunFolder) -> tuple[Process, socket.socket]:
        import fcntl

        arguments = launch.arguments(over_port=False, as_root=os.geteuid() == 0)
        ours, theirs = socket.socketpair()
        # Above 10, so that duplicating onto 3 and 4 can't overwrite it.
        end = fcntl.fcntl(theirs, fcntl.F_DUPFD_CLOEXEC, 10)
        log = os.open(run_folder.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            pid = os.posix_spawn(
                arguments[0],
                arguments,
                {**os.environ, **run_folder.environment()},
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, log, 1),
                    (os.POSIX_SPAWN_DUP2, log, 2),
                    (os.POSIX_SPAWN_DUP2, end, 3),
                    (os.POSIX_SPAWN_DUP2, end, 4),
                ],
                # A group of its own: Ctrl-C in our terminal is not for the browser, and the group can be killed whole.
                setpgroup=0,
            )
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
            os.close(end)
            os.close(log)
        ours.setblocking(False)
        return Process(pid, run_folder, lambda: os.waitpid(pid, 0)), ours


def _start_with_port(launch: Launch, run_folder: RunFolder) -> Process:
    import subprocess

    with run_folder.log.open("wb") as log:
        process = subprocess.Popen(
            launch.arguments(over_port=True, as_root=False),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **run_folder.environment()},
        )
    return Process(process.pid, run_folder, process.wait)


async def endpoint_of(profile: Path, process: Process, timeout: float) -> str:
    """The WebSocket address that a browser with an open port has written into its profile. Raises `BrowserFailed`."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout
    while loop.time() < deadline and not process.ended:
        try:
            port, path = (profile / PORT_FILE).read_text().split()
            return f"ws://127.0.0.1:{port}{path}"
        except (OSError, ValueError):
            await process.wait(0.02)  # there is no event for a file that appears
    raise BrowserFailed("the browser did not open its port", process.last_words() or None)
