"""Screencasts of sessions for viewers: all viewers of a session share one, which runs only while there are viewers.

A slow viewer misses frames, and delays no other viewer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from oryn.browsers.base.recording import ScreencastFrame
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Page
    from oryn.daemon.event_bus import EventBus
    from oryn.sessions.sessions import Sessions

FRAMES_PER_SECOND = 5.0
"""Enough to follow the commands, at little cost for the browser."""
TAKEOVER_FRAMES_PER_SECOND = 15.0
"""While a person uses the page, who has to see what their mouse does."""


class ScreencastViewer:
    """One viewer of a session.

    Iterating over it yields the latest frame when there is a new one, and None when the session has no picture any
    more. Frames that arrive while the viewer is busy are skipped."""

    def __init__(self) -> None:
        self._latest: ScreencastFrame | None = None
        self._changed = asyncio.Event()
        self._ended = False

    def show(self, still: ScreencastFrame | None) -> None:
        """Make `still` the latest frame; None if the session has no picture."""
        self._latest = still
        self._changed.set()

    def end(self) -> None:
        """End the iteration."""
        self._ended = True
        self._changed.set()

    async def __aiter__(self) -> AsyncIterator[ScreencastFrame | None]:
        while True:
            await self._changed.wait()
            if self._ended:
                return
            self._changed.clear()
            yield self._latest


class SharedScreencast:
    """The screencast of one session. It follows the current tab, also into another browser."""

    def __init__(self, name: str, sessions: Sessions, events: EventBus) -> None:
        self.viewers: set[ScreencastViewer] = set()
        self._name = name
        self._sessions = sessions
        self._events = events
        self._page: Page | None = None
        self._frame: ScreencastFrame | None = None
        self._rate = 0.0
        self._following = asyncio.Lock()

    async def run(self) -> None:
        """Follow the session until the daemon ends, or until the task is cancelled because no viewer is left."""
        with self._events.subscribe(("action.finish", "session.closed")) as events:
            try:
                await self.follow()
                async for event in events:
                    if event.data.get("session") == self._name:
                        await self.follow()
            finally:
                await self._stop()
        for viewer in self.viewers:
            viewer.end()

    def join(self, viewer: ScreencastViewer) -> None:
        """Add a viewer, which gets the latest frame at once if there is one."""
        self.viewers.add(viewer)
        if self._frame is not None:
            viewer.show(self._frame)

    async def follow(self) -> None:
        """Record the session's current tab, if it has one, at the present rate."""
        async with self._following:
            page, rate = self._current(), self._current_rate()
            if page is not None and (page, rate) == (self._page, self._rate):
                return
            await self._stop()
            try:
                if page is not None:
                    await page.start_screencast(self._show, frames_per_second=rate)
                self._page, self._rate = page, rate
            except OrynError:  # it has crashed or can't be recorded; the next command may change that
                self._page = None
            if self._page is None:
                self._show(None)

    def _current_rate(self) -> float:
        session = self._sessions.get(self._name)
        has_person = session is not None and session.control.takeover is not None
        return TAKEOVER_FRAMES_PER_SECOND if has_person else FRAMES_PER_SECOND

    def _current(self) -> Page | None:
        session = self._sessions.get(self._name)
        try:
            return session.page if session is not None else None
        except OrynError:  # its browser does not run
            return None

    async def _stop(self) -> None:
        page, self._page, self._frame = self._page, None, None
        if page is not None:
            await page.stop_screencast(self._show)

    def _show(self, still: ScreencastFrame | None) -> None:
        self._frame = still
        for viewer in self.viewers:
            viewer.show(still)


class ScreencastHub:
    """The screencasts of a host's sessions, one for each session that has viewers."""

    def __init__(self, sessions: Sessions, events: EventBus) -> None:
        self._sessions = sessions
        self._events = events
        self._screencasts: dict[str, tuple[SharedScreencast, asyncio.Task[None]]] = {}

    @property
    def watched(self) -> list[str]:
        """The names of the sessions with viewers, whether the sessions are open or not."""
        return list(self._screencasts)

    async def follow(self, name: str) -> None:
        """Let the viewers of a session see its present tab, which something other than a command may have changed."""
        if name in self._screencasts:
            await self._screencasts[name][0].follow()

    @contextmanager
    def view(self, name: str) -> Iterator[ScreencastViewer]:
        """View a session while the block runs."""
        if name not in self._screencasts:
            cast = SharedScreencast(name, self._sessions, self._events)
            self._screencasts[name] = cast, asyncio.create_task(cast.run())
        cast, task = self._screencasts[name]
        viewer = ScreencastViewer()
        cast.join(viewer)
        try:
            yield viewer
        finally:
            cast.viewers.discard(viewer)
            if not cast.viewers:
                task.cancel()
                self._screencasts.pop(name, None)
