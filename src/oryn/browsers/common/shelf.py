"""What a session knows of the files that pages give."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from oryn.browsers.base import Download
from oryn.browsers.common.signal import Signal
from oryn.records import Record, field

MOST_REMEMBERED = 200


class Shelf(Record, frozen=False):
    """What a session wants of its downloads and what became of them; it outlives a crash of the browser."""

    keep: Callable[[Path, str], Path] | None = None
    limit: int = 0
    all: dict[str, Download] = field(factory=dict)
    changed: Signal = field(factory=Signal)

    def put(self, download: Download) -> None:
        self.all[download.id] = download
        while len(self.all) > MOST_REMEMBERED:
            del self.all[next(iter(self.all))]
        self.changed.notify()

    async def wait_for(self, ids: Collection[str], timeout: float) -> None:
        def over() -> bool:
            return all(each.state != "running" for each in self.all.values() if each.id in ids)

        await self.changed.until(over, timeout)
