"""Who is in a profile. Its owner holds a lock on a file in it, which the system lets go of however the owner ends; a
browser that somebody has started there by hand is known by the link that it makes itself."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from oryn.errors import ConfigurationError, ProfileInUse
from oryn.locks import try_lock
from oryn.processes import is_running

LOCK = "oryn.lock"
"""Holds the number of the process that is in the profile, or was last; it was changed when that came or went."""

_WAIT = "Close the session that uses it, or choose another profile."


class HeldByBrowser(ProfileInUse):
    """Nobody holds the lock, but a browser is there: somebody's, or one that is ending after its owner."""


class Hold:
    """This process is in the profile, until `end`."""

    def __init__(self, profile: Path, file: IO[str]) -> None:
        self.profile = profile
        self._file = file

    def end(self) -> None:
        """Safe to call twice."""
        if not self._file.closed:
            with suppress(OSError):  # the profile was deleted
                os.utime(self.profile / LOCK)
            self._file.close()


def hold(profile: Path) -> Hold:
    """Be the one in `profile`. Raises `ProfileInUse`, `ConfigurationError`."""
    try:
        profile.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.fdopen(os.open(profile / LOCK, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii")
    except OSError as error:
        raise ConfigurationError(f"can't use the profile {profile.name}: {error.strerror}") from error
    try:
        if not try_lock(file):
            raise ProfileInUse(f"the profile {profile.name} is in use by process {file.read().strip()}", _WAIT)
        if process := browser_in(profile):
            raise HeldByBrowser(
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
    """The process that is in `profile`: the owner of a session's browser, else a browser on its own."""
    with suppress(OSError), (profile / LOCK).open("r+", encoding="ascii") as file:
        if not try_lock(file):
            return int(file.read().strip() or 0)
    return browser_in(profile)


def last_use(profile: Path) -> float | None:
    """When somebody came or went last, in Unix time; None where nobody has been."""
    with suppress(OSError):
        return (profile / LOCK).stat().st_mtime
    return None


def browser_in(folder: Path) -> int | None:
    """The browser whose user data folder this is: its process, or 0 where only that there is one can be known.
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
