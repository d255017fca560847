"""The run folder of a browser, the process that was launched in it, and the removal of run folders whose owners have
died.

Each browser has a folder below the runtime folder for its temporary files. The owner holds a lock on a file there,
which the system releases when the owner dies for any reason. A folder whose lock is free may be removed."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from oryn.core.records import Record
from oryn.system.environment import child_environment
from oryn.system.locks import try_lock

if TYPE_CHECKING:
    import socket

    from oryn.profiles.lock import Hold

_PREFIX = "browser-"
_OWNER = "owner.json"
_LOCK = "lock"
# sun_path of a Unix socket, less what Chromium appends: `/org.chromium.Chromium.XXXXXX/SingletonSocket`
_MAX_TEMPORARY_BYTES = 104 - 52


class RunFolder(Record, frozen=False):
    """The folder of one running browser, locked by its owner."""

    folder: Path
    _lock: IO[str]
    _hold: Hold | None = None

    @classmethod
    def create(cls, runtime_dir: Path) -> RunFolder:
        """Create a run folder below `runtime_dir`, readable by the owner only."""
        runtime_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Filled under a name that `remove_abandoned` ignores, so that it is never found without its lock.
        name = os.urandom(4).hex()
        hidden = runtime_dir / f".{_PREFIX}{name}"
        hidden.mkdir(mode=0o700)
        lock = (hidden / _LOCK).open("w")
        if not try_lock(lock):
            raise AssertionError("a new file is locked already")
        folder = hidden.rename(runtime_dir / f"{_PREFIX}{name}")
        for part in ("profile", "downloads", "tmp", "bin"):
            (folder / part).mkdir(mode=0o700)
        if sys.platform == "linux":
            _block_external_programs(folder / "bin")
        return cls(folder, lock)

    @property
    def profile(self) -> Path:
        """The folder of the temporary profile."""
        return self.folder / "profile"

    @property
    def downloads(self) -> Path:
        return self.folder / "downloads"

    def downloads_of(self, context: str) -> Path:
        """The folder for the downloads of one browser context, which is created if needed."""
        folder = self.folder / f"downloads-{context}"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def remove_downloads_of(self, context: str) -> None:
        _remove_tree(self.folder / f"downloads-{context}")

    @property
    def log(self) -> Path:
        return self.folder / "browser.log"

    def environment(self) -> dict[str, str]:
        """The variables for the browser: those for a foreign program, and some that keep pages from starting other
        programs, and the browser's temporary files in this folder, if the path is short enough for its sockets."""
        temporary = str(self.folder / "tmp")
        variables = {"PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
        return (
            child_environment()
            | variables
            | ({"TMPDIR": temporary} if len(temporary.encode()) <= _MAX_TEMPORARY_BYTES else {})
        )

    def lock_profile(self, profile: Path) -> None:
        """Lock a persistent profile until `release`. Raises `ProfileInUse`, `ConfigurationError`."""
        if self._hold is None:
            from oryn.profiles.lock import hold

            self._hold = hold(profile)

    def write_owner(self, pid: int, profile: Path, *, mark: str | None = None) -> None:
        """Store which process uses the folder, for `remove_abandoned`. `mark` is what its command line contains and
        that of no other process; by default its profile as Chromium has it."""
        mark = f"--user-data-dir={profile}" if mark is None else mark
        (self.folder / _OWNER).write_text(json.dumps({"browser": pid, "mark": mark}))

    def forget_browser(self) -> None:
        """Remove the files that a killed browser has left outside of the folder."""
        _remove_singleton(self.profile)

    def remove(self) -> bool:
        """Remove the folder. Returns whether nothing of it is left. Idempotent."""
        _remove(self.folder)
        return not self.folder.exists()

    def release(self) -> None:
        """Release the locks of the folder, whose remains the next start removes, and of the profile."""
        self._lock.close()
        if self._hold is not None:
            self._hold.end()


def _block_external_programs(folder: Path) -> None:
    """Keep links such as `tel:` and `mailto:` from starting other programs, or opening a prompt that blocks all input
    and is invisible without a screen. The browser does neither if `xdg-settings` names it as the default program for
    them, so this folder contains an `xdg-settings` that always agrees. https://manpages.debian.org/xdg-settings"""
    command = folder / "xdg-settings"
    command.write_text("#!/bin/sh\necho yes\n")
    command.chmod(0o700)


class LaunchedProcess(Record):
    """A browser process that has just been started.

    wait: blocks until the process has ended.
    pipe: our end of the socket pair, or None if the browser opens a port."""

    pid: int
    wait: Callable[[], object]
    pipe: socket.socket | None
    folder: RunFolder
    profile: Path


def remove_abandoned(runtime_dir: Path) -> list[Path]:
    """Kill the browsers whose owners have died, and remove their run folders. Returns these folders."""
    removed = []
    for folder in _abandoned(runtime_dir):
        with suppress(OSError, ValueError, KeyError, TypeError):
            owner = json.loads((folder / _OWNER).read_text())
            # The process id may have been reused; our browser has its mark on its command line.
            if owner["mark"] in command_line(int(owner["browser"])):
                kill_group(int(owner["browser"]))
        _remove(folder)
        removed.append(folder)
    return removed


def _abandoned(runtime_dir: Path) -> Iterator[Path]:
    """The run folders whose owners have died."""
    for folder in sorted(runtime_dir.glob(f"{_PREFIX}*")):
        try:
            lock = (folder / _LOCK).open("r+")
        except FileNotFoundError:
            yield folder  # removed in part
            continue
        except OSError:
            continue
        with lock:
            if try_lock(lock):
                yield folder


def kill_group(pid: int) -> None:
    """Kill the process group that `pid` leads (on Windows: the process and its children)."""
    try:
        if sys.platform == "win32":
            import subprocess

            subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], capture_output=True, check=False)
        else:
            os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # it has ended meanwhile


def command_line(pid: int) -> str:
    """The command line of a process, its arguments separated by spaces; empty if there is no such process."""
    if sys.platform == "linux":
        with suppress(OSError):
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return ""
    import subprocess

    query = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
    if sys.platform == "win32":
        expression = f'(Get-CimInstance Win32_Process -Filter "ProcessId={pid}").CommandLine'
        query = ["powershell", "-NoProfile", "-Command", expression]
    with suppress(OSError):
        return subprocess.run(query, capture_output=True, text=True, check=False).stdout
    return ""


def _remove(folder: Path) -> None:
    _remove_singleton(folder / "profile")
    # A child process that is still ending may write into it. The next start removes what remains.
    _remove_tree(folder)


def _remove_tree(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _remove_singleton(profile: Path) -> None:
    """Remove the socket folder that a killed browser leaves in the system's temporary folder, which it uses if our path
    is too long for `TMPDIR`."""
    with suppress(OSError):
        socket = Path(os.readlink(profile / "SingletonSocket"))
        if re.fullmatch(r"\.?[A-Za-z.]+\.[A-Za-z0-9]{6}", socket.parent.name) and not socket.parent.is_symlink():
            for name in ("SingletonSocket", "SingletonCookie"):
                (socket.parent / name).unlink(missing_ok=True)
            socket.parent.rmdir()
