"""What a session's network is like: offline or slow, cached or not, trusting or not, and the headers of every request.

https://chromedevtools.github.io/devtools-protocol/tot/Network/#method-emulateNetworkConditions
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.network import Speed
from oryn.browsers.cdp.features import Feature

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import Answer, Session
    from oryn.browsers.cdp.features import Target

Command = tuple[str, dict[str, Any]]
_UNLIMITED = -1

HEARD_SECONDS = 2.0


async def heard(answers: Collection[asyncio.Future[Answer]]) -> None:
    """Wait until the targets have heard what they were told. One that is busy hears it before it does anything else,
    and one that goes away meanwhile need not hear it."""
    if answers:
        await asyncio.wait(answers, timeout=HEARD_SECONDS)


class Conditions(Feature):
    """Every condition is one command to each target; those that are as the browser has them are not sent."""

    def __init__(self, *, cache: bool = True, ignore_certificate_errors: bool = False) -> None:
        self.offline = False
        self.speed: Speed | None = None
        self.headers: dict[str, str] = {}
        self._sessions: list[Session] = []
        self._always: list[Command] = []
        if not cache:
            self._always.append(("Network.setCacheDisabled", {"cacheDisabled": True}))
        if ignore_certificate_errors:
            self._always.append(("Security.setIgnoreCertificateErrors", {"ignore": True}))

    def attach(self, page: Target, session: Session) -> None:
        # Those of a browser that has crashed were never detached.
        self._sessions = [*(each for each in self._sessions if each.ended is None), session]
        for method, params in self._always:
            session.send(method, params)
        if self.offline or self.speed is not None:
            session.send(*self._speed())
        if self.headers:
            session.send(*self._headers())

    def detach(self, page: Target, session: Session) -> None:
        if session in self._sessions:
            self._sessions.remove(session)

    async def set_offline(self, offline: bool) -> None:
        self.offline = offline
        await self._tell(self._speed())

    async def throttle(self, speed: Speed | None) -> None:
        self.speed = speed
        await self._tell(self._speed())

    async def apply_headers(self) -> None:
        await self._tell(self._headers())

    async def _tell(self, command: Command) -> None:
        await heard([session.send(*command) for session in self._sessions])

    def _speed(self) -> Command:
        speed = self.speed or Speed(0, _UNLIMITED, _UNLIMITED)
        params = {
            "offline": self.offline,
            "latency": speed.latency * 1000,
            "downloadThroughput": speed.download,
            "uploadThroughput": speed.upload,
        }
        return "Network.emulateNetworkConditions", params

    def _headers(self) -> Command:
        return "Network.setExtraHTTPHeaders", {"headers": self.headers}
