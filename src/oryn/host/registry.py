"""The registry of running sessions: `<name>.pid` in the sessions folder, one process each (seed 000 §3.3)."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oryn.errors import ConfigurationError
from oryn.paths import Paths, write_private

log = logging.getLogger(__name__)


@contextmanager
def registered(name: str, paths: Paths) -> Iterator[None]:
    """List this process as the session `name` for as long as the block runs.

    Sessions of one name do not disturb each other, so a second one runs too; only the first is listed."""
    file = paths.sessions / f"{name}.pid"
    if not _claim(file):
        yield
        return
    try:
        yield
    finally:
        if _process_of(file) == os.getpid():
            file.unlink(missing_ok=True)


def _claim(file: Path) -> bool:
    holder = _process_of(file)
    if holder is not None and is_running(holder):
        log.info("session %s is already running as process %d; this one is not listed", file.stem, holder)
        return False
    try:
        write_private(file, f"{os.getpid()}\n")
    except (ConfigurationError, OSError) as error:
        log.warning("this session is not listed: %s", error)
        return False
    return True


def _process_of(file: Path) -> int | None:
    try:
        return int(file.read_text("ascii"))
    except (OSError, ValueError):
        return None


def is_running(process: int) -> bool:
    """Whether a process of this number lives. One that belongs to another user does."""
    if process <= 0:
        return False
    if os.name == "nt":
        return _is_running_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _is_running_on_windows(process: int) -> bool:
    # os.kill would end the process there: https://docs.python.org/3/library/os.html#os.kill
    import ctypes

    query_limited_information = 0x1000
    kernel = ctypes.CDLL("kernel32")
    handle = kernel.OpenProcess(query_limited_information, False, process)
    if handle:
        kernel.CloseHandle(handle)
    return bool(handle)
