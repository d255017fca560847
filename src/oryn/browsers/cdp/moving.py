"""The commands that take a tab to another document, and waiting for one to come so far.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-navigate
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from oryn.browsers.base import LoadState, Mark, Navigation
from oryn.browsers.cdp import failures
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Answer
from oryn.browsers.cdp.frames import Frames
from oryn.browsers.cdp.navigation import Attempt, Navigations
from oryn.browsers.cdp.network import Requests
from oryn.errors import DomainNotAllowed, NavigationError, Timeout

ATTEMPTS = 3
# After the request of a navigation has been broken off, how long the news may take that it became a file instead.
DOWNLOAD_SECONDS = 1.0


class Deadline:
    """The time that is left of a command's time limit."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = asyncio.get_running_loop().time() + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._end - asyncio.get_running_loop().time())


class Moving:
    """Moves one tab, and waits for it."""

    def __init__(self, channel: Channel, frames: Frames, navigations: Navigations, requests: Requests) -> None:
        self._channel = channel
        self._frames = frames
        self._navigations = navigations
        self._requests = requests

    async def goto(self, url: str, until: LoadState, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        mark = self._start()
        # A navigation that meets a new tab's first one, to about:blank, would be broken off by it.
        await self._until(lambda: self._frames.known, deadline, "begin to load")
        for _ in range(ATTEMPTS):
            answer = await self._navigate(url, deadline)
            loader = answer.get("loaderId", "")
            if not loader and not answer.get("errorText"):
                return await self._next(mark, until, deadline)  # within the document
            if not loader:
                raise failures.failed_load(url, answer["errorText"])
            await self._known(loader, deadline)
            navigation = await self.finish(mark, until, deadline)
            if not self._thwarted(loader):
                break
        return navigation

    async def _navigate(self, url: str, deadline: Deadline) -> Answer:
        answer = self._channel.session.send("Page.navigate", {"url": url})
        answer.add_done_callback(lambda _: self._channel.signal.notify())
        await self._until(answer.done, deadline, "begin to load")
        return answer.result()

    async def _known(self, loader: str, deadline: Deadline) -> None:
        """Wait until an event has told of the attempt that an answer speaks of."""
        await self._until(lambda: self._navigations.attempt(loader) is not None, deadline, "begin to load")

    def _thwarted(self, loader: str) -> bool:
        """Whether the page that was to be left has put a navigation of its own in the place of ours."""
        ours, newest = self._navigations.attempt(loader), self._navigations.newest
        if ours is None or newest is None or newest is ours:
            return False
        return newest.begun < ours.ended if ours.committed else ours.stopped and not ours.answered

    async def history(self, delta: int, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        mark = self._start()
        history = await self._channel.call("Page.getNavigationHistory", timeout=timeout)
        index = history["currentIndex"] + delta
        if not 0 <= index < len(history["entries"]):
            raise NavigationError(
                f"there is no page to go {'back' if delta < 0 else 'forward'} to", "Use 'goto <url>' to open a page."
            )
        entry = history["entries"][index]["id"]
        await self._channel.call("Page.navigateToHistoryEntry", {"entryId": entry}, timeout=deadline.left)
        return await self._next(mark, "load", deadline)

    async def reload(self, hard: bool, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        mark = self._start()
        self._channel.session.send("Page.reload", {"ignoreCache": hard})
        return await self._next(mark, "load", deadline)

    async def wait_for(self, state: LoadState, timeout: float) -> None:
        self._channel.check()
        await self._reach(state, Deadline(timeout))

    async def wait_for_navigation(self, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        self._channel.check()
        if (pending := self._navigations.pending) is not None:
            return await self._follow(pending, "load", deadline)
        return await self._next(self._channel.mark(), "load", deadline)

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
            raise DomainNotAllowed(str(attempt.refusal))
        if attempt.failed is not None:
            raise failures.failed_load(attempt.url, attempt.failed)
        if attempt.committed:
            await self._reach(until, deadline, lambda: self._successor(attempt) is not None)
            return self._successor(attempt)
        if attempt.stopped and (successor := self._successor(attempt)) is not None:
            return successor
        await self._without_document(attempt)
        return None

    async def _without_document(self, attempt: Attempt) -> None:
        """An attempt that was broken off has brought a file, an answer without content, or nothing."""
        if attempt.download is not None or attempt.status in (204, 205):
            return
        if attempt.answered:
            await self._channel.signal.until(lambda: attempt.download is not None, DOWNLOAD_SECONDS)
        if attempt.download is None:
            raise failures.failed_load(attempt.url, "net::ERR_ABORTED")

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
        self._channel.check()
        return self._channel.mark()

    async def _until(self, holds: Callable[[], bool], deadline: Deadline, what: str) -> None:
        """Wait for a condition, or raise why it will not come about."""
        channel = self._channel
        came = await channel.signal.until(
            lambda: holds() or channel.failure is not None or channel.blocked is not None, deadline.left
        )
        if holds():
            return
        channel.check()
        if not came:
            raise self._too_late(deadline, what)

    def _too_late(self, deadline: Deadline, what: str) -> Timeout:
        if self._navigations.pending is not None:
            self._channel.session.send("Page.stopLoading")
        return Timeout(
            f"the page did not {what} within {deadline.seconds:g} s",
            "It stays as far as it has come: 'observe' shows what is there, or wait longer with --timeout.",
        )


def count(number: int, noun: str) -> str:
    """`1 request`, `2 requests`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
