"""The processes that a process has started, as Linux lists them."""

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
