"""Downloads of a session.

The browser writes each into a folder of its own, under a name that it makes up; a complete file is moved from there to
where the session stores its files.
https://chromedevtools.github.io/devtools-protocol/tot/Browser/#event-downloadWillBegin"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Download
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.chromium.tabs import CdpTabs
from oryn.browsers.common.downloads import DownloadRegistry
from oryn.browsers.common.events import LoggedEvent
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.chromium.page import CdpPage

log = logging.getLogger(__name__)

_NOT_LOCAL = "not supported: the browser runs on another computer"


class CdpDownloads:
    """Follows the downloads of a session and records each with the tab that it came from.

    context: the parameters that name the browser context in commands to the browser.
    is_local: whether the browser runs on this computer. Otherwise downloads fail, because its files are elsewhere."""

    def __init__(
        self,
        root: CdpSession,
        tabs: CdpTabs,
        registry: DownloadRegistry,
        context: Mapping[str, str],
        *,
        is_local: bool = True,
    ) -> None:
        self._is_local = is_local
        self._root = root
        self._tabs = tabs
        self._registry = registry
        self._context = context
        self._running: dict[str, tuple[CdpPage, LoggedEvent[Download]]] = {}
        self._moving: dict[str, asyncio.Task[None]] = {}
        root.on("Browser.downloadWillBegin", self._on_started)
        root.on("Browser.downloadProgress", self._on_progress)

    def end(self) -> None:
        """Cancel unfinished downloads and stop listening, because the session is closed; the browser may run on."""
        self._root.off("Browser.downloadWillBegin", self._on_started)
        self._root.off("Browser.downloadProgress", self._on_progress)
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

    def _on_started(self, event: dict[str, Any]) -> None:
        page = self._page_of(event["frameId"])
        if page is None:
            return
        download = Download(event["suggestedFilename"], event["url"], id=event["guid"])
        self._running[download.id] = page, page.downloads.record(page.channel.moment, download)
        self._registry.put(download)
        page.navigations.on_download(download)
        page.channel.signal.notify()

    def _page_of(self, frame_id: str) -> CdpPage | None:
        for page in self._tabs:
            if page.frame_tree.get(frame_id) is not None:
                return page
        # A tab that was opened for the file alone has closed already. The browser reports every session's downloads.
        return self._tabs.current if frame_id in self._tabs.closed_targets else None

    def _on_progress(self, event: dict[str, Any]) -> None:
        guid = event["guid"]
        if guid not in self._running:
            return
        received, size = int(event["receivedBytes"]), int(event["totalBytes"]) or None
        match event["state"]:
            case "completed":
                self._change(guid, received=received, size=received)
                self._finish(guid, event.get("filePath"))
            case "canceled":
                self._fail(guid, "it was broken off" if self._is_local else _NOT_LOCAL)
            case _:
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
        self._root.send("Browser.cancelDownload", {"guid": guid, **self._context})

    def _fail(self, guid: str, reason: str) -> None:
        self._change(guid, state="failed", reason=reason)
        del self._running[guid]

    def _change(self, guid: str, **changes: Any) -> None:
        page, event = self._running[guid]
        event.value = event.value.replace(**changes)
        self._registry.put(event.value)
        page.channel.signal.notify()
