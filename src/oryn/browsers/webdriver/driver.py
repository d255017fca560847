"""The driver's process: it and its browser are one process group, which ends if either of them or its owner ends.

A shell leads the group. It kills the whole group when the driver ends, and when its standard input closes, which the
system does when this process ends for any reason. So a browser never outlives its owner."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path

from oryn.browsers.process.run_folder import LaunchedProcess, RunFolder
from oryn.browsers.webdriver.engines import WebDriverEngine, find_driver
from oryn.core.records import Record
from oryn.errors import BrowserFailed, BrowserNotFound

# The subshell reads until the owner's end of the pipe closes; background jobs have no standard input of their own.
_SUPERVISOR = 'exec 3<&0; { read -r _ <&3; kill -KILL 0; } & %s"$@" </dev/null 3<&-; kill -KILL 0'
# Xvfb writes the number of the display that it has found free into the pipe `$0`.
_SCREEN = """mkfifo "$0"; Xvfb -displayfd 4 -screen 0 1280x1024x24 -nolisten tcp </dev/null 3<&- 4<>"$0" &
read -r screen <"$0"; export DISPLAY=":$screen"; """


class LaunchedDriver(Record):
    """A driver that has just been started.

    url: where it will answer.
    supervisor: the shell that leads its process group; the group ends with its standard input."""

    process: LaunchedProcess
    url: str
    supervisor: subprocess.Popen[bytes]


class DriverProcess:
    """A running driver, with a port and a folder of its own. Needs a running event loop."""

    def __init__(self, launched: LaunchedDriver) -> None:
        from oryn.browsers.process.browser_process import BrowserProcess  # which imports asyncio

        self._process = BrowserProcess(launched.process)
        self._folder = launched.process.folder
        self._pipe = launched.supervisor
        self.url = launched.url
        """Where it answers."""

    @property
    def pid(self) -> int:
        """The leader of the process group."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the driver, and so its browser, has ended."""
        return self._process.ended

    def error_output(self) -> str:
        """The last part of its standard error."""
        return self._process.stderr_tail()

    async def end(self) -> None:
        """Kill the driver and its browser, and remove their files."""
        from oryn.browsers.process.browser_process import END_SECONDS

        self._process.kill()
        if self._pipe.stdin is not None:
            self._pipe.stdin.close()
        await self._process.wait(END_SECONDS)
        self._folder.remove()
        self._folder.release()


def launch_driver(engine: WebDriverEngine, runtime_dir: Path, *, shader_cache: Path | None = None) -> LaunchedDriver:
    """Start a driver of `engine` on a free port of loopback, and a display that nobody sees if the engine needs one and
    there is none. Needs no event loop.

    `shader_cache` is the folder in which Mesa keeps what it has compiled for the next start; None keeps nothing.

    Raises `BrowserNotFound`, `BrowserFailed`."""
    program = find_driver(engine)
    own_screen = engine.needs_display and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if own_screen and shutil.which("Xvfb") is None:
        raise BrowserNotFound(f"{engine.name} needs a display, and Xvfb is not installed", "Install xvfb.")
    port = _free_port()
    folder = RunFolder.create(runtime_dir)
    arguments = [program, f"--port={port}", "--host=127.0.0.1"]
    try:
        with folder.log.open("wb") as log:
            pipe = subprocess.Popen(
                ["/bin/sh", "-c", _SUPERVISOR % (_SCREEN if own_screen else ""), folder.folder / "screen", *arguments],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=_environment(engine, folder, shader_cache),
                start_new_session=True,
            )
    except OSError as error:
        folder.remove()
        folder.release()
        raise BrowserFailed(f"{program} did not start: {error.strerror}", "Run 'oryn doctor'.") from error
    folder.write_owner(pipe.pid, folder.profile, mark=f"--port={port}")
    process = LaunchedProcess(pipe.pid, pipe.wait, None, folder, folder.profile)
    return LaunchedDriver(process, f"http://127.0.0.1:{port}", pipe)


def _environment(engine: WebDriverEngine, folder: RunFolder, shader_cache: Path | None) -> Mapping[str, str]:
    """The variables for a driver; what its browser stores goes to the run folder."""
    stored = {f"XDG_{kind}_HOME": str(folder.profile) for kind in ("DATA", "CACHE", "CONFIG")}
    # Without a bus of its own each start waits for one and complains.
    quiet = {"NO_AT_BRIDGE": "1", "GTK_A11Y": "none"}
    cache = {"MESA_SHADER_CACHE_DIR": str(shader_cache), "MESA_SHADER_CACHE_MAX_SIZE": "64M"} if shader_cache else {}
    return {**engine.environment, **folder.environment()} | stored | cache | quiet


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
