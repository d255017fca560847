"""The tabs of one session in WebKit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from oryn.browsers.common.tabs import OpenTabs
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.webkit.page import WebKitPage

TITLE_SECONDS = 0.5
"""How long a page may take to tell its title."""
_TITLE = {"expression": "document.title", "returnByValue": True}


class WebKitTabs(OpenTabs["WebKitPage"]):
    """The tabs of one session, by number."""

    def __init__(self) -> None:
        super().__init__()
        self.on_refresh: Callable[[], Awaitable[None]] | None = None
        """Learns which tabs the browser has now; None while no browser runs."""

    async def refresh(self) -> None:
        """Learn which tabs the browser has now: it lists a tab that a page opens only some time after."""
        if self.on_refresh is not None:
            await self.on_refresh()

    async def refresh_titles(self) -> None:
        """Learn which tabs there are and their titles, which the browser lists only some time after they change. A page
        that does not answer keeps its last one."""
        await self.refresh()
        await asyncio.gather(*map(_refresh_title, list(self)))

    def _raise(self, page: WebKitPage) -> None:
        page.channel.send_automation("switchToBrowsingContext", {"browsingContextHandle": page.channel.handle})


async def _refresh_title(page: WebKitPage) -> None:
    if page.channel.failure is not None or page.channel.blocked is not None:
        return
    try:
        answer = await page.channel.session.call("Runtime.evaluate", _TITLE, timeout=TITLE_SECONDS)
    except OrynError:
        return
    if isinstance(title := answer["result"].get("value"), str):
        page.title = title
