"""A window for a person: a browser of its own that stands in for a session's until it is given back.

What the session holds (cookies, storage of the origins that it has shown) goes with it into the window, and from there
back. Two browsers can't have one profile at the same time: the session's own ends for as long as the window is there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from oryn.engine.restoring import as_origins, held, restore
from oryn.engine.saved_state import SavedState
from oryn.errors import NoDisplay

if TYPE_CHECKING:
    from oryn.browsers.base import Cookie
    from oryn.engine import Session
    from oryn.sessions.sessions import Sessions

WINDOW = {"headful": True, "attachable": False}
"""The settings in which the window's browser differs from the session's."""


def require_display(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> None:
    """Raises `NoDisplay` where no window can be shown."""
    if platform.startswith("linux") and not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        raise NoDisplay("there is no display for a window: DISPLAY and WAYLAND_DISPLAY are not set")


def needs_window(session: Session) -> bool:
    """Whether nobody sees the session's own browser. One that was started elsewhere shows what it shows."""
    place = session.browser.place
    return not (place.headful or place.attached)


class Window:
    """Every method wants the session's turn (`Session.turn`)."""

    def __init__(self, sessions: Sessions, session: Session) -> None:
        self._session = session
        self._own = session.browser
        self._shown = sessions.like(session, WINDOW).browser

    async def open(self) -> None:
        """From now on the session is in the window. Raises what starting a browser does, `Timeout`."""
        session = self._session
        await session.started()
        await session.browser.revive()
        state = await _state(session)
        if self._lasting:
            await self._own.close()
        session.aside, session.browser = self._own, self._shown
        try:
            await self._shown.start()
            await restore(session, state, merge=False)
        except BaseException:  # given up, too: the session is not left between two browsers
            await self.discard()
            raise

    async def give_back(self, cookies: Sequence[Cookie] | None = None) -> None:
        """The session is in its own browser again, with what it holds by now; the window is gone. `cookies` are those
        that it had before the person closed it. Raises `Timeout`, `BrowserFailed`."""
        session = self._session
        if self._shown.lost:
            state = SavedState(_now(), None, cookies or (), None)
        else:
            state = await _state(session, cookies)
        if self._lasting:
            await self._shown.close()
        session.browser, session.aside = self._own, None
        try:
            await self._own.start()
            await restore(session, state, merge=False)
        finally:
            await self._shown.close()

    async def discard(self) -> None:
        """The window is gone, and what was done in it too."""
        self._session.browser, self._session.aside = self._own, None
        await self._shown.close()
        await self._own.start()

    @property
    def _lasting(self) -> bool:
        return self._own.place.profile is not None


async def _state(session: Session, cookies: Sequence[Cookie] | None = None) -> SavedState:
    now = await held(session, storage=True, tabs=True)
    return SavedState(_now(), None, now.cookies if cookies is None else cookies, as_origins(now, None))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
