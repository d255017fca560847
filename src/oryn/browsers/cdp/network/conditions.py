"""Network conditions of a session: offline or throttled, cache, certificate errors, and headers of every request.

https://chromedevtools.github.io/devtools-protocol/tot/Network/#method-emulateNetworkConditions"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.network import NetworkConditions
from oryn.browsers.common.protocol_session import ProtocolSession
from oryn.browsers.common.target_feature import TargetFeature
from oryn.errors import NotSupported

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import Answer
    from oryn.browsers.common.target_feature import FeatureTarget

Command = tuple[str, dict[str, Any]]
_UNLIMITED = -1

ACKNOWLEDGE_SECONDS = 2.0


async def wait_acknowledged(answers: Collection[asyncio.Future[Answer]]) -> None:
    """Wait until the targets have acknowledged commands, at most `ACKNOWLEDGE_SECONDS`. A busy target executes them
    before anything else, and a target that goes away need not acknowledge them."""
    if answers:
        await asyncio.wait(answers, timeout=ACKNOWLEDGE_SECONDS)


class RequestConditions(TargetFeature[ProtocolSession]):
    """The conditions of a session's network, for every target. Subclasses apply them.

    fixed: commands that every target gets first."""

    def __init__(self, fixed: Collection[Command] = ()) -> None:
        self.offline = False
        self.headers: dict[str, str] = {}
        self._fixed = fixed
        self._sessions: list[ProtocolSession] = []

    def attach(self, page: FeatureTarget[ProtocolSession], session: ProtocolSession) -> None:
        # Those of a browser that has crashed were never detached.
        self._sessions = [*(each for each in self._sessions if each.ended is None), session]
        for method, params in self._fixed:
            session.send(method, params)

    def detach(self, page: FeatureTarget[ProtocolSession], session: ProtocolSession) -> None:
        if session in self._sessions:
            self._sessions.remove(session)

    async def set_offline(self, offline: bool) -> None:
        """See `Network.set_offline`."""
        raise NotSupported

    async def throttle(self, speed: NetworkConditions | None) -> None:
        """See `Network.throttle`."""
        raise NotSupported

    async def apply_headers(self) -> None:
        """Apply changed `headers`, which go with every request."""
        raise NotImplementedError

    async def _send_to_all(self, command: Command) -> None:
        await wait_acknowledged([session.send(*command) for session in self._sessions])


class NetworkEmulation(RequestConditions):
    """Sends the network conditions to every target."""

    def __init__(self, *, cache: bool = True, ignore_certificate_errors: bool = False) -> None:
        fixed: list[Command] = []
        if not cache:
            fixed.append(("Network.setCacheDisabled", {"cacheDisabled": True}))
        if ignore_certificate_errors:
            fixed.append(("Security.setIgnoreCertificateErrors", {"ignore": True}))
        super().__init__(fixed)
        self.speed: NetworkConditions | None = None

    def attach(self, page: FeatureTarget[ProtocolSession], session: ProtocolSession) -> None:
        super().attach(page, session)
        if self.offline or self.speed is not None:
            session.send(*self._speed())
        if self.headers:
            session.send(*self._headers())

    async def set_offline(self, offline: bool) -> None:
        self.offline = offline
        await self._send_to_all(self._speed())

    async def throttle(self, speed: NetworkConditions | None) -> None:
        self.speed = speed
        await self._send_to_all(self._speed())

    async def apply_headers(self) -> None:
        await self._send_to_all(self._headers())

    def _headers(self) -> Command:
        return "Network.setExtraHTTPHeaders", {"headers": self.headers}

    def _speed(self) -> Command:
        speed = self.speed or NetworkConditions(0, _UNLIMITED, _UNLIMITED)
        params = {
            "offline": self.offline,
            "latency": speed.latency * 1000,
            "downloadThroughput": speed.download,
            "uploadThroughput": speed.upload,
        }
        return "Network.emulateNetworkConditions", params
