"""Finding the daemon, and starting it where there is none: ten clients at once get one daemon."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from _socket import AF_INET, SOCK_STREAM, socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from oryn.client.exchange import connected, token_in
from oryn.client.refused import unknown_verb
from oryn.daemon.lifecycle import Place
from oryn.errors import DaemonFailed, NotSupported
from oryn.locks import locked, try_lock
from oryn.paths import find, private_folder

LIMIT = 30.0
"""Seconds that a daemon may take to start, or to end."""
_LONGEST_LOG = 1_000_000
_BETWEEN = 0.02


def reached(words: Sequence[str] = ()) -> tuple[socket, str]:
    """A connection to the daemon, which is started where none runs, and its token.

    Nothing is started for words that are no command. Raises `UnknownCommand`, `DaemonFailed`."""
    if words and (error := unknown_verb(words)):
        raise error
    place = Place(find())
    found = running(place)
    if found is None:
        started(place)
        found = running(place)
    if found is None:
        raise DaemonFailed("the daemon ended at once", "'oryn daemon logs' may tell why.")
    return found, token_in(str(place.paths.daemon))


def running(place: Place) -> socket | None:
    """A connection to the daemon, or None where none can be reached."""
    with contextlib.suppress(OSError, ImportError):
        return connected(str(place.paths.runtime))
    # Without a socket it is at its port; but whose port that is, is sure only while it holds its lock.
    if is_free(place):
        return None
    try:
        port = json.loads(place.about.read_bytes())["port"]
        connection = socket(AF_INET, SOCK_STREAM)
        connection.connect(("127.0.0.1", port))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return connection


def is_free(place: Place) -> bool:
    """Whether no daemon runs, nor is about to start or to end."""
    try:
        with place.lock.open("r+", encoding="ascii") as file:
            return try_lock(file)
    except FileNotFoundError:
        return True


def process_of(place: Place) -> int | None:
    """The number of the daemon's process, as it said itself; None where there is none, or it said nothing yet."""
    if is_free(place):
        return None
    try:
        return int(json.loads(place.about.read_bytes())["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def started(place: Place, options: Sequence[str] = ()) -> bool:
    """See to it that a daemon runs; whether it is a new one, with these options. Raises `DaemonFailed`."""
    private_folder(place.paths.runtime)
    with locked(place.paths.runtime / "daemon.start"):
        latest = time.monotonic() + LIMIT
        while time.monotonic() < latest:
            if connection := running(place):
                connection.close()
                return False
            if is_free(place) and _start(place, options):
                return True
            time.sleep(_BETWEEN)  # one is about to listen, or to end, and says to nobody when
    raise DaemonFailed("a daemon runs, but does not answer", "End it with 'oryn daemon stop', then try again.")


def await_end(place: Place, limit: float = LIMIT) -> bool:
    """Wait until no daemon runs; whether that is so."""
    latest = time.monotonic() + limit
    while not is_free(place):
        if time.monotonic() > latest:
            return False
        time.sleep(_BETWEEN)
    return True


def log_file(place: Place) -> Path:
    return place.paths.daemon / "daemon.log"


def _start(place: Place, options: Sequence[str]) -> bool:
    """Start a daemon and wait until it listens; False where another was quicker. Raises `DaemonFailed`."""
    if os.name == "nt":
        raise NotSupported("a daemon can't be started in the background here", "Run 'oryn daemon serve' in a window.")
    with _log(place) as log, _waiting() as (ready, theirs):
        begun = log.tell()
        process = subprocess.Popen(
            # -P: a module in the current folder is not ours.
            [sys.executable, "-P", "-m", "oryn.daemon", *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[theirs],
            env={**os.environ, "ORYN_READY_FD": str(theirs)},
            start_new_session=True,
        )
        os.close(theirs)
        if not select.select([ready], [], [], LIMIT)[0]:
            process.terminate()
            raise DaemonFailed(f"the daemon did not start within {LIMIT:g} s", "'oryn daemon logs' may tell why.")
        if os.read(ready, 1):
            process.returncode = 0  # ours no more: nobody waits for its end
            return True
        process.wait()
    if not is_free(place):
        return False
    raise _failure(log_file(place), begun)


@contextlib.contextmanager
def _waiting() -> Iterator[tuple[int, int]]:
    """A pipe whose second end is closed in the block."""
    ready, theirs = os.pipe()
    try:
        yield ready, theirs
    finally:
        os.close(ready)


def _log(place: Place) -> BinaryIO:
    """The daemon's log, to write at its end; when it is long, it becomes the one before."""
    file = private_folder(place.paths.daemon) / log_file(place).name
    with contextlib.suppress(FileNotFoundError):
        if file.stat().st_size > _LONGEST_LOG:
            file.replace(file.with_suffix(".prev.log"))
    opened = os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab", buffering=0)
    opened.seek(0, os.SEEK_END)
    return opened


def _failure(log: Path, begun: int) -> DaemonFailed:
    """Why a daemon did not start, in its own last words."""
    with log.open("rb") as file:
        file.seek(begun)
        lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    told = dict(line.split(": ", 1) for line in lines if line.startswith(("error: ", "hint: ")))
    why = told.get("error") or (lines[-1] if lines else "it said nothing")
    return DaemonFailed(f"the daemon did not start: {why}", told.get("hint") or "'oryn daemon logs' has all it said.")
