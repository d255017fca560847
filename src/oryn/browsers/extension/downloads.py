"""Downloads: the browser saves them where its user wants them.

No event reports which tab a file came from: it is the tab whose navigation has become a download, or the one that a
command is acting on. Others are the user's own, and are not reported.
https://developer.chrome.com/docs/extensions/reference/api/downloads"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Download
from oryn.browsers.common.downloads import DownloadRegistry
from oryn.browsers.extension.bridge import ChromeFailed

if TYPE_CHECKING:
    from oryn.browsers.common.events import LoggedEvent
    from oryn.browsers.extension.bridge import Bridge
    from oryn.browsers.extension.page import ExtensionPage


class ExtensionDownloads:
    """Tracks the downloads of controlled pages."""

    def __init__(self, bridge: Bridge, pages: Callable[[], Iterable[ExtensionPage]]) -> None:
        self._bridge = bridge
        self._pages = pages
        self._running: dict[int, tuple[ExtensionPage, LoggedEvent[Download]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.registry = DownloadRegistry()

    def listen(self) -> None:
        """Follow the browser's downloads from now on."""
        self._bridge.on("downloads.onCreated", self._on_created)
        self._bridge.on("downloads.onChanged", self._on_changed)

    def _on_created(self, item: dict[str, Any]) -> None:
        url = item.get("finalUrl", item["url"])
        page = next((page for page in self._pages() if page.navigations.find_unfinished(url)), None)
        page = page or next((page for page in self._pages() if page.command_running), None)
        if page is None:
            return
        download = Download(_name(item) or re.split(r"[?#]", url)[0].rsplit("/", 1)[-1], url, id=str(item["id"]))
        self._running[item["id"]] = page, page.downloads.record(page.channel.moment, download)
        self.registry.put(download)
        page.navigations.on_download(download)
        page.channel.signal.notify()

    def _on_changed(self, change: dict[str, Any]) -> None:
        if change["id"] in self._running:
            task = asyncio.ensure_future(self._refresh(change["id"]))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _refresh(self, number: int) -> None:
        try:
            found = await self._bridge.call("downloads.search", {"id": number})
        except ChromeFailed:
            found = []
        if number not in self._running:
            return
        item = found[0] if found else {"state": "interrupted", "error": "USER_CANCELED"}
        page, entry = self._running[number]
        entry.value = _updated(entry.value, item)
        if entry.value.state != "running":
            del self._running[number]
        self.registry.put(entry.value)
        page.channel.signal.notify()


def _updated(download: Download, item: dict[str, Any]) -> Download:
    received, total = item.get("bytesReceived", 0), item.get("totalBytes", -1)
    size = total if total >= 0 else None
    download = download.replace(filename=_name(item) or download.filename, received=received, size=size)
    match item["state"]:
        case "complete":
            return download.replace(state="finished", size=received, path=item.get("filename") or None)
        case "interrupted":
            error = item.get("error", "")
            is_named = error not in ("USER_CANCELED", "USER_SHUTDOWN", "")
            return download.replace(state="failed", reason="it was broken off" + (f" ({error})" if is_named else ""))
    return download


def _name(item: dict[str, Any]) -> str:
    return re.split(r"[/\\]", item.get("filename") or "")[-1]
