"""Navigations of a top frame: the tracker of their progress, and the waiter for their outcome.

A navigation is tracked from its start until its document has loaded, it has failed, or it has become a download. It is
identified by the id of its loader: the backend's name for the navigation and the document that it becomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base import NO_CONTENT_STATUSES, Checkpoint, Download, LoadState, Navigation
from oryn.browsers.common.events import Deadline, EventLog, pluralize
from oryn.browsers.common.inflight import InflightTracker
from oryn.browsers.common.network_errors import load_error
from oryn.browsers.common.tab_state import TabState
from oryn.core.error_text import round_up_seconds
from oryn.core.records import Record, field
from oryn.errors import DomainNotAllowed, NavigationError, PathNotAllowed, Timeout

if TYPE_CHECKING:
    from oryn.core.urls import DomainRefusal

# The schemes that the browser displays itself.
_BROWSER_SCHEMES = frozenset({"http", "https", "file", "data", "blob", "about", "chrome", "view-source", "filesystem"})
_RANK: dict[str, int] = {"": 0, "commit": 1, "ready": 2, "load": 3, "idle": 3}


class LoadedDocument(Protocol):
    """The document in a frame."""

    loader: str
    url: str


class NavigationAttempt(Record, frozen=False):
    """One navigation to another document."""

    loader: str
    url: str
    started: int
    """When it began, as a number in the sequence of navigation events."""
    ended: int = 0
    """When it was committed, also to an error page, or has ended without a document; 0 before."""
    redirects: list[str] = field(factory=list)
    status: int | None = None
    status_text: str = ""
    sent: bool = False
    """Its request was sent, which the scripts of the old page may delay (`beforeunload`)."""
    answered: bool = False
    """Its response has begun."""
    committed: bool = False
    failed: str | None = None
    """`net::ERR_…`; also if the browser displays an error page instead of the document."""
    download: Download | None = None
    refusal: DomainRefusal | None = None
    """Why its requests were refused (`Browser.restrict`)."""
    stopped: bool = False
    """It has ended without a document and without an error: an empty response, or another navigation has replaced
    it."""

    @property
    def finished(self) -> bool:
        """Whether its outcome is decided; a committed document may still be loading."""
        ended = self.committed or self.stopped or self.failed is not None
        return ended or self.download is not None or self.refusal is not None


class NavigationTracker:
    """The navigations of one tab's top frame, and the load state of its present document."""

    def __init__(self, tab_state: TabState, top: Callable[[], LoadedDocument]) -> None:
        """`top` returns the present document."""
        self._tab_state = tab_state
        self._top = top
        self._attempts: dict[str, NavigationAttempt] = {}
        self._progress: dict[str, str] = {}
        self._events = 0
        self.log: EventLog[NavigationAttempt] = EventLog()
        self.same_document_log: EventLog[str] = EventLog()
        """URLs of navigations within a document."""
        self.requested = False
        """Whether the page has requested a navigation that the browser has not begun yet."""

    # --- queries ---

    async def wait_until_displayed(self, blank: bool, timeout: float) -> None:
        """Wait until a new tab shows the document that it was opened for; with `blank`, `about:blank` is enough."""

        def is_displayed() -> bool:
            newest = self.newest
            stays = blank or self._top().url != "about:blank" or (newest is not None and newest.refusal is not None)
            return self._tab_state.failure is not None or (self.reached("ready") and stays)

        await self._tab_state.signal.until(is_displayed, timeout)

    def attempt(self, loader: str) -> NavigationAttempt | None:
        """The navigation with this loader, or None."""
        return self._attempts.get(loader)

    @property
    def pending(self) -> NavigationAttempt | None:
        """The navigation in progress that has no document yet."""
        return next((attempt for attempt in reversed(self._attempts.values()) if not attempt.finished), None)

    @property
    def newest(self) -> NavigationAttempt | None:
        """The navigation that began last."""
        return next(reversed(self._attempts.values()), None)

    def latest(self, since: Checkpoint) -> NavigationAttempt | None:
        """The last navigation to another document that began since a checkpoint."""
        attempts = self.log.since(since)
        return attempts[-1] if attempts else None

    def reached(self, state: LoadState) -> bool:
        """Whether the present document has reached a state (`idle` counts as `load` here)."""
        return _RANK[self._progress.get(self._top().loader, "")] >= _RANK[state]

    def is_superseded(self, attempt: NavigationAttempt | None) -> bool:
        """Whether the old page has replaced our navigation by one of its own."""
        if attempt is None:
            return False
        following = next((other for other in self._attempts.values() if other.started > attempt.started), None)
        if following is None:
            return False
        # What the old page has begun before ours was committed is committed after it.
        return following.started < attempt.ended if attempt.committed else attempt.stopped and not attempt.answered

    def describe(self, attempt: NavigationAttempt) -> Navigation:
        """The result of a navigation, with the present URL if it was committed."""
        url = self._top().url if attempt.committed else attempt.url
        return Navigation(url, attempt.status, attempt.status_text, tuple(attempt.redirects), download=attempt.download)

    # --- updates ---

    def begin(self, loader: str, url: str) -> NavigationAttempt:
        """A navigation to another document has begun; it ends one that has no document yet."""
        attempt = self._attempts.get(loader)
        if attempt is None:
            for older in self._attempts.values():
                older.stopped = older.stopped or not older.finished
            attempt = self._attempts[loader] = NavigationAttempt(loader, url, self._tick())
            self.log.record(self._tab_state.moment, attempt)
            while len(self._attempts) > 20:
                self._attempts.pop(next(iter(self._attempts)))
        return attempt

    def _tick(self) -> int:
        self._events += 1
        return self._events

    def record_failure(self, attempt: NavigationAttempt, error: str, *, canceled: bool = False) -> None:
        """Record that an unfinished attempt has failed with `net::ERR_…`."""
        if canceled or error == "net::ERR_ABORTED":
            if attempt.url.partition(":")[0].lower() in _BROWSER_SCHEMES:
                attempt.stopped = True
            else:  # a URL for another program
                attempt.failed = "net::ERR_UNKNOWN_URL_SCHEME"
                self.end_without_document(attempt)
        elif error != "net::ERR_HTTP_RESPONSE_CODE_FAILURE":  # a response with a status and no body
            attempt.failed = error
        self._tab_state.signal.notify()

    def end_without_document(self, attempt: NavigationAttempt) -> None:
        """A navigation has failed, and the old document stays."""
        attempt.ended = attempt.ended or self._tick()
        self._tab_state.signal.notify()

    def refuse(self, loader: str, url: str, refusal: DomainRefusal) -> None:
        """A request of a navigation was refused."""
        if loader:
            self.begin(loader, url).refusal = refusal
            self._tab_state.signal.notify()

    def on_download(self, download: Download) -> None:
        """A navigation of this tab has become a download."""
        if attempt := self.find_unfinished(download.url):
            attempt.download = download

    def find_unfinished(self, url: str) -> NavigationAttempt | None:
        """The newest navigation to `url` that has no document."""
        for attempt in reversed(self._attempts.values()):
            if url in (attempt.url, *attempt.redirects) and not attempt.committed:
                return attempt
        return None

    def record_commit(self, loader: str, url: str) -> None:
        """Record that the top frame has another document."""
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
        """A document has reached a state."""
        if _RANK[state] > _RANK[self._progress.get(loader, "")]:
            self._progress[loader] = state
            self._tab_state.signal.notify()

    def on_same_document(self, url: str) -> None:
        """The top frame's document has another URL."""
        self.requested = False
        self.same_document_log.record(self._tab_state.moment, url)
        self._tab_state.signal.notify()


