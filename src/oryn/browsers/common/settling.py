"""Waiting until what an action started has ended: navigation, requests, mutations, new tabs, downloads.

Event-driven: the only clock here is the limit. What counts is what began since a mark; a page that never rests (a poll,
an animation) keeps its own requests from before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from oryn.browsers.base import Dialog, Download, Happened, Mark, Navigation, Tab
from oryn.browsers.common.attempts import Attempts
from oryn.browsers.common.deadline import Deadline, count
from oryn.browsers.common.following import Following
from oryn.browsers.common.happenings import Log
from oryn.browsers.common.in_flight import InFlight
from oryn.browsers.common.life import Life
from oryn.browsers.common.net_errors import reason
from oryn.errors import (
    DialogOpen,
    DomainNotAllowed,
    FrameNotFound,
    NavigationError,
    PageCrashed,
    TabNotFound,
    Timeout,
)
from oryn.records import Record

QUIET_MILLISECONDS = 500
# What the page has asked for and the browser has not yet begun: a navigation, a tab.
BEGIN_SECONDS = 0.5


class OpenedTab(Protocol):
    """A tab that a page has opened."""

    async def until_shown(self, blank: bool, timeout: float) -> None:
        """Wait until it has come to the document that it was opened for, or to `blank` if that is all it gets."""


class Settled(Protocol):
    """What of a tab is looked at here."""

    @property
    def life(self) -> Life: ...

    @property
    def requests(self) -> InFlight[Any]: ...

    @property
    def navigations(self) -> Attempts: ...

    @property
    def moving(self) -> Following: ...

    downloads: Log[Download]
    opening: Log[str]
    """URLs of the tabs that this page asked for."""

    def opened_since(self, mark: Mark) -> Sequence[OpenedTab]: ...

    def opened_tabs(self, mark: Mark) -> list[Tab]:
        """The tabs that this page opened since a mark and that are still there."""

    def dialogs_since(self, mark: Mark) -> list[Dialog]: ...

    def wants_file(self, mark: Mark) -> bool:
        """Whether the page has opened a file chooser that nobody has answered."""

    async def run_settle(self, milliseconds: float) -> dict[str, Any]:
        """The scanner's `settle` in the top frame."""

    async def closing(self) -> bool:
        """Whether a script has closed the window, which takes the browser a moment."""

    async def at_rest(self) -> None:
        """The page has come to rest: whatever no event tells is brought up to date."""

    async def another_current(self, timeout: float) -> None:
        """Wait until another tab is current, now that this one has closed."""

    async def ask_titles(self) -> None:
        """Bring the titles of all tabs up to date."""


class Rest(Record):
    """Whether a document has come to rest, and whether a script has closed its window (None: it could not say)."""

    quiet: bool
    closed: bool | None = None


