"""Navigations of the top frame, from the moment they begin until the document has loaded, failed, or become a file.

An attempt is known by its loader id, which the browser gives to the navigation, its request and the document it
becomes.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-frameStartedNavigating
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Download, LoadState, Mark, Navigation
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.frames import Frames, Node
from oryn.browsers.cdp.happenings import Log
from oryn.records import Record, field

if TYPE_CHECKING:
    from oryn.domains import Refusal

# How far a document is, in the words of Page.lifecycleEvent.
_LIFECYCLE = {"commit": "commit", "DOMContentLoaded": "ready", "load": "load"}
# The schemes of what the browser itself shows.
_OPENED = frozenset({"http", "https", "file", "data", "blob", "about", "chrome", "view-source", "filesystem"})
_RANK: dict[str, int] = {"": 0, "commit": 1, "ready": 2, "load": 3, "idle": 3}


class Attempt(Record, frozen=False):
    """One navigation to another document."""

    loader: str
    url: str
    begun: int
    """When it began, and when it was committed, in the order of such events."""
    ended: int = 0
    redirects: list[str] = field(factory=list)
    status: int | None = None
    status_text: str = ""
    answered: bool = False
    """Its response has begun."""
    committed: bool = False
    failed: str | None = None
    """`net::ERR_…`; also when the browser's error page has taken the document's place."""
    download: Download | None = None
    refusal: Refusal | None = None
    """Why no request of it may leave (`Browser.restrict`)."""
    stopped: bool = False
    """It ended without a document, for no fault: an answer without content, or another navigation took over."""

    @property
    def over(self) -> bool:
        """Whether it is decided what becomes of it; a committed document may still be loading."""
        ended = self.committed or self.stopped or self.failed is not None
        return ended or self.download is not None or self.refusal is not None


class Navigations:
    """Attempts of one tab's top frame, and how far its present document is."""

    def __init__(self, channel: Channel, frames: Frames) -> None:
        self._channel = channel
        self._frames = frames
        self._attempts: dict[str, Attempt] = {}
        self._progress: dict[str, str] = {}
        self._events = 0
        self.log: Log[Attempt] = Log()
        self.within: Log[str] = Log()
        """URLs of navigations that stayed in their document."""
        self.requested = False
        """The page has asked for a navigation that the browser has not yet begun."""
        frames.on_commit.append(self._committed)

    def listen(self, session: Session) -> None:
        session.on("Page.frameRequestedNavigation", self._requested)
        session.on("Page.frameStartedNavigating", self._started)
        session.on("Page.frameClearedScheduledNavigation", self._cleared)
        session.on("Page.frameStoppedLoading", self._cleared)
        session.on("Page.navigatedWithinDocument", self._navigated_within)
        session.on("Page.lifecycleEvent", self._lifecycle)
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.responseReceived", self._answered)
        session.on("Network.loadingFailed", self._failed)

    # --- looking ---

    def attempt(self, loader: str) -> Attempt | None:
        return self._attempts.get(loader)

    @property
    def pending(self) -> Attempt | None:
        """The navigation that is under way and has no document yet."""
        return next((attempt for attempt in reversed(self._attempts.values()) if not attempt.over), None)

    @property
    def newest(self) -> Attempt | None:
        """The attempt that began last."""
        return next(reversed(self._attempts.values()), None)

    def latest(self, since: Mark) -> Attempt | None:
        """The last navigation to another document that began since a mark."""
        attempts = self.log.since(since)
        return attempts[-1] if attempts else None

    def reached(self, state: LoadState) -> bool:
        """Whether the present document has come so far (`idle` counts as `load` here)."""
        return _RANK[self._progress.get(self._frames.top.loader, "")] >= _RANK[state]

    def describe(self, attempt: Attempt) -> Navigation:
        """What became of it, with the present URL when it has become the document."""
        url = self._frames.top.url if attempt.committed else attempt.url
        return Navigation(url, attempt.status, attempt.status_text, tuple(attempt.redirects), download=attempt.download)

    # --- reacting ---

    def _is_top(self, event: dict[str, Any]) -> bool:
        return bool(event.get("frameId") == self._frames.top.id)

    def _requested(self, event: dict[str, Any]) -> None:
        # `javascript:` and a link to a fragment end without a navigation to another document.
        if self._is_top(event) and event.get("disposition") == "currentTab":
            self.requested = not event["url"].startswith("javascript:")

    def _cleared(self, event: dict[str, Any]) -> None:
        if self._is_top(event):
            self.requested = False
            self._channel.signal.notify()

    def _started(self, event: dict[str, Any]) -> None:
        if not self._is_top(event):
            return
        self.requested = False
        if "Same" not in event["navigationType"] and "same" not in event["navigationType"]:
            self._begin(event["loaderId"], event["url"])
        self._channel.signal.notify()

    def _begin(self, loader: str, url: str) -> Attempt:
        attempt = self._attempts.get(loader)
        if attempt is None:
            for older in self._attempts.values():
                older.stopped = older.stopped or not older.over
            attempt = self._attempts[loader] = Attempt(loader, url, self._tick())
            self.log.note(self._channel.moment, attempt)
            while len(self._attempts) > 20:
                self._attempts.pop(next(iter(self._attempts)))
        return attempt

    def _tick(self) -> int:
        self._events += 1
        return self._events

    def _sent(self, event: dict[str, Any]) -> None:
        loader = event.get("loaderId", "")
        if event["requestId"] != loader or not self._is_top(event) or event.get("type") != "Document":
            return
        attempt = self._begin(loader, event["request"]["url"])
        if redirect := event.get("redirectResponse"):
            attempt.redirects.append(redirect["url"])
            attempt.url = event["request"]["url"]
        self._channel.signal.notify()

    def _answered(self, event: dict[str, Any]) -> None:
        attempt = self._attempts.get(event["requestId"])
        if attempt is not None and attempt.failed is None:
            attempt.answered = True
            response = event["response"]
            if response["url"].startswith("http"):  # not of data:, about:, chrome-error:
                attempt.url = response["url"]
                attempt.status, attempt.status_text = response["status"], response.get("statusText", "")
            self._channel.signal.notify()

    def _failed(self, event: dict[str, Any]) -> None:
        attempt = self._attempts.get(event["requestId"])
        if attempt is None or attempt.over:
            return
        if event.get("canceled") or event["errorText"] == "net::ERR_ABORTED":
            if attempt.url.partition(":")[0].lower() in _OPENED:
                attempt.stopped = True
            else:  # another program's
                attempt.failed = "net::ERR_UNKNOWN_URL_SCHEME"
        elif event["errorText"] != "net::ERR_HTTP_RESPONSE_CODE_FAILURE":  # an answer with a status and no body
            attempt.failed = event["errorText"]
        self._channel.signal.notify()

    def refuse(self, loader: str, url: str, refusal: Refusal) -> None:
        """A request of a navigation is not let out."""
        if loader:
            self._begin(loader, url).refusal = refusal
            self._channel.signal.notify()

    def downloading(self, download: Download) -> None:
        """The browser has made a file of what a navigation of this tab brought."""
        for attempt in reversed(self._attempts.values()):
            if download.url in (attempt.url, *attempt.redirects) and not attempt.committed:
                attempt.download = download
                return

    def _committed(self, node: Node) -> None:
        if node.parent is not None:
            return
        self.requested = False
        attempt = self._attempts.get(node.loader)
        if attempt is None and node.loader:
            attempt = self._begin(node.loader, node.url)
        if attempt is not None:
            attempt.committed = attempt.failed is None
            attempt.ended = self._tick()
        for loader in list(self._progress):
            if loader != node.loader:
                del self._progress[loader]
        self._advance(node.loader, "commit")

    def _lifecycle(self, event: dict[str, Any]) -> None:
        if self._is_top(event) and (state := _LIFECYCLE.get(event["name"])):
            self._advance(event["loaderId"], state)
            self._channel.signal.notify()

    def _advance(self, loader: str, state: str) -> None:
        if _RANK[state] > _RANK[self._progress.get(loader, "")]:
            self._progress[loader] = state

    def _navigated_within(self, event: dict[str, Any]) -> None:
        if self._is_top(event):
            self.requested = False
            self.within.note(self._channel.moment, event["url"])
            self._channel.signal.notify()
