"""The registry of a session's downloads, and how those that run are followed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Download
from oryn.browsers.common.events import LoggedEvent, Signal
from oryn.core.records import Record, field
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.common.page import BasePage

log = logging.getLogger(__name__)

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


class RunningDownloads:
    """Follows the downloads of a session and records each with the tab that it came from."""

    def __init__(self, registry: DownloadRegistry) -> None:
        self._registry = registry
        self._running: dict[str, tuple[BasePage[Any], LoggedEvent[Download]]] = {}
        self._moving: dict[str, asyncio.Task[None]] = {}

    def end(self) -> None:
        """Cancel unfinished downloads, because the session is closed."""
        for guid in self._unfinished():
            self._cancel(guid)
            self._fail(guid, "the session was closed")

    async def wait_until_moved(self, timeout: float) -> None:
        """Wait until complete files are where the session stores its files, at most `timeout` seconds."""
        if self._moving:
            await asyncio.wait(self._moving.values(), timeout=timeout)

    def on_lost(self) -> None:
        """Fail unfinished downloads, because the browser is gone."""
        for guid in self._unfinished():
            self._fail(guid, "the browser is gone")

    def _unfinished(self) -> list[str]:
        return [guid for guid in self._running if guid not in self._moving]

    def _begin(self, page: BasePage[Any], download: Download) -> None:
        """A download of a tab has begun."""
        self._running[download.id] = page, page.downloads.record(page.channel.moment, download)
        self._registry.put(download)
        page.navigations.on_download(download)
        page.channel.signal.notify()

    def _progress(self, guid: str, received: int, size: int | None) -> None:
        """So much of it has come. Breaks it off if it is larger than the session allows."""
        self._change(guid, received=received, size=size)
        limit = self._registry.limit
        if limit and max(received, size or 0) > limit:
            self._cancel(guid)
            self._fail(guid, f"larger than {limit // 1_000_000} MB (the setting download_limit)")

    def _finish(self, guid: str, path: str | None) -> None:
        """Move a complete file, in a task, because moving to another file system copies it."""
        if path is None or self._registry.save is None:
            self._change(guid, state="finished", path=path)
            del self._running[guid]
            return
        task = asyncio.get_running_loop().create_task(self._move(guid, Path(path), self._registry.save))
        self._moving[guid] = task
        task.add_done_callback(lambda _: self._moving.pop(guid))

    async def _move(self, guid: str, file: Path, save: Callable[[Path, str], Path]) -> None:
        name = self._running[guid][1].value.filename
        try:
            path = await asyncio.to_thread(save, file, name)
        except OrynError as error:
            self._fail(guid, error.message)
        except Exception:  # a bug must cost only this file, not the other downloads
            log.exception("a download was lost")
            self._fail(guid, "it could not be kept")
        else:
            self._change(guid, state="finished", path=str(path))
            del self._running[guid]

    def _cancel(self, guid: str) -> None:
        """Break off a download."""
        raise NotImplementedError

    def _fail(self, guid: str, reason: str) -> None:
        self._change(guid, state="failed", reason=reason)
        del self._running[guid]

    def _change(self, guid: str, **changes: Any) -> None:
        page, event = self._running[guid]
        event.value = event.value.replace(**changes)
        self._registry.put(event.value)
        page.channel.signal.notify()
