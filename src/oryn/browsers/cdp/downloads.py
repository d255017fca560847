"""Files that pages give instead of pages.

https://chromedevtools.github.io/devtools-protocol/tot/Browser/#event-downloadWillBegin
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Download
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.happenings import Noted
from oryn.browsers.cdp.tabs import Tabs

if TYPE_CHECKING:
    from oryn.browsers.cdp.page import CdpPage


class Downloads:
    """Follows the downloads of a session and notes each with the tab that it came from."""

    def __init__(self, root: Session, tabs: Tabs) -> None:
        self._root = root
        self._tabs = tabs
        self._running: dict[str, tuple[CdpPage, Noted[Download]]] = {}
        root.on("Browser.downloadWillBegin", self._begun)
        root.on("Browser.downloadProgress", self._progress)

    def end(self) -> None:
        """The session is closed: follow no more, though the browser goes on."""
        self._root.off("Browser.downloadWillBegin", self._begun)
        self._root.off("Browser.downloadProgress", self._progress)

    def _begun(self, event: dict[str, Any]) -> None:
        page = self._page_of(event["frameId"])
        if page is None:
            return
        download = Download(event["suggestedFilename"], event["url"])
        self._running[event["guid"]] = page, page.downloads.note(page.channel.moment, download)
        page.navigations.downloading(download)
        page.channel.signal.notify()

    def _page_of(self, frame_id: str) -> CdpPage | None:
        for page in self._tabs:
            if page.frame_tree.get(frame_id) is not None:
                return page
        # A tab that was opened for the file alone is gone already. The browser tells of every session's downloads.
        return self._tabs.current if frame_id in self._tabs.gone else None

    def _progress(self, event: dict[str, Any]) -> None:
        page, noted = self._running.get(event["guid"], (None, None))
        if page is None or noted is None:
            return
        if size := int(event["totalBytes"]) or (event["state"] == "completed" and int(event["receivedBytes"])):
            noted.thing = replace(noted.thing, size=size)
        if event["state"] != "inProgress":
            del self._running[event["guid"]]
        page.channel.signal.notify()
