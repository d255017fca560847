"""The processes that a process has started, and their memory, as Linux reports them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def descendants(pid: int) -> Iterator[int]:
    """The processes that `pid` has started, those that they have started, and so on; nothing where the system does not
    list them. https://man7.org/linux/man-pages/man5/proc_tid_children.5.html"""
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, thread.read_text().split()):
                yield child
                yield from descendants(child)


def process_name(pid: int) -> str:
    """The first 15 characters of a process's name; empty if it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def memory_of_tree(pid: int) -> int | None:
    """The bytes that a process and its descendants use; None if it has ended, or where the system does not say.

    Of a page of memory that several processes share, each counts its part (the proportional set size): otherwise the
    browser's program would count once for each of its processes.
    https://www.kernel.org/doc/html/latest/filesystems/proc.html"""
    own = _proportional_size(pid)
    return None if own is None else own + sum(_proportional_size(each) or 0 for each in descendants(pid))


def _proportional_size(pid: int) -> int | None:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return None
