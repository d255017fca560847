"""The network of pages that a debugger is attached to: what they send and are answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from oryn.browsers.base.network import Exchange, Fields, Network, Speed, Transcript
from oryn.browsers.cdp.traffic import bodies
from oryn.browsers.cdp.traffic.exchanges import exchange

if TYPE_CHECKING:
    from oryn.browsers.cdp.traffic.conditions import Conditions
    from oryn.browsers.cdp.traffic.log import Log

WITHHELD = "(withheld)"
_SECRET = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})


class ExtensionNetwork(Network):
    """Of one session. `require` raises where no debugger may be attached."""

    def __init__(self, log: Log, conditions: Conditions, require: Callable[[], None]) -> None:
        self._log = log
        self._conditions = conditions
        self._require = require

    def exchanges(self) -> list[Exchange]:
        self._require()
        return [_withheld(exchange(hop)) for hop in self._log]

    async def transcript(self, number: int, *, timeout: float = 30) -> Transcript | None:
        self._require()
        hop = self._log.get(number)
        if hop is None:
            return None
        found = await bodies.transcript(hop, timeout)
        return replace(found, exchange=_withheld(found.exchange))

    @property
    def offline(self) -> bool:
        return self._conditions.offline

    async def set_offline(self, offline: bool) -> None:
        self._require()
        await self._conditions.set_offline(offline)

    async def throttle(self, speed: Speed | None) -> None:
        self._require()
        await self._conditions.throttle(speed)


def _withheld(shown: Exchange) -> Exchange:
    """An extension has no permission for cookies: they stay the user's, and so do passwords."""
    return replace(
        shown, request_fields=_without(shown.request_fields), response_fields=_without(shown.response_fields)
    )


def _without(fields: Fields) -> Fields:
    return tuple((name, WITHHELD if name.lower() in _SECRET else value) for name, value in fields)
