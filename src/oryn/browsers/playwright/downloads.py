"""Downloads of a browser on another computer, which come over Playwright's connection.

They are reported as the DevTools protocol reports those of a local browser, so `CdpDownloads` follows them.
https://playwright.dev/python/docs/api/class-download"""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Download, Page

    from oryn.browsers.cdp.connection import CdpConnection


class FetchedDownloads:
    """Fetches the downloads of one context into `folder`."""

    def __init__(self, context: BrowserContext, connection: CdpConnection, folder: Path) -> None:
        self._context = context
        self._connection = connection
        self._folder = folder
        self._tasks: set[asyncio.Task[None]] = set()
        context.on("page", self._follow)
        for page in context.pages:
            self._follow(page)

    def _follow(self, page: Page) -> None:
        page.on("download", self._on_download)

    def _on_download(self, download: Download) -> None:
        task = asyncio.get_running_loop().create_task(self._fetch(download))
        self._tasks.add(task)
        task.add_done_callback(self._on_ended)

    def _on_ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # of a connection that has ended, which everything else reports

    async def _fetch(self, download: Download) -> None:
        guid = secrets.token_hex(16)
        begun = {
            "guid": guid,
            "frameId": await self._target_of(download.page),
            "url": download.url,
            "suggestedFilename": download.suggested_filename,
        }
        self._report("Browser.downloadWillBegin", begun)
        if await download.failure() is not None:
            self._report_progress(guid, 0, "canceled")
            return
        file = self._folder / guid
        await download.save_as(file)
        size = (await asyncio.to_thread(file.stat)).st_size
        self._report_progress(guid, size, "inProgress")  # the size may be above the limit
        self._report_progress(guid, size, "completed", filePath=str(file))

    async def _target_of(self, page: Page) -> str:
        session = await self._context.new_cdp_session(page)
        answer = await session.send("Target.getTargetInfo")
        await session.detach()
        target: str = answer["targetInfo"]["targetId"]
        return target

    def _report_progress(self, guid: str, size: int, state: str, **more: str) -> None:
        progress = {"guid": guid, "receivedBytes": size, "totalBytes": size, "state": state, **more}
        self._report("Browser.downloadProgress", progress)

    def _report(self, event: str, params: dict[str, Any]) -> None:
        self._connection.receive_message({"method": event, "params": params})
