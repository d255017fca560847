"""The moving pictures of sessions, for whoever looks: one screencast for all who look at a session, none where nobody
does. A viewer who is slow misses pictures, and slows nobody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from oryn.browsers.base.recording import Still
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Page
    from oryn.daemon.events import Events
    from oryn.sessions.sessions import Sessions

FRAMES_PER_SECOND = 5.0
"""Enough to follow what is done, and little work for the browser."""


class Viewer:
    """One who looks at a session: iterate over it for the latest picture whenever there is one that was not seen, or
    None when there is nothing to look at any more. Pictures in between are left out."""

    def __init__(self) -> None:
        self._latest: Still | None = None
        self._news = asyncio.Event()
        self._ended = False

    def show(self, still: Still | None) -> None:
        self._latest = still
        self._news.set()

    def end(self) -> None:
        self._ended = True
        self._news.set()

    async def __aiter__(self) -> AsyncIterator[Still | None]:
        while True:
            await self._news.wait()
            if self._ended:
                return
            self._news.clear()
            yield self._latest


class Cast:
    """The pictures of one session, from tab to tab, from browser to browser."""

    def __init__(self, name: str, sessions: Sessions, events: Events) -> None:
        self.viewers: set[Viewer] = set()
        self._name = name
        self._sessions = sessions
        self._events = events
        self._page: Page | None = None
        self._still: Still | None = None

    async def run(self) -> None:
        """Follow the session until nobody looks (then it is cancelled) or the daemon ends."""
        with self._events.subscribed(("action.finish", "session.closed")) as news:
            try:
                await self._follow()
                async for event in news:
                    if event.data.get("session") == self._name:
                        await self._follow()
            finally:
                await self._leave()
        for viewer in self.viewers:
            viewer.end()

    def join(self, viewer: Viewer) -> None:
        self.viewers.add(viewer)
        if self._still is not None:
            viewer.show(self._still)

    async def _follow(self) -> None:
        """Take the pictures of the session's current tab, where it has one."""
        page = self._current()
        if page is self._page and page is not None:
            return
        await self._leave()
        try:
            if page is not None:
                await page.start_screencast(self._show, frames_per_second=FRAMES_PER_SECOND)
            self._page = page
        except OrynError:  # it has crashed, or can't be filmed: the next command may bring another
            self._page = None
        if self._page is None:
            self._show(None)

    def _current(self) -> Page | None:
        session = self._sessions.get(self._name)
        try:
            return session.page if session is not None else None
        except OrynError:  # its browser does not run
            return None

    async def _leave(self) -> None:
        page, self._page, self._still = self._page, None, None
        if page is not None:
            await page.stop_screencast(self._show)

    def _show(self, still: Still | None) -> None:
        self._still = still
        for viewer in self.viewers:
            viewer.show(still)


class Pictures:
    """The casts of a host's sessions that are looked at."""

    def __init__(self, sessions: Sessions, events: Events) -> None:
        self._sessions = sessions
        self._events = events
        self._casts: dict[str, tuple[Cast, asyncio.Task[None]]] = {}

    @property
    def watched(self) -> list[str]:
        """The names of the sessions that somebody looks at, open or not."""
        return list(self._casts)

    @contextmanager
    def viewed(self, name: str) -> Iterator[Viewer]:
        """Look at a session while the block runs."""
        if name not in self._casts:
            cast = Cast(name, self._sessions, self._events)
            self._casts[name] = cast, asyncio.create_task(cast.run())
        cast, task = self._casts[name]
        viewer = Viewer()
        cast.join(viewer)
        try:
            yield viewer
        finally:
            cast.viewers.discard(viewer)
            if not cast.viewers:
                task.cancel()
                self._casts.pop(name, None)
