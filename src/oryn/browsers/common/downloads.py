"""The registry of a session's downloads."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from oryn.browsers.base import Download
from oryn.browsers.common.events import Signal
from oryn.core.records import Record, field

MAX_DOWNLOADS = 200


class DownloadRegistry(Record, frozen=False):
    """The latest downloads of a session, and the settings for them (`Browser.configure_downloads`). It is kept when the
    browser crashes."""

    save: Callable[[Path, str], Path] | None = None
    limit: int = 0
    all: dict[str, Download] = field(factory=dict)
    changed: Signal = field(factory=Signal)

    def put(self, download: Download) -> None:
        """Add a download, or its new state."""
        self.all[download.id] = download
        while len(self.all) > MAX_DOWNLOADS:
            del self.all[next(iter(self.all))]
        self.changed.notify()

    async def wait_for(self, ids: Collection[str], timeout: float) -> None:
        """Wait until these downloads have ended, at most `timeout` seconds."""

        def have_ended() -> bool:
            return all(each.state != "running" for each in self.all.values() if each.id in ids)

        await self.changed.until(have_ended, timeout)
