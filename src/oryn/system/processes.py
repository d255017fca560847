"""Processes, on each system: whether one is running, how one is started that outlives this one, and what this one
gives back of its memory.

On POSIX the new process leaves the session of its terminal and reports over an inherited pipe that it is ready. Windows
has neither: https://learn.microsoft.com/en-us/windows/win32/procthread/process-creation-flags"""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

PASSES_DESCRIPTORS = os.name == "posix"
"""Whether a process can inherit the descriptor of a pipe by its number, and `select` waits for pipes."""
HAS_UNIX_SOCKETS = os.name == "posix"
"""Whether a socket can be a file that only its owner can open. Without them, the daemon has only its port and token."""

_POLL_SECONDS = 0.05
_LISTEN = "0A"
"""The state of a listening socket in `/proc/net/tcp`."""
_M_MMAP_THRESHOLD = -3
"""https://man7.org/linux/man-pages/man3/mallopt.3.html"""
_LARGE_BLOCK = 1024 * 1024
_CREATE_NEW_PROCESS_GROUP = 0x00000200
_CREATE_NO_WINDOW = 0x08000000


def detached_options(system: str = os.name) -> dict[str, Any]:
    """Options of `subprocess.Popen` for a process that neither Ctrl-C nor the end of the terminal reaches.

    system: as in `os.name`."""
    if system == "nt":
        return {"creationflags": _CREATE_NEW_PROCESS_GROUP | _CREATE_NO_WINDOW}
    return {"start_new_session": True}


def start_detached(
    command: Sequence[str], log: BinaryIO, environment: Mapping[str, str], inherited: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start a process in the background, with both outputs in `log`.

    inherited: descriptors that it gets; none if the system can't pass them (`PASSES_DESCRIPTORS`). Raises `OSError`."""
    passed: dict[str, Any] = {"pass_fds": tuple(inherited)} if PASSES_DESCRIPTORS else {}
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=dict(environment), **passed, **detached_options()
    )


def is_running(process: int) -> bool:
    """Whether a process with this number is running, also under another user."""
    if process <= 0:
        return False
    if os.name == "nt":
        return _is_running_on_windows(process)
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def wait_for_end(process: int) -> None:
    """Block until the process with this number has ended, which need not be a child of this one."""
    if sys.platform == "linux":
        try:
            descriptor = os.pidfd_open(process)
        except ProcessLookupError:
            return
        try:
            select.select([descriptor], [], [])
        finally:
            os.close(descriptor)
        return
    while is_running(process):
        time.sleep(_POLL_SECONDS)  # no event reports the end of a process of others


def is_listening(process: int, port: int) -> bool:
    """Whether this process of this user accepts connections to a port of 127.0.0.1. Always True on systems on which
    that can't be determined.

    process: its number, maybe that inside of a container (Flatpak).
    https://man7.org/linux/man-pages/man5/proc_pid_net.5.html"""
    if sys.platform != "linux":
        return True
    sockets = _listening_sockets(port)
    return bool(sockets) and any(not sockets.isdisjoint(_open_files(each)) for each in _numbered(process))


def _listening_sockets(port: int) -> set[str]:
    """The listening sockets of this user at a port: `socket:[4711]`."""
    found = set()
    for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]:
        _, address, _, state, _, _, _, user, _, inode, *_ = line.split()
        if int(address.rpartition(":")[2], 16) == port and state == _LISTEN and int(user) == os.geteuid():
            found.add(f"socket:[{inode}]")
    return found


def _numbered(process: int) -> Iterator[int]:
    """The processes with this number, here or in the process namespace of a container."""
    yield process
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                status = (entry / "status").read_text("utf-8", "replace")
                if re.search(rf"^NSpid:\t\d+\t.*\b{process}$", status, re.MULTILINE):
                    yield int(entry.name)


def _open_files(process: int) -> Iterator[str]:
    """What the descriptors of a process refer to; nothing of a process of others."""
    with suppress(OSError):
        for each in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                yield os.readlink(each)


def _is_running_on_windows(process: int) -> bool:
    # On Windows, os.kill would end the process: https://docs.python.org/3/library/os.html#os.kill
    import ctypes

    query_limited_information = 0x1000
    kernel = ctypes.CDLL("kernel32")
    handle = kernel.OpenProcess(query_limited_information, False, process)
    if handle:
        kernel.CloseHandle(handle)
    return bool(handle)


@cache
def return_large_blocks() -> None:
    """Give blocks of a megabyte and more back to the system when they are freed, in this process and from now on.

    By default, glibc raises the size from which it does so to that of the largest block that was freed: the heap of
    each thread that later has such blocks grows by tens of megabytes, for good. Does nothing elsewhere."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:  # musl has none, and needs none
        mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK)
