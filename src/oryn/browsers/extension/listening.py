"""Hands the browser's events on to the tabs that they are about."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.extension.tabs import Tabs
    from oryn.extension.bridge import Bridge

_NAVIGATION = (
    "onBeforeNavigate",
    "onCommitted",
    "onDOMContentLoaded",
    "onCompleted",
    "onErrorOccurred",
    "onHistoryStateUpdated",
    "onReferenceFragmentUpdated",
)
_REQUESTS = ("onBeforeRequest", "onBeforeRedirect", "onResponseStarted", "onCompleted", "onErrorOccurred")
_EVERYWHERE = {"urls": ["<all_urls>"]}


class Events:
    """Listens for `tabs`."""

    def __init__(self, bridge: Bridge, tabs: Tabs) -> None:
        self._bridge = bridge
        self._tabs = tabs
        self._tasks: set[asyncio.Task[Any]] = set()

    def listen(self) -> None:
        on, tabs = self._bridge.on, self._tabs
        on("tabs.onCreated", tabs.created)
        on("tabs.onUpdated", lambda _, __, tab: tabs.updated(tab))
        on("tabs.onActivated", lambda event: tabs.activated(event["tabId"], event["windowId"]))
        on("tabs.onRemoved", lambda tab, _: tabs.removed(tab))
        on("tabs.onReplaced", lambda new, old: tabs.replaced(old, new))
        on("windows.onFocusChanged", tabs.focused)
        on("runtime.onMessage", self._message)
        on("webNavigation.onCreatedNavigationTarget", self._opened)
        for kind in _NAVIGATION:
            on(f"webNavigation.{kind}", lambda event, kind=kind: self._navigated(kind, event))
        for kind in _REQUESTS:
            told = (_EVERYWHERE, ["responseHeaders"]) if kind == "onResponseStarted" else (_EVERYWHERE,)
            on(f"webRequest.{kind}", lambda event, kind=kind: self._requested(kind, event), *told)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Have a call made that nobody waits for, and whose failure says nothing."""
        task = asyncio.ensure_future(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _opened(self, event: dict[str, Any]) -> None:
        self._tabs.opened(event["sourceTabId"], event["tabId"], event["url"])

    def _navigated(self, kind: str, event: dict[str, Any]) -> None:
        if page := self._tabs.followed(event["tabId"]):
            page.navigated(kind, event)

    def _requested(self, kind: str, event: dict[str, Any]) -> None:
        if page := self._tabs.followed(event["tabId"]):
            page.requested(kind, event)

    def _message(self, message: Any, sender: dict[str, Any]) -> None:
        """A content script says that a token came to it; who says so, the browser knows."""
        if not isinstance(message, dict) or message.get("oryn") != "token":
            return
        page = self._tabs.followed(sender["tab"]["id"]) if "tab" in sender else None
        if page is not None:
            page.frame_tree.token_came(str(message.get("token")), sender["frameId"])


async def _quietly(work: Coroutine[Any, Any, Any]) -> None:
    try:
        await work
    except OrynError:
        pass
