"""What a user sees without opening the popup: the icon in the toolbar, and the bar on each tab that is under control.

https://developer.chrome.com/docs/extensions/reference/api/action, and `extension/banner.js`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping
from types import MappingProxyType
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from oryn.extension.bridge import ChromeFailed
from oryn.extension.connection import Status
from oryn.records import Record

BANNER = "banner.js"
Shown = Status | Literal["agent", "asking"]
_BADGES: dict[Shown, str] = {"pairing": "?", "asking": "?", "waiting": "…", "connecting": "…"}
_TITLES: dict[Shown, str] = {
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
    """What a bar says in the place of who controls the tab; its button stops what is done, or (`OK`) takes it away."""

    words: str
    button: Literal["Stop", "OK"] = "Stop"


class Calls(Protocol):
    """What `bridge.Bridge` is here."""

    async def call(self, name: str, *arguments: Any) -> Any: ...

    def on(self, event: str, listener: Callable[..., object]) -> None: ...


class Signs:
    """`spawn` has a coroutine done in the background; `tell` says how things stand, as often as one likes."""

    def __init__(self, calls: Calls, spawn: Callable[[Coroutine[Any, Any, object]], object]) -> None:
        self._calls = calls
        self._spawn = spawn
        self._told: tuple[Shown, str] | None = None
        self._marked: dict[int, dict[str, str]] = {}
        """What the bar on each tab was told."""

    def start(self) -> None:
        """Follow navigations, and take away what an earlier life of the worker may have left."""
        self._calls.on("webNavigation.onCommitted", self._committed)
        self._spawn(self._clear())

    def tell(
        self,
        status: Shown,
        endpoint: str,
        tabs: Collection[int],
        notices: Mapping[int, Notice] = MappingProxyType({}),
    ) -> None:
        """`endpoint` is a URL; `tabs` are those under control, by the ids of the browser."""
        if self._told != (status, endpoint):
            self._told = status, endpoint
            self._spawn(self._paint(status, endpoint))
        wanted = {tab: {"endpoint": endpoint} for tab in tabs} if status in _IN_CONTROL else {}
        wanted |= {tab: notice.values() for tab, notice in notices.items()}
        for tab in self._marked.keys() - wanted.keys():
            self._spawn(self._send(tab, {"banner": "hide"}))
        for tab, about in wanted.items():
            if self._marked.get(tab) != about:
                self._spawn(self._mark(tab, about))
        self._marked = wanted

    async def _paint(self, status: Shown, endpoint: str) -> None:
        name = "on" if status in _IN_CONTROL else "off"
        title = _TITLES[status].format(urlsplit(endpoint).netloc)
        for call, about in (
            ("action.setIcon", {"path": {"16": f"/icons/{name}-16.png", "32": f"/icons/{name}-32.png"}}),
            ("action.setTitle", {"title": title}),
            ("action.setBadgeText", {"text": _BADGES.get(status, "")}),
            ("action.setBadgeBackgroundColor", {"color": "#0f6b5c"}),
        ):
            await self._quietly(call, about)

    def _committed(self, event: Any) -> None:
        """A tab under control shows a new document."""
        if event["frameId"] == 0 and event["tabId"] in self._marked:
            self._spawn(self._mark(event["tabId"], self._marked[event["tabId"]]))

    async def _mark(self, tab: int, about: dict[str, str]) -> None:
        message = {"banner": "show", **about}
        if not await self._send(tab, message):
            # The page is older than the extension, or too new to have its scripts yet.
            target = {"target": {"tabId": tab}, "files": [BANNER], "injectImmediately": True}
            if await self._quietly("scripting.executeScript", target) and tab in self._marked:
                await self._send(tab, message)

    async def _clear(self) -> None:
        for tab in await self._calls.call("tabs.query", {}):
            if tab["id"] not in self._marked:
                await self._send(tab["id"], {"banner": "hide"})

    async def _send(self, tab: int, message: dict[str, str]) -> bool:
        """Whether somebody was there to hear it."""
        return await self._quietly("tabs.sendMessage", tab, message, {"frameId": 0})

    async def _quietly(self, name: str, *arguments: Any) -> bool:
        """Whether it went well: a page that takes no script has no bar, a tab that is gone needs none."""
        try:
            await self._calls.call(name, *arguments)
        except ChromeFailed:
            return False
        return True
