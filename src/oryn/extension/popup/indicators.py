"""Status indicators outside the popup: the toolbar icon with its badge, and the banner on each controlled tab.

https://developer.chrome.com/docs/extensions/reference/api/action, and `extension/banner.ts`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping
from types import MappingProxyType
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from oryn.browsers.extension.bridge import ChromeFailed
from oryn.core.records import Record
from oryn.extension.server_connection.client import ConnectionStatus

BANNER = "banner.js"
IndicatorStatus = ConnectionStatus | Literal["agent", "asking"]
_BADGES: dict[IndicatorStatus, str] = {"pairing": "?", "asking": "?", "waiting": "…", "connecting": "…"}
_TITLES: dict[IndicatorStatus, str] = {
    "disconnected": "Oryn: not connected",
    "connecting": "Oryn: connecting to {}",
    "pairing": "Oryn: {} is not paired yet",
    "connected": "Oryn: connected to {}",
    "waiting": "Oryn: no connection to {}",
    "agent": "Oryn: the agent of {} works in this browser",
    "asking": "Oryn: the agent of {} asks you something",
}
_IN_CONTROL = ("connected", "agent", "asking")


class Notice(Record):
    """A text for a banner, in the place of who controls the tab. Its button stops that, or (`OK`) hides the banner."""

    words: str
    button: Literal["Stop", "OK"] = "Stop"


class IndicatorBridge(Protocol):
    """The part of `bridge.Bridge` that is used here."""

    async def call(self, name: str, *arguments: Any) -> Any: ...

    def on(self, event: str, listener: Callable[..., object]) -> None: ...


class StatusIndicators:
    """Shows the status in the toolbar and on the controlled tabs. `update` may be called as often as one likes."""

    def __init__(self, calls: IndicatorBridge, spawn: Callable[[Coroutine[Any, Any, object]], object]) -> None:
        """`spawn` runs a coroutine in the background."""
        self._calls = calls
        self._spawn = spawn
        self._painted: tuple[IndicatorStatus, str] | None = None
        self._banners: dict[int, dict[str, str]] = {}
        """The last message to the banner of each tab."""

    def start(self) -> None:
        """Follow navigations, and hide banners that an earlier worker may have left."""
        self._calls.on("webNavigation.onCommitted", self._on_committed)
        self._spawn(self._clear())

    def update(
        self,
        status: IndicatorStatus,
        endpoint: str,
        tabs: Collection[int],
        notices: Mapping[int, Notice] = MappingProxyType({}),
        notes: str = "",
    ) -> None:
        """Display a status. `endpoint` is a URL; `tabs` are the controlled tabs, by the browser's ids, `notices` the
        banners with another text. `notes`: what the other banners say of the user's notes."""
        if self._painted != (status, endpoint):
            self._painted = status, endpoint
            self._spawn(self._paint(status, endpoint))
        about = {"endpoint": endpoint} | ({"notes": notes} if notes else {})
        wanted = dict.fromkeys(tabs, about) if status in _IN_CONTROL else {}
        wanted |= {tab: notice.values() for tab, notice in notices.items()}
        for tab in self._banners.keys() - wanted.keys():
            self._spawn(self._send(tab, {"banner": "hide"}))
        for tab, shown in wanted.items():
            if self._banners.get(tab) != shown:
                self._spawn(self._show_banner(tab, shown))
        self._banners = wanted

    async def _paint(self, status: IndicatorStatus, endpoint: str) -> None:
        name = "on" if status in _IN_CONTROL else "off"
        title = _TITLES[status].format(urlsplit(endpoint).netloc)
        for call, about in (
            ("action.setIcon", {"path": {"16": f"/icons/{name}-16.png", "32": f"/icons/{name}-32.png"}}),
            ("action.setTitle", {"title": title}),
            ("action.setBadgeText", {"text": _BADGES.get(status, "")}),
            ("action.setBadgeBackgroundColor", {"color": "#0f6b5c"}),
        ):
            await self._try_call(call, about)

    def _on_committed(self, event: Any) -> None:
        """A controlled tab shows a new document: put the banner there again."""
        if event["frameId"] == 0 and event["tabId"] in self._banners:
            self._spawn(self._show_banner(event["tabId"], self._banners[event["tabId"]]))

    async def _show_banner(self, tab: int, about: dict[str, str]) -> None:
        message = {"banner": "show", **about}
        if not await self._send(tab, message):
            # The page is older than the extension, or does not have its scripts yet.
            target = {"target": {"tabId": tab}, "files": [BANNER], "injectImmediately": True}
            if await self._try_call("scripting.executeScript", target) and tab in self._banners:
                await self._send(tab, message)

    async def _clear(self) -> None:
        for tab in await self._calls.call("tabs.query", {}):
            if tab["id"] not in self._banners:
                await self._send(tab["id"], {"banner": "hide"})

    async def _send(self, tab: int, message: dict[str, str]) -> bool:
        """Send a message to a tab; whether the banner there has answered, which other content scripts do not."""
        try:
            return await self._calls.call("tabs.sendMessage", tab, message, {"frameId": 0}) is not None
        except ChromeFailed:
            return False

    async def _try_call(self, name: str, *arguments: Any) -> bool:
        """Whether a call has succeeded. Failures are ignored: restricted pages have no banner, closed tabs need
        none."""
        try:
            await self._calls.call(name, *arguments)
        except ChromeFailed:
            return False
        return True
