"""Downloads of a session.

The browser writes each into a folder of its own, under a name that it makes up; a complete file is moved from there to
where the session stores its files.
https://chromedevtools.github.io/devtools-protocol/tot/Browser/#event-downloadWillBegin"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Download
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.chromium.tabs import CdpTabs
from oryn.browsers.common.downloads import DownloadRegistry, RunningDownloads

if TYPE_CHECKING:
    from oryn.browsers.chromium.page import CdpPage

_NOT_LOCAL = "not supported: the browser runs on another computer"


class CdpDownloads(RunningDownloads):
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
        super().__init__(registry)
        self._is_local = is_local
        self._root = root
        self._tabs = tabs
        self._context = context
        root.on("Browser.downloadWillBegin", self._on_started)
        root.on("Browser.downloadProgress", self._on_progress)

    def end(self) -> None:
        """Cancel unfinished downloads and stop listening, because the session is closed; the browser may run on."""
        self._root.off("Browser.downloadWillBegin", self._on_started)
        self._root.off("Browser.downloadProgress", self._on_progress)
        super().end()

    def _on_started(self, event: dict[str, Any]) -> None:
        page = self._page_of(event["frameId"])
        if page is None:
            return
        self._begin(page, Download(event["suggestedFilename"], event["url"], id=event["guid"]))

    def _page_of(self, frame_id: str) -> CdpPage | None:
        for page in self._tabs.own_pages():
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
                self._progress(guid, received, size)

    def _cancel(self, guid: str) -> None:
        self._root.send("Browser.cancelDownload", {"guid": guid, **self._context})
