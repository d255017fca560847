"""Browsers that this process starts on its own computer, as many as there is memory for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import ClassVar

from oryn.browsers.base.placement import NO_LABELS
from oryn.providers.places import Places, PlacesProvider
from oryn.providers.provider import BrowserRequest, ProvidedBrowser, ProviderKind

SESSION_BYTES = 120_000_000
"""What a session with a page takes, for the first ones. Later ones are taken to need what was used so far."""
MEMORY_SECONDS = 1.0
"""Between two looks at the free memory while requests wait: the system notifies nobody."""


ROOT = Path("/")


def free_memory(root: Path = ROOT) -> int | None:
    """Free bytes: what the system could give without swapping, and no more than the limit of the process's cgroup
    leaves. None on a system that does not say it. https://docs.kernel.org/admin-guide/cgroup-v2.html#memory

    root: the folder that `/proc` and `/sys` are in."""
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
        available = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return None
    return min([available, *_cgroup_rooms(root)])


def _cgroup_rooms(root: Path) -> list[int]:
    """What the limits of the process's cgroup, and of those around it, leave. The files of a container are those of
    its own cgroup, at the top."""
    with suppress(OSError, IndexError, StopIteration):
        own = next(
            line.split(":", 2)[2]
            for line in (root / "proc/self/cgroup").read_text().splitlines()
            if line.startswith("0::")
        )
        top = root / "sys/fs/cgroup"
        folder = top / own.strip().lstrip("/")
        return [room for each in (folder, *folder.parents) if each.is_relative_to(top) for room in _room(each)]
    return []


def _room(folder: Path) -> list[int]:
    """The room of one cgroup. Files that the kernel could drop from memory are no use of it."""
    try:
        limit = int((folder / "memory.max").read_text())
        used = int((folder / "memory.current").read_text())
        rows = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
        cached = next((int(row[1]) for row in rows if row[0] == "inactive_file"), 0)
    except (OSError, ValueError):
        return []  # no limit ("max"), or another version of cgroups
    return [max(0, limit - used + cached)]


class LocalProvider(PlacesProvider):
    """This computer.

    capacity: sessions with a browser at once; None is any number.
    min_free_memory: bytes that must stay free when another session opens; 0 is no limit. The first may always open.
    free: the free bytes; None if they are not known. For the others see `BrowserProvider`."""

    kind: ClassVar[ProviderKind] = "local"

    def __init__(
        self,
        name: str,
        *,
        capacity: int | None = None,
        min_free_memory: int = 0,
        labels: Mapping[str, str] = NO_LABELS,
        release_after: float = 0.0,
        free: Callable[[], int | None] = free_memory,
    ) -> None:
        super().__init__(name, Places(capacity, self._has_memory), labels=labels, release_after=release_after)
        self._min_free_memory = min_free_memory
        self._free = free
        self._free_at_first: int | None = None
        self._open: set[str] = set()
        self._polling: asyncio.Task[None] | None = None

    def _has_memory(self, used: int) -> bool:
        if not self._min_free_memory or (free := self._free()) is None:
            return True
        if not used:
            self._free_at_first = free
            return True
        return free - self._expected_bytes(used, free) >= self._min_free_memory

    def _expected_bytes(self, used: int, free: int) -> int:
        """What another session will take: what each of those that are open has taken since there was none."""
        taken = (self._free_at_first or free) - free
        return max(SESSION_BYTES, taken // used)

    async def open(self, request: BrowserRequest) -> ProvidedBrowser:
        self.check_accepts()
        if self._places.is_full:
            await self.release_idle(self._places.queued + 1)
            if self._min_free_memory and (self._polling is None or self._polling.done()):
                self._polling = asyncio.create_task(self._poll_memory())
        await self._places.take(request.on_queued)
        reference = f"{self.name}-{token_hex(4)}"
        self._open.add(reference)
        return ProvidedBrowser(reference, None, "this computer")

    async def _poll_memory(self) -> None:
        await asyncio.sleep(MEMORY_SECONDS)
        while self._places.queued:
            self._places.serve()
            await asyncio.sleep(MEMORY_SECONDS)

    async def renew(self, browser: ProvidedBrowser) -> bool:
        return browser.reference in self._open  # what the process itself has started ends with it alone

    async def close(self, reference: str) -> None:
        if reference in self._open:
            self._open.remove(reference)
            self._places.leave()

    async def stop(self) -> None:
        if self._polling is not None:
            self._polling.cancel()
            await asyncio.wait([self._polling])
            self._polling = None
