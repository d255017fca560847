"""Files that pages give instead of pages.

The browser writes each into a folder of its own, under a name that it makes up; a file that is whole goes from there to
where the session keeps its files.
https://chromedevtools.github.io/devtools-protocol/tot/Browser/#event-downloadWillBegin
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Download
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.tabs import Tabs
from oryn.browsers.common.happenings import Noted
from oryn.browsers.common.shelf import Shelf
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.cdp.page import CdpPage

log = logging.getLogger(__name__)

_ELSEWHERE = "not supported: the browser runs on another computer"


class Downloads:
    """Follows the downloads of a session and notes each with the tab that it came from. One of a browser that is not
    `here` comes to nothing: its files are another computer's."""

    def __init__(
        self, root: Session, tabs: Tabs, shelf: Shelf, context: Mapping[str, str], *, here: bool = True
    ) -> None:
        self._here = here
        self._root = root
        self._tabs = tabs
        self._shelf = shelf
        self._context = context
        self._running: dict[str, tuple[CdpPage, Noted[Download]]] = {}
        self._keeping: dict[str, asyncio.Task[None]] = {}
        root.on("Browser.downloadWillBegin", self._begun)
        root.on("Browser.downloadProgress", self._progress)

    def end(self) -> None:
        """The session is closed: follow no more, though the browser goes on, and let it write no more."""
        self._root.off("Browser.downloadWillBegin", self._begun)
        self._root.off("Browser.downloadProgress", self._progress)
        for guid in self._unfinished():
            self._cancel(guid)
            self._fail(guid, "the session was closed")

    async def kept(self, timeout: float) -> None:
        """Wait until the files that are whole lie where they belong."""
        if self._keeping:
            await asyncio.wait(self._keeping.values(), timeout=timeout)

    def lost(self) -> None:
        """The browser is gone, and what it had not finished with it."""
        for guid in self._unfinished():
            self._fail(guid, "the browser is gone")

    def _unfinished(self) -> list[str]:
        return [guid for guid in self._running if guid not in self._keeping]

    def _begun(self, event: dict[str, Any]) -> None:
        page = self._page_of(event["frameId"])
        if page is None:
            return
        download = Download(event["suggestedFilename"], event["url"], id=event["guid"])
        self._running[download.id] = page, page.downloads.note(page.channel.moment, download)
        self._shelf.put(download)
        page.navigations.downloading(download)
        page.channel.signal.notify()

    def _page_of(self, frame_id: str) -> CdpPage | None:
        for page in self._tabs:
            if page.frame_tree.get(frame_id) is not None:
                return page
        # A tab that was opened for the file alone is gone already. The browser tells of every session's downloads.
        return self._tabs.current if frame_id in self._tabs.gone else None

    def _progress(self, event: dict[str, Any]) -> None:
        guid = event["guid"]
        if guid not in self._running:
            return
        received, whole = int(event["receivedBytes"]), int(event["totalBytes"]) or None
        match event["state"]:
            case "completed":
                self._change(guid, received=received, size=received)
                self._finish(guid, event.get("filePath"))
            case "canceled":
                self._fail(guid, "it was broken off" if self._here else _ELSEWHERE)
            case _:
                self._change(guid, received=received, size=whole)
                limit = self._shelf.limit
                if limit and max(received, whole or 0) > limit:
                    self._cancel(guid)
                    self._fail(guid, f"larger than {limit // 1_000_000} MB (the setting download_limit)")

    def _finish(self, guid: str, path: str | None) -> None:
        """Hand a whole file over. That may mean to copy it, so others go on meanwhile."""
        if path is None or self._shelf.keep is None:
            self._change(guid, state="finished", path=path)
            del self._running[guid]
            return
        task = asyncio.get_running_loop().create_task(self._keep(guid, Path(path), self._shelf.keep))
        self._keeping[guid] = task
        task.add_done_callback(lambda _: self._keeping.pop(guid))

    async def _keep(self, guid: str, file: Path, keep: Callable[[Path, str], Path]) -> None:
        name = self._running[guid][1].thing.filename
        try:
            path = await asyncio.to_thread(keep, file, name)
        except OrynError as error:
            self._fail(guid, error.message)
        except Exception:  # a bug must cost one file, not the following of the others
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

    def _change(self, guid: str, **news: Any) -> None:
        page, noted = self._running[guid]
        noted.thing = noted.thing.replace(**news)
        self._shelf.put(noted.thing)
        page.channel.signal.notify()
