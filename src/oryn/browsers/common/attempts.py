"""Navigations of a top frame, from the moment they begin until the document has loaded, failed, or become a file.

An attempt is known by the id of its loader: the backend's name for the navigation and the document that it becomes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from oryn.browsers.base import Download, LoadState, Mark, Navigation
from oryn.browsers.common.happenings import Log
from oryn.browsers.common.life import Life
from oryn.records import Record, field

if TYPE_CHECKING:
    from oryn.domains import Refusal

# The schemes of what the browser itself shows.
_OPENED = frozenset({"http", "https", "file", "data", "blob", "about", "chrome", "view-source", "filesystem"})
_RANK: dict[str, int] = {"": 0, "commit": 1, "ready": 2, "load": 3, "idle": 3}


class Document(Protocol):
    """The one that a frame shows."""

    loader: str
    url: str


class Attempt(Record, frozen=False):
    """One navigation to another document."""

    loader: str
    url: str
    begun: int
    """When it began, and when it was committed, in the order of such events."""
    ended: int = 0
    """0 until it was committed, or is known to come to no document; an error page is one."""
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


class Attempts:
    """Attempts of one tab's top frame, and how far its present document, `top()`, is."""

    def __init__(self, life: Life, top: Callable[[], Document]) -> None:
        self._life = life
        self._top = top
        self._attempts: dict[str, Attempt] = {}
        self._progress: dict[str, str] = {}
        self._events = 0
        self.log: Log[Attempt] = Log()
        self.within: Log[str] = Log()
        """URLs of navigations that stayed in their document."""
        self.requested = False
        """The page has asked for a navigation that the browser has not yet begun."""

    # --- looking ---

    async def until_shown(self, blank: bool, timeout: float) -> None:
        """Wait until a new tab has come to the document that it was opened for, or to `blank` if that is all it
        gets."""

        def shown() -> bool:
            newest = self.newest
            stays = blank or self._top().url != "about:blank" or (newest is not None and newest.refusal is not None)
            return self._life.failure is not None or (self.reached("ready") and stays)

        await self._life.signal.until(shown, timeout)

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
        return _RANK[self._progress.get(self._top().loader, "")] >= _RANK[state]

    def thwarted(self, ours: Attempt | None) -> bool:
        """Whether the page that was to be left has put a navigation of its own in the place of ours."""
        newest = self.newest
        if ours is None or newest is None or newest is ours:
            return False
        return newest.begun < ours.ended if ours.committed else ours.stopped and not ours.answered

    def describe(self, attempt: Attempt) -> Navigation:
        """What became of it, with the present URL when it has become the document."""
        url = self._top().url if attempt.committed else attempt.url
        return Navigation(url, attempt.status, attempt.status_text, tuple(attempt.redirects), download=attempt.download)

    # --- what becomes of them ---

    def begin(self, loader: str, url: str) -> Attempt:
        """A navigation to another document has begun; another one that had no document yet is over."""
        attempt = self._attempts.get(loader)
        if attempt is None:
            for older in self._attempts.values():
                older.stopped = older.stopped or not older.over
            attempt = self._attempts[loader] = Attempt(loader, url, self._tick())
            self.log.note(self._life.moment, attempt)
            while len(self._attempts) > 20:
                self._attempts.pop(next(iter(self._attempts)))
        return attempt

    def _tick(self) -> int:
        self._events += 1
        return self._events

    def failed(self, attempt: Attempt, error: str, *, canceled: bool = False) -> None:
        """An attempt that is not over ends with `net::ERR_…`."""
        if canceled or error == "net::ERR_ABORTED":
            if attempt.url.partition(":")[0].lower() in _OPENED:
                attempt.stopped = True
            else:  # another program's
                attempt.failed = "net::ERR_UNKNOWN_URL_SCHEME"
                self.comes_to_nothing(attempt)
        elif error != "net::ERR_HTTP_RESPONSE_CODE_FAILURE":  # an answer with a status and no body
            attempt.failed = error
        self._life.signal.notify()

    def comes_to_nothing(self, attempt: Attempt) -> None:
        """It has failed, and the document before it stays."""
        attempt.ended = attempt.ended or self._tick()
        self._life.signal.notify()

    def refuse(self, loader: str, url: str, refusal: Refusal) -> None:
        """A request of a navigation is not let out."""
        if loader:
            self.begin(loader, url).refusal = refusal
            self._life.signal.notify()

    def downloading(self, download: Download) -> None:
        """The browser has made a file of what a navigation of this tab brought."""
        if attempt := self.awaiting(download.url):
            attempt.download = download

    def awaiting(self, url: str) -> Attempt | None:
        """The newest attempt to get what is at `url` that has brought no document."""
        for attempt in reversed(self._attempts.values()):
            if url in (attempt.url, *attempt.redirects) and not attempt.committed:
                return attempt
        return None

    def committed(self, loader: str, url: str) -> None:
        """The top frame has another document."""
        self.requested = False
        attempt = self._attempts.get(loader)
        if attempt is None and loader:
            attempt = self.begin(loader, url)
        if attempt is not None:
            attempt.committed = attempt.failed is None
            attempt.ended = self._tick()
        for other in list(self._progress):
            if other != loader:
                del self._progress[other]
        self.advance(loader, "commit")

    def advance(self, loader: str, state: str) -> None:
        """A document has come so far."""
        if _RANK[state] > _RANK[self._progress.get(loader, "")]:
            self._progress[loader] = state
            self._life.signal.notify()

    def moved_within(self, url: str) -> None:
        """The top frame's document has another address."""
        self.requested = False
        self.within.note(self._life.moment, url)
        self._life.signal.notify()
