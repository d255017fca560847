"""The lock of a profile: a lock on a file in it, which the system releases when its owner ends.

A browser that a person has started with the profile is found by the link that it creates itself."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from oryn.errors import ConfigurationError, ProfileInUse
from oryn.system.locks import try_lock
from oryn.system.processes import is_running

LOCK = "oryn.lock"
"""Contains the id of the process that uses the profile, or was the last to use it; its time is that of the last
change."""

_WAIT = "Close the session that uses it, or choose another profile."


class ProfileInUseByBrowser(ProfileInUse):
    """The lock is free, but a browser uses the profile: the user's, or one that is ending after its owner."""


class Hold:
    """The use of a profile by this process, until `end`."""

    def __init__(self, profile: Path, file: IO[str]) -> None:
        self.profile = profile
        self._file = file

    def end(self) -> None:
        """Release the profile. Idempotent."""
        if not self._file.closed:
            with suppress(OSError):  # the profile was deleted
                os.utime(self.profile / LOCK)
            self._file.close()


def hold(profile: Path) -> Hold:
    """Lock `profile` for this process.

    Raises `ProfileInUse` (`ProfileInUseByBrowser` if a browser without Oryn uses it), and `ConfigurationError` if its
    folder can't be created or locked."""
    try:
        profile.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.fdopen(os.open(profile / LOCK, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii")
    except OSError as error:
        raise ConfigurationError(f"can't use the profile {profile.name}: {error.strerror}") from error
    try:
        if not try_lock(file):
            raise ProfileInUse(f"the profile {profile.name} is in use by process {file.read().strip()}", _WAIT)
        if process := browser_in(profile):
            raise ProfileInUseByBrowser(
                f"the profile {profile.name} is in use by a browser, process {process}",
                "Close that browser, or choose another profile.",
            )
    except BaseException:
        file.close()
        raise
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return Hold(profile, file)


def holder(profile: Path) -> int | None:
    """The id of the process that uses `profile`, or None: the owner of a session's browser, else a browser."""
    with suppress(OSError), (profile / LOCK).open("r+", encoding="ascii") as file:
        if not try_lock(file):
            return int(file.read().strip() or 0)
    return browser_in(profile)


def last_use(profile: Path) -> float | None:
    """The Unix time at which the last use began or ended; None if the profile was never used."""
    with suppress(OSError):
        return (profile / LOCK).stat().st_mtime
    return None


def browser_in(folder: Path) -> int | None:
    """The id of the browser process that uses this user data folder, or None; 0 if the id can't be determined.
    https://source.chromium.org/chromium/chromium/src/+/main:chrome/browser/process_singleton_posix.cc"""
    if sys.platform == "win32":
        try:
            (folder / "lockfile").open("r+").close()
        except FileNotFoundError:
            return None
        except OSError:
            return 0
        return None
    with suppress(OSError, ValueError):
        host, _, process = os.readlink(folder / "SingletonLock").rpartition("-")
        if host == socket.gethostname() and is_running(int(process)):
            return int(process)
    return None
