"""A program and the browser that belongs to it, as one process group that ends if the program or its owner ends.

A shell leads the group. It kills the whole group when the program ends, and when its standard input closes, which the
system does when this process ends for any reason. So a browser never outlives its owner."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from oryn.browsers.process.run_folder import LaunchedProcess, RunFolder
from oryn.core.records import Record
from oryn.errors import BrowserFailed, BrowserNotFound

# The subshell reads until the owner's end of the pipe closes; background jobs have no standard input of their own.
_SUPERVISOR = 'exec 3<&0; { read -r _ <&3; kill -KILL 0; } & %s"$@" </dev/null 3<&-; kill -KILL 0'
# Xvfb writes the number of the display that it has found free into the pipe `$0`.
_SCREEN = """mkfifo "$0"; Xvfb -displayfd 4 -screen 0 1280x1024x24 -nolisten tcp </dev/null 3<&- 4<>"$0" &
read -r screen <"$0"; export DISPLAY=":$screen"; """


class SupervisedLaunch(Record):
    """A program that has just been started.

    supervisor: the shell that leads its process group; the group ends with its standard input."""

    process: LaunchedProcess
    supervisor: subprocess.Popen[bytes]


def check_display(name: str) -> bool:
    """Whether a browser that draws into a window needs a display of its own, because there is none. Raises
    `BrowserNotFound` if Xvfb, which is that display, is not installed."""
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return False
    if shutil.which("Xvfb") is None:
        raise BrowserNotFound(f"{name} needs a display, and Xvfb is not installed", "Install xvfb.")
    return True


def launch_supervised(
    arguments: Sequence[str], folder: RunFolder, environment: Mapping[str, str], *, own_screen: bool = False
) -> SupervisedLaunch:
    """Start a program, whose output goes to the log of `folder`. Needs no event loop.

    `own_screen` starts Xvfb for it. Raises `BrowserFailed`; the folder is removed then."""
    try:
        with folder.log.open("wb") as log:
            pipe = subprocess.Popen(
                ["/bin/sh", "-c", _SUPERVISOR % (_SCREEN if own_screen else ""), folder.folder / "screen", *arguments],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
            )
    except OSError as error:
        folder.remove()
        folder.release()
        raise BrowserFailed(f"{arguments[0]} did not start: {error.strerror}", "Run 'oryn doctor'.") from error
    folder.write_owner(pipe.pid, folder.profile, mark=str(folder.folder / "screen"))
    return SupervisedLaunch(LaunchedProcess(pipe.pid, pipe.wait, None, folder, folder.profile), pipe)


class SupervisedProcess:
    """A running program with its browser, in a run folder of its own. Needs a running event loop."""

    def __init__(self, started: SupervisedLaunch) -> None:
        from oryn.browsers.process.browser_process import BrowserProcess  # which imports asyncio

        self._process = BrowserProcess(started.process)
        self._folder = started.process.folder
        self._pipe = started.supervisor

    @property
    def pid(self) -> int:
        """The leader of the process group."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the program, and so its browser, has ended."""
        return self._process.ended

    @property
    def folder(self) -> RunFolder:
        return self._folder

    def error_output(self) -> str:
        """The last part of its standard error."""
        return self._process.stderr_tail()

    async def end(self) -> None:
        """Kill the program and its browser, and remove their files."""
        from oryn.browsers.process.browser_process import END_SECONDS

        self._process.kill()
        if self._pipe.stdin is not None:
            self._pipe.stdin.close()
        await self._process.wait(END_SECONDS)
        self._folder.remove()
        self._folder.release()
