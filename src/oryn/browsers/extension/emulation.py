"""Device emulation in the tabs of the user's browser that a debugger is attached to. The browser forgets it on detach.

No extension may answer a site's permission request for the location. So pages get a position before they ask the
browser, which must never give them the real one. https://www.w3.org/TR/geolocation/"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from oryn.browsers.cdp.broadcast import wait_for_answers
from oryn.browsers.cdp.emulation import ACCURACY_METRES, CdpEmulation
from oryn.browsers.cdp.feature import TargetFeature
from oryn.scanner import page_call

if TYPE_CHECKING:
    from oryn.browsers.cdp.broadcast import BroadcastTabs
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.cdp.feature import CdpTarget
    from oryn.browsers.common.protocol_session import Answer
    from oryn.browsers.extension.debugged_features import DebuggedFeatures, DebuggedTab

_ADD = "Page.addScriptToEvaluateOnNewDocument"
_REMOVE = "Page.removeScriptToEvaluateOnNewDocument"


class GeolocationOverride(TargetFeature):
    """Overrides the position in all tabs of a session that a debugger is attached to."""

    def __init__(self, tabs: BroadcastTabs) -> None:
        self._tabs = tabs
        self._key = secrets.token_hex(16)
        self._position: tuple[float, float] | None = None
        self._scripts: dict[CdpSession, asyncio.Future[Answer]] = {}
        """The answers with the browser's ids of the scripts."""

    def attach(self, page: CdpTarget, session: CdpSession) -> None:
        if self._position is not None:
            self._scripts[session] = self._add_script(session)

    def detach(self, page: CdpTarget, session: CdpSession) -> None:
        self._scripts.pop(session, None)

    async def set(self, position: tuple[float, float] | None, timeout: float) -> None:
        """Set the position that pages get (latitude and longitude in degrees); None removes the override. Raises
        `Timeout` after `timeout` seconds."""
        before, self._position = self._scripts, position
        sessions = [session for page in self._tabs for session in page.channel.sessions]
        self._scripts = {session: self._add_script(session) for session in sessions}
        await wait_for_answers(self._tabs, {session: [answer] for session, answer in self._scripts.items()}, timeout)
        _remove_scripts(before)
        if position is None:
            _remove_scripts(self._scripts)
            self._scripts = {}

    def _add_script(self, session: CdpSession) -> asyncio.Future[Answer]:
        where = self._position and {
            "latitude": self._position[0],
            "longitude": self._position[1],
            "accuracy": ACCURACY_METRES,
        }
        source = page_call("geolocation", self._key, where)
        return session.send(_ADD, {"source": source, "runImmediately": True})


def _remove_scripts(scripts: dict[CdpSession, asyncio.Future[Answer]]) -> None:
    for session, answer in scripts.items():
        if session.ended is None and answer.done() and not answer.cancelled() and answer.exception() is None:
            session.send(_REMOVE, {"identifier": answer.result()["identifier"]})


class DebuggedTabs:
    """A session's tabs with a debugger. `current` raises `NotSupported` if the current tab has none."""

    def __init__(self, features: DebuggedFeatures, current: Callable[[], DebuggedTab]) -> None:
        self._features = features
        self._current = current

    def __iter__(self) -> Iterator[DebuggedTab]:
        return iter(self._features.tabs)

    def get(self, number: None, /) -> DebuggedTab:
        return self._current()


class UserBrowserOverrides:
    """The overrides of `cdp.emulation` that apply to the whole browser: here they apply to the debugged tabs only."""

    def __init__(self, version: Callable[[], Awaitable[str]], geolocation: GeolocationOverride) -> None:
        self._version = version
        self._geolocation = geolocation

    async def product(self) -> str:
        return await self._version()

    async def permit_geolocation(self, place: tuple[float, float] | None, timeout: float) -> None:
        await self._geolocation.set(place, timeout)


def create_emulation(
    features: DebuggedFeatures, tabs: DebuggedTabs, version: Callable[[], Awaitable[str]]
) -> CdpEmulation:
    """The emulation of one session, registered with its features."""
    geolocation = features.register(GeolocationOverride(tabs))
    return features.register(CdpEmulation(tabs, None, UserBrowserOverrides(version, geolocation)))