MAX_GOTO_ATTEMPTS = 10
"""How often `goto` navigates if the old page replaces the navigation by one of its own, as one that reloads itself."""
# Time in which a cancelled navigation may be reported as a download.
DOWNLOAD_SECONDS = 1.0
ERROR_PAGE_SECONDS = 2.0
"""Time until the browser displays its error page after a navigation has failed."""


HISTORY_SECONDS = 1.0
"""Time for an entry of the history to be navigated to, if no event reports that there is no such entry."""


def no_entry_error(delta: int) -> NavigationError:
    """The error for an entry that the history does not have."""
    return NavigationError(
        f"there is no page to go {'back' if delta < 0 else 'forward'} to", "Use 'goto <url>' to open a page."
    )


class HasTopDocument(Protocol):
    """A frame tree."""

    @property
    def top(self) -> LoadedDocument: ...


class NavigationWaiter:
    """Waits for the navigations of one tab. The engines' subclasses start them."""

    def __init__(
        self,
        tab_state: TabState,
        frames: HasTopDocument,
        navigations: NavigationTracker,
        requests: InflightTracker[Any],
    ) -> None:
        self._tab_state = tab_state
        self._frames = frames
        self._navigations = navigations
        self._requests = requests
        self.on_start: list[Callable[[], None]] = []
        """Called before each command that navigates."""

    # --- commands ---

    async def goto(self, url: str, until: LoadState, timeout: float) -> Navigation:
        """See `browsers.base.Page.goto`."""
        return await self._goto(url, until, Deadline(timeout))

    async def _goto(self, url: str, until: LoadState, deadline: Deadline) -> Navigation:
        for _ in range(MAX_GOTO_ATTEMPTS):
            checkpoint = self._start()
            attempt = await self._begin(url, checkpoint, deadline)
            if attempt is None:
                return await self._wait_for_next(checkpoint, until, deadline)
            navigation = await self._follow(attempt, until, deadline)
            if not self._navigations.is_superseded(attempt):
                break
        return navigation

    async def _begin(self, url: str, checkpoint: Checkpoint, deadline: Deadline) -> NavigationAttempt | None:
        """Navigate to `url`, and return the attempt once it is tracked; None for a navigation within the document."""
        raise NotImplementedError

    async def history(self, delta: int, timeout: float) -> Navigation:
        """See `browsers.base.Page.history`."""
        raise NotImplementedError

    async def reload(self, hard: bool, timeout: float) -> Navigation:
        """See `browsers.base.Page.reload`."""
        raise NotImplementedError

    def stop_loading(self) -> None:
        """Cancel the navigation in progress, without waiting."""
        raise NotImplementedError

    async def wait_for(self, state: LoadState, timeout: float) -> None:
        """See `browsers.base.Page.wait_for`."""
        self._tab_state.check()
        await self._reach(state, Deadline(timeout))

    async def wait_for_navigation(self, timeout: float) -> Navigation:
        """See `browsers.base.Page.wait_for_navigation`."""
        deadline = Deadline(timeout)
        self._tab_state.check()
        if (pending := self._navigations.pending) is not None:
            return await self._follow(pending, "load", deadline)
        return await self._wait_for_next(self._tab_state.checkpoint(), "load", deadline)

    # --- outcomes ---

    async def finish(self, checkpoint: Checkpoint, until: LoadState, deadline: Deadline) -> Navigation:
        """Wait until the document of the navigation that began since `checkpoint` has reached the state `until`.

        Raises `NavigationError`, `Timeout`, `DomainNotAllowed`, `PathNotAllowed`, and the error of a tab that can't
        answer."""
        attempt = self._navigations.latest(checkpoint)
        assert attempt is not None
        return await self._follow(attempt, until, deadline)

    async def _follow(self, attempt: NavigationAttempt, until: LoadState, deadline: Deadline) -> Navigation:
        passed: list[str] = []
        while (successor := await self._outcome(attempt, until, deadline)) is not None:
            passed += [*attempt.redirects, attempt.url]
            attempt = successor
        found = self._navigations.describe(attempt)
        return found.replace(redirects=(*passed, *found.redirects))

    async def _outcome(
        self, attempt: NavigationAttempt, until: LoadState, deadline: Deadline
    ) -> NavigationAttempt | None:
        """Wait for the end of one attempt; the one that the page has started in its place, or None."""
        await self._until(lambda: attempt.finished, deadline, "begin to load")
        if attempt.refusal is not None:
            error = PathNotAllowed if attempt.refusal.limit == "files_root" else DomainNotAllowed
            raise error(str(attempt.refusal))
        if attempt.failed is not None:
            await self._wait_for_error_page(attempt, deadline)
            if self._tab_state.failure is not None:
                self._tab_state.check_alive()
            raise load_error(attempt.url, attempt.failed)
        if attempt.committed:
            await self._reach(until, deadline, lambda: self._successor(attempt) is not None)
            if attempt.failed is not None and self._frames.top.is_error_page:
                raise load_error(attempt.url, attempt.failed)  # reported after the document
            return self._successor(attempt)
        if attempt.stopped and (successor := self._successor(attempt)) is not None:
            return successor
        await self._without_document(attempt)
        return None

    async def _wait_for_error_page(self, attempt: NavigationAttempt, deadline: Deadline) -> None:
        """Wait until the error page replaces the old document."""

        def decided() -> bool:
            return bool(attempt.ended) or self._navigations.newest is not attempt or self._tab_state.failure is not None

        await self._tab_state.signal.until(decided, min(ERROR_PAGE_SECONDS, deadline.left))

    async def _without_document(self, attempt: NavigationAttempt) -> None:
        """An attempt was cancelled: because of a download, an empty response, or without a result, which raises
        `NavigationError`."""
        if attempt.download is not None or attempt.status in NO_CONTENT_STATUSES:
            return
        if attempt.answered:
            await self._tab_state.signal.until(lambda: attempt.download is not None, DOWNLOAD_SECONDS)
        if attempt.download is None:
            raise load_error(attempt.url, "net::ERR_ABORTED")

    def _successor(self, attempt: NavigationAttempt) -> NavigationAttempt | None:
        """The navigation that the page itself has started before `attempt` had loaded, or None."""
        latest = self._navigations.newest
        if latest is None or latest is attempt:
            return None
        return latest if latest.committed or not latest.finished else None

    async def _wait_for_next(self, checkpoint: Checkpoint, until: LoadState, deadline: Deadline) -> Navigation:
        """Wait for the next navigation since `checkpoint`, to another document or within this one."""
        await self._until(lambda: self._has_started(checkpoint), deadline, "navigate")
        if self._navigations.latest(checkpoint) is None:
            return Navigation(self._frames.top.url, same_document=True)
        return await self.finish(checkpoint, until, deadline)

    async def _wait_for_entry(self, delta: int, checkpoint: Checkpoint, deadline: Deadline) -> Navigation:
        """Wait for the navigation to another entry of the history, which is missing if none starts within
        `HISTORY_SECONDS`. Raises `NavigationError` then."""
        tab_state = self._tab_state
        if not await tab_state.signal.until(
            lambda: self._has_started(checkpoint) or tab_state.failure is not None or tab_state.blocked is not None,
            min(HISTORY_SECONDS, deadline.left),
        ):
            raise no_entry_error(delta)
        return await self._wait_for_next(checkpoint, "load", deadline)

    def _has_started(self, checkpoint: Checkpoint) -> bool:
        return self._navigations.latest(checkpoint) is not None or bool(
            self._navigations.same_document_log.since(checkpoint)
        )

    async def _reach(self, state: LoadState, deadline: Deadline, superseded: Callable[[], bool] | None = None) -> None:
        what = {"commit": "begin to load", "ready": "get ready", "load": "finish loading", "idle": "become idle"}[state]
        await self._until(
            lambda: self._navigations.reached(state) or (superseded is not None and superseded()), deadline, what
        )
        if state == "idle" and not await self._requests.wait_until_quiet(deadline.left):
            raise self._timeout_error(deadline, f"{what}: {pluralize(self._requests.in_flight(), 'request')} in flight")

    # --- waiting ---

    def _start(self) -> Checkpoint:
        self._tab_state.check()
        for listener in self.on_start:
            listener()
        return self._tab_state.checkpoint()

    async def _until(self, holds: Callable[[], bool], deadline: Deadline, what: str) -> None:
        """Wait until a condition is true. Raises the error of a tab that can't answer, `Timeout`."""
        tab_state = self._tab_state
        in_time = await tab_state.signal.until(
            lambda: holds() or tab_state.failure is not None or tab_state.blocked is not None, deadline.left
        )
        if holds():
            return
        tab_state.check()
        if not in_time:
            raise self._timeout_error(deadline, what)

    def _timeout_error(self, deadline: Deadline, what: str) -> Timeout:
        if self._navigations.pending is not None:
            self.stop_loading()
        return Timeout(
            f"the page did not {what} within {round_up_seconds(deadline.seconds):g} s",
            "The page stays as loaded so far: run 'observe' to see it, or allow more time with --timeout.",
        )
