"""Whether a process lives, by its number."""

from __future__ import annotations

import os


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
