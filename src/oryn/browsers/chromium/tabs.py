"""The tabs of one session in Chromium."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from oryn.browsers.common.tabs import OpenTabs

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.chromium.page import CdpPage

_MAX_CLOSED = 32


class CdpTabs(OpenTabs["CdpPage"]):
    """The tabs of one session, by number."""

    def __init__(self) -> None:
        super().__init__()
        self.closed_targets: deque[str] = deque(maxlen=_MAX_CLOSED)
        """Target ids of the tabs that closed last."""

    def remove(self, page: CdpPage) -> None:
        self.closed_targets.append(page.target_id)
        super().remove(page)

    def _raise(self, page: CdpPage) -> None:
        page.channel.session.send("Page.bringToFront")

    async def refresh_titles(self, root: CdpSession) -> None:
        """Update the titles of all tabs, because no event reports a new title alone."""
        answer = await root.call("Target.getTargets")
        for info in answer["targetInfos"]:
            if page := self.of_target(info["targetId"]):
                page.title = info["title"]

    def of_target(self, target_id: str) -> CdpPage | None:
        return next((page for page in self if page.target_id == target_id), None)
