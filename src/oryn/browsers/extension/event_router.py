"""Routes the browser's events to the tabs that they are about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.extension.bridge import Bridge
    from oryn.browsers.extension.page import ExtensionPage
    from oryn.browsers.extension.tab_registry import TabRegistry

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
_ALL_URLS = {"urls": ["<all_urls>"]}


class EventRouter:
    """Passes events of tabs to their registry, those of documents to their pages."""

    def __init__(
        self,
        bridge: Bridge,
        tabs: TabRegistry,
        get_page: Callable[[int], ExtensionPage | None],
        opened: Callable[[int, int, str], object],
    ) -> None:
        """`get_page` finds the page of a tab that is followed, by the browser's id. `opened(source, tab, url)` is
        called when a page has opened a tab."""
        self._bridge = bridge
        self._tabs = tabs
        self._get_page = get_page
        self._opened = opened
        self._tasks: set[asyncio.Task[Any]] = set()

    def listen(self) -> None:
        """Route events from now on."""
        on, tabs = self._bridge.on, self._tabs
        on("tabs.onCreated", tabs.on_created)
        on("tabs.onUpdated", lambda _, __, tab: tabs.on_updated(tab))
        on("tabs.onActivated", lambda event: tabs.on_activated(event["tabId"], event["windowId"]))
        on("tabs.onRemoved", lambda tab, _: tabs.on_removed(tab))
        on("tabs.onReplaced", lambda new, old: tabs.on_replaced(old, new))
        on("windows.onFocusChanged", tabs.on_focused)
        on("runtime.onMessage", self._on_message)
        on("webNavigation.onCreatedNavigationTarget", self._on_target_created)
        on("page.onToolsChanged", self._on_tools_changed)
        on("page.onConsole", self._on_console)
        on("page.onInput", self._on_input)
        for kind in _NAVIGATION:
            on(f"webNavigation.{kind}", lambda event, kind=kind: self._on_navigated(kind, event))
        for kind in _REQUESTS:
            options = (_ALL_URLS, ["responseHeaders"]) if kind == "onResponseStarted" else (_ALL_URLS,)
            on(f"webRequest.{kind}", lambda event, kind=kind: self._on_requested(kind, event), *options)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run `work` without waiting for it; its failure is ignored."""
        task = asyncio.ensure_future(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_target_created(self, event: dict[str, Any]) -> None:
        self._opened(event["sourceTabId"], event["tabId"], event["url"])

    def _on_tools_changed(self, tab: int) -> None:
        if page := self._get_page(tab):
            page.tools.on_changed()

    def _on_console(self, tab: int, messages: list[Any]) -> None:
        if (page := self._get_page(tab)) and page.owner is not None:
            page.owner.reported_console.record_texts(messages)

    def _on_input(self, tab: int, kind: str, count: int) -> None:
        if page := self._get_page(tab):
            page.tabs.leases.input_watch(tab).on_reported(kind, count, page)

    def _on_navigated(self, kind: str, event: dict[str, Any]) -> None:
        if page := self._get_page(event["tabId"]):
            page.on_navigated(kind, event)

    def _on_requested(self, kind: str, event: dict[str, Any]) -> None:
        if page := self._get_page(event["tabId"]):
            page.on_requested(kind, event)

    def _on_message(self, message: Any, sender: dict[str, Any]) -> None:
        """A content script reports a token that was posted to it; the browser vouches for its frame."""
        if not isinstance(message, dict) or message.get("oryn") != "token":
            return
        page = self._get_page(sender["tab"]["id"]) if "tab" in sender else None
        if page is not None:
            page.frame_tree.on_token(str(message.get("token")), sender["frameId"])


async def _quietly(work: Coroutine[Any, Any, Any]) -> None:
    try:
        await work
    except OrynError:
        pass
