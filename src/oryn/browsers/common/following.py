"""Waiting for a navigation to become what it will, and for a document to come so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from oryn.browsers.base import LoadState, Mark, Navigation
from oryn.browsers.common.attempts import Attempt, Attempts, Document
from oryn.browsers.common.deadline import Deadline, count, rounded
from oryn.browsers.common.in_flight import InFlight
from oryn.browsers.common.life import Life
from oryn.browsers.common.net_errors import failed_load
from oryn.errors import DomainNotAllowed, PathNotAllowed, Timeout

# After the request of a navigation has been broken off, how long the news may take that it became a file instead.
DOWNLOAD_SECONDS = 1.0
ERROR_PAGE_SECONDS = 2.0
"""How long after a navigation has failed the browser's own page may take to be there."""


class FrameTree(Protocol):
    @property
    def top(self) -> Document: ...


class Following:
    """Waits for one tab. A backend's own class begins its navigations."""

    def __init__(self, life: Life, frames: FrameTree, navigations: Attempts, requests: InFlight[Any]) -> None:
        self._life = life
        self._frames = frames
        self._navigations = navigations
        self._requests = requests

    def stop_loading(self) -> None:
        """Break off what is loading. Not waited for."""
        raise NotImplementedError

    async def wait_for(self, state: LoadState, timeout: float) -> None:
        self._life.check()
        await self._reach(state, Deadline(timeout))

    async def wait_for_navigation(self, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        self._life.check()
        if (pending := self._navigations.pending) is not None:
            return await self._follow(pending, "load", deadline)
        return await self._next(self._life.mark(), "load", deadline)

    # --- how a navigation ends ---

    async def finish(self, mark: Mark, until: LoadState, deadline: Deadline) -> Navigation:
        """Wait for the navigation that began since `mark` to become a document that is so far.

        Raises `NavigationError`, `Timeout`, and what keeps the tab from answering."""
        attempt = self._navigations.latest(mark)
        assert attempt is not None
        return await self._follow(attempt, until, deadline)

    async def _follow(self, attempt: Attempt, until: LoadState, deadline: Deadline) -> Navigation:
        passed: list[str] = []
        while (successor := await self._outcome(attempt, until, deadline)) is not None:
            passed += [*attempt.redirects, attempt.url]
            attempt = successor
        found = self._navigations.describe(attempt)
        return found.replace(redirects=(*passed, *found.redirects))

    async def _outcome(self, attempt: Attempt, until: LoadState, deadline: Deadline) -> Attempt | None:
        """Wait for the end of one attempt. The one that the page began in its place, or None when it stands."""
        await self._until(lambda: attempt.over, deadline, "begin to load")
        if attempt.refusal is not None:
            error = PathNotAllowed if attempt.refusal.limit == "files_root" else DomainNotAllowed
            raise error(str(attempt.refusal))
        if attempt.failed is not None:
            await self._shown_instead(attempt, deadline)
            if self._life.failure is not None:
                self._life.check_alive()
            raise failed_load(attempt.url, attempt.failed)
        if attempt.committed:
            await self._reach(until, deadline, lambda: self._successor(attempt) is not None)
            return self._successor(attempt)
        if attempt.stopped and (successor := self._successor(attempt)) is not None:
            return successor
        await self._without_document(attempt)
        return None

    async def _shown_instead(self, attempt: Attempt, deadline: Deadline) -> None:
        """Wait for the error page that takes the place of the document: until then the one before can still be seen."""

        def decided() -> bool:
            return bool(attempt.ended) or self._navigations.newest is not attempt or self._life.failure is not None

        await self._life.signal.until(decided, min(ERROR_PAGE_SECONDS, deadline.left))

    async def _without_document(self, attempt: Attempt) -> None:
        """An attempt that was broken off has brought a file, an answer without content, or nothing."""
        if attempt.download is not None or attempt.status in (204, 205):
            return
        if attempt.answered:
            await self._life.signal.until(lambda: attempt.download is not None, DOWNLOAD_SECONDS)
        if attempt.download is None:
            raise failed_load(attempt.url, "net::ERR_ABORTED")

    def _successor(self, attempt: Attempt) -> Attempt | None:
        """The navigation that the page itself began before `attempt` had loaded, or None."""
        latest = self._navigations.newest
        if latest is None or latest is attempt:
            return None
        return latest if latest.committed or not latest.over else None

    async def _next(self, mark: Mark, until: LoadState, deadline: Deadline) -> Navigation:
        """The next navigation since `mark`, to another document or within this one."""
        await self._until(lambda: self._begun(mark), deadline, "navigate")
        if self._navigations.latest(mark) is None:
            return Navigation(self._frames.top.url, same_document=True)
        return await self.finish(mark, until, deadline)

    def _begun(self, mark: Mark) -> bool:
        return self._navigations.latest(mark) is not None or bool(self._navigations.within.since(mark))

    async def _reach(self, state: LoadState, deadline: Deadline, or_else: Callable[[], bool] | None = None) -> None:
        what = {"commit": "begin to load", "ready": "get ready", "load": "finish loading", "idle": "become idle"}[state]
        await self._until(
            lambda: self._navigations.reached(state) or (or_else is not None and or_else()), deadline, what
        )
        if state == "idle" and not await self._requests.quiet(deadline.left):
            raise self._too_late(deadline, f"{what}: {count(self._requests.in_flight(), 'request')} in flight")

    # --- waiting ---

    def _start(self) -> Mark:
        self._life.check()
        return self._life.mark()

    async def _until(self, holds: Callable[[], bool], deadline: Deadline, what: str) -> None:
        """Wait for a condition, or raise why it will not come about."""
        life = self._life
        came = await life.signal.until(
            lambda: holds() or life.failure is not None or life.blocked is not None, deadline.left
        )
        if holds():
            return
        life.check()
        if not came:
            raise self._too_late(deadline, what)

    def _too_late(self, deadline: Deadline, what: str) -> Timeout:
        if self._navigations.pending is not None:
            self.stop_loading()
        return Timeout(
            f"the page did not {what} within {rounded(deadline.seconds):g} s",
            "It stays as far as it has come: 'observe' shows what is there, or wait longer with --timeout.",
        )
