"""Downloads of a session in Playwright's engines. https://playwright.dev/python/docs/api/class-download"""

from __future__ import annotations

import asyncio
import itertools
import logging
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Download
from oryn.browsers.common.downloads import DownloadRegistry
from oryn.errors import OrynError

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page
    from playwright.async_api import Download as NativeDownload

    from oryn.browsers.common.events import LoggedEvent
    from oryn.browsers.webdriver.page import WebDriverPage

log = logging.getLogger(__name__)


class PlaywrightDownloads:
    """Follows the downloads of a context, and records each with the tab that it came from.

    page_of: the tab of a page of Playwright; None if it is not one of the session's."""

    def __init__(self, page_of: Callable[[Page], WebDriverPage | None]) -> None:
        self.registry = DownloadRegistry()
        self._page_of = page_of
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()

    def follow(self, context: BrowserContext) -> None:
        """Follow the downloads of a context."""
        context.on("page", self._follow_page)
        for page in context.pages:
            self._follow_page(page)

    def _follow_page(self, page: Page) -> None:
        page.on("download", self._on_download)

    def _on_download(self, native: NativeDownload) -> None:
        tab = self._page_of(native.page)
        download = Download(native.suggested_filename, native.url, id=f"download {next(self._numbers)}")
        self.registry.put(download)
        event = None
        if tab is not None:
            event = tab.downloads.record(tab.channel.moment, download)
            tab.navigations.on_download(download)
            tab.channel.signal.notify()
        task = asyncio.get_running_loop().create_task(self._fetch(native, download, tab, event))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _fetch(
        self,
        native: NativeDownload,
        download: Download,
        tab: WebDriverPage | None,
        event: LoggedEvent[Download] | None,
    ) -> None:
        try:
            changes = await self._take(native, download)
        except OrynError as error:
            changes = {"state": "failed", "reason": error.message}
        except Exception:  # of Playwright: the browser is gone; a bug must cost only this file
            log.info("a download was lost", exc_info=True)
            changes = {"state": "failed", "reason": "the browser is gone"}
        ended = download.replace(**changes)
        if event is not None and tab is not None:
            event.value = ended
            tab.channel.signal.notify()
        self.registry.put(ended)

    async def _take(self, native: NativeDownload, download: Download) -> dict[str, Any]:
        """Wait for the file, and move it to where the session stores its files."""
        if await native.failure() is not None:
            return {"state": "failed", "reason": "it was broken off"}
        save, limit = self.registry.save, self.registry.limit
        if save is None:
            return {"state": "failed", "reason": "it could not be kept"}
        with tempfile.TemporaryDirectory(prefix="oryn-") as folder:
            file = Path(folder, "download")
            await native.save_as(file)
            await native.delete()  # Firefox numbers the name of a file that it has already
            size = (await asyncio.to_thread(file.stat)).st_size
            if limit and size > limit:
                reason = f"larger than {limit // 1_000_000} MB (the setting download_limit)"
                return {"state": "failed", "reason": reason, "received": size, "size": size}
            path = await asyncio.to_thread(save, file, download.filename)
        return {"state": "finished", "path": str(path), "received": size, "size": size}
