"""Nothing outlives its owner: the folder of a running browser, and removing what dead owners left behind.

Each browser has a folder below the runtime folder, with everything temporary in it. The owner holds a lock on a file
there; the system lets go of it when the owner dies, however it dies. Whoever finds one that it can lock may remove it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from oryn.locks import try_lock
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.profiles.lock import Hold

_PREFIX = "browser-"
_OWNER = "owner.json"
_LOCK = "lock"
# sun_path of a Unix socket, less what Chromium appends: `/org.chromium.Chromium.XXXXXX/SingletonSocket`
_LONGEST_TEMPORARY = 104 - 52


class RunFolder(Record, frozen=False):
    """The folder of one running browser, locked by its owner."""

    folder: Path
    _lock: IO[str]
    _hold: Hold | None = None

    @classmethod
    def make(cls, runtime_dir: Path) -> RunFolder:
        """A new one below `runtime_dir`, for the owner alone."""
        runtime_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Filled under a name that nobody looks at, so that it is never seen without its lock.
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
            _open_nothing_outside(folder / "bin")
        return cls(folder, lock)

    @property
    def profile(self) -> Path:
        """A temporary profile."""
        return self.folder / "profile"

    @property
    def downloads(self) -> Path:
        return self.folder / "downloads"

    def downloads_of(self, context: str) -> Path:
        """The folder for the downloads of one browser context, made."""
        folder = self.folder / f"downloads-{context}"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def remove_downloads_of(self, context: str) -> None:
        _remove_tree(self.folder / f"downloads-{context}")

    @property
    def log(self) -> Path:
        return self.folder / "browser.log"

    def environment(self) -> dict[str, str]:
        """Variables that keep the browser's temporary files in here, where the path is short enough for its sockets,
        and pages from opening other programs."""
        temporary = str(self.folder / "tmp")
        found = {"PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
        return found | ({"TMPDIR": temporary} if len(temporary.encode()) <= _LONGEST_TEMPORARY else {})

    def hold(self, profile: Path) -> None:
        """Be the one in a profile that lasts, until `release`. Raises `ProfileInUse`, `ConfigurationError`."""
        if self._hold is None:
            from oryn.profiles.lock import hold

            self._hold = hold(profile)

    def tell(self, pid: int, profile: Path) -> None:
        """Write down which process lives here, for whoever has to clean up."""
        (self.folder / _OWNER).write_text(json.dumps({"browser": pid, "profile": str(profile)}))

    def forget_browser(self) -> None:
        """The browser that lived here was killed: remove what it has outside of the folder."""
        _remove_singleton(self.profile)

    def remove(self) -> bool:
        """Remove the folder; whether nothing of it is left. Safe to call twice."""
        _remove(self.folder)
        return not self.folder.exists()

    def release(self) -> None:
        """Let go of the folder, whose remains the next start removes, and of the profile."""
        self._lock.close()
        if self._hold is not None:
            self._hold.end()


def _open_nothing_outside(folder: Path) -> None:
    """A link to another program (`tel:`, `mailto:`) makes the browser start it, or ask in a window that keeps all input
    from the page, unseen where there is no screen. It does neither for what it believes to be its own, and this is whom
    it asks. https://manpages.debian.org/xdg-settings"""
    command = folder / "xdg-settings"
    command.write_text("#!/bin/sh\necho yes\n")
    command.chmod(0o700)


def clean(runtime_dir: Path) -> list[Path]:
    """Kill the browsers whose owners are dead and remove their folders; which ones they were."""
    removed = []
    for folder in _abandoned(runtime_dir):
        with suppress(OSError, ValueError, KeyError, TypeError):
            about = json.loads((folder / _OWNER).read_text())
            # The number may belong to another process by now; ours names its profile on its command line.
            if f"--user-data-dir={about['profile']}" in command_line(int(about["browser"])):
                kill_group(int(about["browser"]))
        _remove(folder)
        removed.append(folder)
    return removed


def _abandoned(runtime_dir: Path) -> Iterator[Path]:
    """RunFolders whose owner is dead."""
    for folder in sorted(runtime_dir.glob(f"{_PREFIX}*")):
        try:
            lock = (folder / _LOCK).open("r+")
        except FileNotFoundError:
            yield folder  # half removed
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
    """The command line of a process, its arguments apart by spaces; empty when there is no such process."""
    if sys.platform == "linux":
        with suppress(OSError):
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return ""
    import subprocess

    ask = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
    if sys.platform == "win32":
        question = f'(Get-CimInstance Win32_Process -Filter "ProcessId={pid}").CommandLine'
        ask = ["powershell", "-NoProfile", "-Command", question]
    with suppress(OSError):
        return subprocess.run(ask, capture_output=True, text=True, check=False).stdout
    return ""


def _remove(folder: Path) -> None:
    _remove_singleton(folder / "profile")
    # A child that is still ending may write into it: what can't be removed now, the next start removes.
    _remove_tree(folder)


def _remove_tree(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _remove_singleton(profile: Path) -> None:
    """Where the path was too long for `TMPDIR`, a killed browser leaves the folder of its socket in the system's."""
    with suppress(OSError):
        socket = Path(os.readlink(profile / "SingletonSocket"))
        if re.fullmatch(r"\.?[A-Za-z.]+\.[A-Za-z0-9]{6}", socket.parent.name) and not socket.parent.is_symlink():
            for name in ("SingletonSocket", "SingletonCookie"):
                (socket.parent / name).unlink(missing_ok=True)
            socket.parent.rmdir()
