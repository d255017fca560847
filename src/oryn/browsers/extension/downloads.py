"""Files that pages give instead of pages: the browser puts them where its user wants them.

No event tells which tab a file came from: it is the one whose navigation has become a file, or the one that a command
has just made do something. Others are the user's own, and nobody is told of them.
https://developer.chrome.com/docs/extensions/reference/api/downloads
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Download
from oryn.browsers.common.shelf import Shelf
from oryn.extension.bridge import ChromeFailed

if TYPE_CHECKING:
    from oryn.browsers.common.happenings import Noted
    from oryn.browsers.extension.page import ExtensionPage
    from oryn.extension.bridge import Bridge


class Downloads:
    """Follows the downloads of the pages that are under control."""

    def __init__(self, bridge: Bridge, pages: Callable[[], Iterable[ExtensionPage]]) -> None:
        self._bridge = bridge
        self._pages = pages
        self._running: dict[int, tuple[ExtensionPage, Noted[Download]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.shelf = Shelf()

    def listen(self) -> None:
        self._bridge.on("downloads.onCreated", self._created)
        self._bridge.on("downloads.onChanged", self._changed)

    def _created(self, item: dict[str, Any]) -> None:
        url = item.get("finalUrl", item["url"])
        page = next((page for page in self._pages() if page.navigations.awaiting(url)), None)
        page = page or next((page for page in self._pages() if page.acting), None)
        if page is None:
            return
        download = Download(_name(item) or _last(url), url, id=str(item["id"]))
        self._running[item["id"]] = page, page.downloads.note(page.channel.moment, download)
        self.shelf.put(download)
        page.navigations.downloading(download)
        page.channel.signal.notify()

    def _changed(self, change: dict[str, Any]) -> None:
        if change["id"] in self._running:
            task = asyncio.ensure_future(self._look(change["id"]))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _look(self, number: int) -> None:
        try:
            found = await self._bridge.call("downloads.search", {"id": number})
        except ChromeFailed:
            found = []
        if number not in self._running:
            return
        item = found[0] if found else {"state": "interrupted", "error": "USER_CANCELED"}
        page, noted = self._running[number]
        noted.thing = _told(noted.thing, item)
        if noted.thing.state != "running":
            del self._running[number]
        self.shelf.put(noted.thing)
        page.channel.signal.notify()


def _told(download: Download, item: dict[str, Any]) -> Download:
    received, whole = item.get("bytesReceived", 0), item.get("totalBytes", -1)
    size = whole if whole >= 0 else None
    download = download.replace(filename=_name(item) or download.filename, received=received, size=size)
    match item["state"]:
        case "complete":
            return download.replace(state="finished", size=received, path=item.get("filename") or None)
        case "interrupted":
            return download.replace(state="failed", reason=_reason(item.get("error", "")))
    return download


def _reason(error: str) -> str:
    if error in ("USER_CANCELED", "USER_SHUTDOWN", ""):
        return "it was broken off"
    return f"it was broken off ({error})"


def _name(item: dict[str, Any]) -> str:
    return re.split(r"[/\\]", item.get("filename") or "")[-1]


def _last(url: str) -> str:
    return re.split(r"[?#]", url)[0].rsplit("/", 1)[-1]
