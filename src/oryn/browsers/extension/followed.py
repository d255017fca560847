"""The part of a tab that hears what the browser tells of it: navigations, requests, frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.browsers.extension.acting import ActingPage
from oryn.browsers.extension.channel import Channel
from oryn.browsers.extension.frames import TOP, Frames
from oryn.browsers.extension.navigation import Navigations
from oryn.browsers.extension.requests import Requests
from oryn.errors import PageCrashed

if TYPE_CHECKING:
    from oryn.browsers.extension.tabs import Tabs
    from oryn.extension.bridge import Bridge


class FollowedPage(ActingPage):
    """`Tabs` hands events on to it."""

    def __init__(self, bridge: Bridge, tab: int, tabs: Tabs) -> None:
        channel = Channel(bridge, tab)
        super().__init__(channel, Frames(channel), tabs)
        self.requests = Requests(self.channel, self.frame_tree)
        self.navigations = Navigations(self.channel, self.frame_tree)

    @property
    def crashed(self) -> bool:
        return isinstance(self.channel.failure, PageCrashed)

    def navigated(self, kind: str, event: dict[str, Any]) -> None:
        """An event of `webNavigation`, by its name."""
        if event.get("documentLifecycle", "active") != "active":
            return  # a page that is loaded in advance, or kept for later
        (self._top_navigated if str(event["frameId"]) == TOP else self._frame_navigated)(kind, event)

    def _top_navigated(self, kind: str, event: dict[str, Any]) -> None:
        match kind:
            case "onBeforeNavigate":
                self.navigations.before(event)
            case "onCommitted":
                self.navigations.arrived(event)
                self._renewed(event)
            case "onErrorOccurred":
                self.navigations.broken(event)
            case "onDOMContentLoaded":
                self.navigations.come_so_far(event, "ready")
            case "onCompleted":
                self.navigations.come_so_far(event, "load")
            case "onHistoryStateUpdated" | "onReferenceFragmentUpdated":
                self.navigations.changed_within(event)

    def _frame_navigated(self, kind: str, event: dict[str, Any]) -> None:
        match kind:
            case "onBeforeNavigate":
                self.frame_tree.coming(event)
            case "onCommitted":
                self.frame_tree.committed(event)
                self.requests.committed(str(event["frameId"]), event["documentId"], top=False)
            case "onHistoryStateUpdated" | "onReferenceFragmentUpdated":
                self.frame_tree.moved_within(event)

    def _renewed(self, event: dict[str, Any]) -> None:
        """A new document is in the tab: it lives again if it had crashed."""
        self.requests.committed(TOP, event["documentId"], top=True)
        if self.crashed:
            self.channel.failure = None

    def requested(self, kind: str, event: dict[str, Any]) -> None:
        """An event of `webRequest`, by its name."""
        if event.get("documentLifecycle", "active") != "active":
            return
        top = event["type"] == "main_frame"
        match kind:
            case "onBeforeRequest":
                self.requests.sent(event)
                if top:
                    self.navigations.sent(event)
            case "onBeforeRedirect" if top:
                self.navigations.redirected(event)
            case "onResponseStarted":
                self.requests.answered(event)
                if top:
                    self.navigations.answered(event)
            case "onCompleted" | "onErrorOccurred":
                self.requests.over(event)
