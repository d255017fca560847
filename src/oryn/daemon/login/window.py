"""A login window: a headful browser that replaces a session's own until the login has ended.

The session's state (cookies, storage of the origins that it has visited) is copied into the window, and back from it.
Two browsers can't use one profile at the same time, so the session's own browser is closed while the window is open."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from oryn.engine.state.restore import origin_states, read_browser_state, restore
from oryn.engine.state.state_file import SavedState
from oryn.errors import NoDisplay, OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Cookie
    from oryn.engine import Session
    from oryn.sessions.sessions import Sessions

DATABASE_SECONDS = 5.0
"""Seconds that reading IndexedDB may take."""
WINDOW_SETTINGS = {"headful": True, "attachable": False}
"""The settings in which the window's browser differs from the session's."""


def has_display(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether a window can be shown."""
    return not platform.startswith("linux") or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def require_pictures(session: Session) -> None:
    """Raise `NoDisplay` if the session's browser sends no pictures to the live page, where a person could log in."""
    if not session.page.sends_pictures:
        raise NoDisplay("there is no display for a window, and this browser sends no pictures to the live page")


def needs_window(session: Session) -> bool:
    """Whether a login needs a window, as the session's own browser has no visible one. A browser that was attached to
    counts as visible."""
    place = session.browser.info
    return not (place.headful or place.attached)


class LoginWindow:
    """A login window of one session. The caller of each method must hold the session's turn (`Session.turn`)."""

    def __init__(self, sessions: Sessions, session: Session) -> None:
        self._session = session
        self._own_browser = session.browser
        self._window_browser = sessions.create_like(session, WINDOW_SETTINGS).browser

    async def open(self) -> None:
        """Move the session into the window. Raises the errors of starting a browser, and `Timeout`."""
        session = self._session
        await session.startup.ensure_started()
        await session.browser.revive()
        state = await _state(session)
        if self._has_profile:
            await self._own_browser.close()
        session.startup.replace_browser(self._window_browser)
        try:
            await self._window_browser.start()
            await restore(session, state, merge=False)
        except BaseException:  # also on cancellation: don't leave the session between two browsers
            await self.discard()
            raise

    async def hand_back(self, cookies: Sequence[Cookie] | None = None) -> None:
        """Move the session back into its own browser, with the window's state, and close the window.

        If the person has closed the window, `cookies` are those from just before. Raises `Timeout`, `BrowserFailed`."""
        session = self._session
        if self._window_browser.lost:
            state = SavedState(_now(), None, cookies or (), None)
        else:
            state = await _state(session, cookies)
        if self._has_profile:
            await self._window_browser.close()
        session.startup.reinstate_browser()
        try:
            await self._own_browser.start()
            await restore(session, state, merge=False)
        finally:
            await self._window_browser.close()

    async def discard(self) -> None:
        """Close the window, discard its state, and start the session's own browser again."""
        self._session.startup.reinstate_browser()
        await self._window_browser.close()
        await self._own_browser.start()

    @property
    def _has_profile(self) -> bool:
        return self._own_browser.info.profile is not None


async def _state(session: Session, cookies: Sequence[Cookie] | None = None) -> SavedState:
    now = await read_browser_state(session, storage=True, tabs=True)
    storage = session.browser.storage
    if storage.has_databases:
        with suppress(OrynError):  # one that is too large must not cost the person their login
            found = await storage.databases(list(now.local or ()), timeout=DATABASE_SECONDS)
            now = replace(now, databases={origin: each.databases for origin, each in found.items()})
    return SavedState(_now(), None, now.cookies if cookies is None else cookies, origin_states(now, None))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
