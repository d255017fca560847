"""The network of pages that a debugger is attached to: what they send and are answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from oryn.browsers.base.network import Exchange, Fields, Login, Network, Speed, Transcript
from oryn.browsers.cdp.traffic import bodies
from oryn.browsers.cdp.traffic.exchanges import exchange
from oryn.browsers.cdp.traffic.recorded import Recorded

if TYPE_CHECKING:
    from oryn.browsers.cdp.traffic.conditions import Conditions
    from oryn.browsers.cdp.traffic.log import Log
    from oryn.browsers.extension.logins import Logins

WITHHELD = "(withheld)"
_SECRET = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})


class ExtensionNetwork(Network):
    """Of one session. `require` raises where no debugger may be attached; `logins` need none."""

    def __init__(self, log: Log, conditions: Conditions, logins: Logins, require: Callable[[], None]) -> None:
        self._log = log
        self._conditions = conditions
        self._logins = logins
        self._require = require
        self._recorded = Recorded(log, _withheld_of)

    def exchanges(self) -> list[Exchange]:
        self._require()
        return [_withheld(exchange(hop)) for hop in self._log]

    async def transcript(self, number: int, *, timeout: float = 30) -> Transcript | None:
        self._require()
        hop = self._log.get(number)
        if hop is None:
            return None
        return _withheld_of(await bodies.transcript(hop, timeout))

    @property
    def recorder(self) -> Callable[[Transcript], None] | None:
        return self._recorded.recorder

    async def record(self, recorder: Callable[[Transcript], None] | None, *, timeout: float = 30) -> None:
        if recorder is not None:
            self._require()
        await self._recorded.record(recorder, timeout)

    @property
    def offline(self) -> bool:
        return self._conditions.offline

    async def set_offline(self, offline: bool) -> None:
        self._require()
        await self._conditions.set_offline(offline)

    async def throttle(self, speed: Speed | None) -> None:
        self._require()
        await self._conditions.throttle(speed)

    async def set_login(self, login: Login | None) -> None:
        self._logins.set(login)


def _withheld_of(told: Transcript) -> Transcript:
    return replace(told, exchange=_withheld(told.exchange))


def _withheld(shown: Exchange) -> Exchange:
    """An extension has no permission for cookies: they stay the user's, and so do passwords."""
    return replace(
        shown, request_fields=_without(shown.request_fields), response_fields=_without(shown.response_fields)
    )


def _without(fields: Fields) -> Fields:
    return tuple((name, WITHHELD if name.lower() in _SECRET else value) for name, value in fields)