class Settling:
    """Waits for one tab."""

    def __init__(self, page: Settled, load_timeout: float) -> None:
        self._page = page
        self._load_timeout = load_timeout
        self._told = ""
        """The loader of the attempt whose end `happened` tells."""

    async def settle(self, mark: Mark, limit: float) -> Happened:
        happened = Happened()
        try:
            await self._wait(mark, Deadline(limit), happened)
        except (DialogOpen, TabNotFound, PageCrashed):
            pass  # told below, or met by the next command
        if isinstance(self._page.life.failure, TabNotFound):
            happened.closed = True
            await self._page.another_current(BEGIN_SECONDS)
        self._tell(mark, happened)
        return happened

    async def _wait(self, mark: Mark, deadline: Deadline, happened: Happened) -> None:
        page = self._page
        while True:
            page.life.check()
            await self._navigation(mark, happened)
            rest = await self._rest(deadline)
            if self._navigating(mark):
                continue
            if page.requests.in_flight(mark) and deadline.left and not happened.busy:
                await page.life.signal.until(
                    lambda: not page.requests.in_flight(mark) or self._interrupted(mark), deadline.left
                )
                continue
            if await page.closing() if rest.closed is None else rest.closed:
                await page.life.signal.until(lambda: page.life.failure is not None, BEGIN_SECONDS)
                page.life.check()
            if not self._navigating(mark):
                break
        if unfinished := page.requests.in_flight(mark):
            happened.busy = happened.busy or f"{count(unfinished, 'request')} in flight"
        elif not rest.quiet:
            happened.busy = happened.busy or "the page is still changing"
        await self._tabs(mark, deadline)
        await page.at_rest()

    async def _rest(self, deadline: Deadline) -> Rest:
        """Let the document come to rest."""
        milliseconds = min(QUIET_MILLISECONDS, deadline.left * 1000)
        try:
            response = await self._page.run_settle(milliseconds)
        except (FrameNotFound, NavigationError):
            return Rest(True)  # another document has come
        except Timeout:
            return Rest(False)
        data = response.get("data") or {}
        return Rest(bool(data.get("quiet")), bool(data.get("closed")))

    # --- navigation ---

    def _navigating(self, mark: Mark) -> bool:
        """Whether a navigation has begun, or is about to, that is not told yet."""
        navigations = self._page.navigations
        latest = navigations.latest(mark)
        if navigations.requested:
            return True
        if latest is None or latest.stopped or latest.refusal is not None:
            return False
        return self._told != latest.loader

    def _interrupted(self, mark: Mark) -> bool:
        life = self._page.life
        return life.failure is not None or life.blocked is not None or self._navigating(mark)

    async def _navigation(self, mark: Mark, happened: Happened) -> None:
        """Wait for the latest navigation since `mark`, if any, and tell what became of it."""
        page = self._page
        navigations = page.navigations
        if navigations.requested:
            await page.life.signal.until(
                lambda: not navigations.requested or page.life.failure is not None, BEGIN_SECONDS
            )
            navigations.requested = False
        attempt = navigations.latest(mark)
        if attempt is None or attempt.loader == self._told:
            return
        try:
            happened.navigation = await page.moving.finish(mark, "load", Deadline(self._load_timeout))
        except Timeout:
            happened.busy = "the page is still loading"
            if attempt.committed:
                happened.navigation = navigations.describe(attempt)
        except NavigationError as error:
            latest = navigations.latest(mark) or attempt
            if latest.failed is not None:
                happened.failed_load = reason(latest.failed)
            elif not latest.stopped:
                happened.failed_load = error.message
        except DomainNotAllowed:
            pass  # the page stays as it is; `Browser.refused` tells of it
        self._told = (navigations.latest(mark) or attempt).loader

    # --- the rest ---

    async def _tabs(self, mark: Mark, deadline: Deadline) -> None:
        """Wait until tabs that the page opened have an address and a title to be told by."""
        page = self._page
        if (asked := len(page.opening.since(mark))) > len(page.opened_since(mark)):
            # A popup may be blocked, or go into a window that is there already.
            await page.life.signal.until(lambda: len(page.opened_since(mark)) >= asked, BEGIN_SECONDS)
        blank = all(url in ("", "about:blank") for url in page.opening.since(mark))
        for opened in page.opened_since(mark):
            await opened.until_shown(blank, max(deadline.left, BEGIN_SECONDS))
        if page.opened_since(mark):
            await page.ask_titles()

    def _tell(self, mark: Mark, happened: Happened) -> None:
        page = self._page
        urls = page.navigations.within.since(mark)
        if happened.navigation is None and urls:
            happened.navigation = Navigation(urls[-1], same_document=True)
        if happened.navigation is not None and (
            happened.navigation.download or happened.navigation.status in (204, 205)
        ):
            happened.navigation = None  # the page stayed where it was; a file is told below
        happened.dialogs = page.dialogs_since(mark)
        happened.tabs = page.opened_tabs(mark)
        happened.downloads = page.downloads.since(mark)
        happened.file_chooser = page.wants_file(mark)
