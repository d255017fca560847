"""Network conditions of a session in WebKit: offline, cache, and headers of every request. It can't be slowed down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.browsers.cdp.network.conditions import RequestHeaders

if TYPE_CHECKING:
    from oryn.browsers.webkit.network.interception import WebKitInterception


class WebKitConditions(RequestHeaders):
    """Sends the headers and the use of the cache to every target. Offline, `interception` fails all requests."""

    def __init__(self, interception: WebKitInterception, *, cache: bool = True) -> None:
        super().__init__(() if cache else [("Network.setResourceCachingDisabled", {"disabled": True})])
        self._interception = interception

    async def set_offline(self, offline: bool) -> None:
        self.offline = self._interception.offline = offline
        await self._interception.apply()
