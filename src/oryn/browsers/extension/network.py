"""The network of pages that a debugger is attached to: the exchanges, with secrets redacted, and its conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from oryn.browsers.base.network import (
    Exchange,
    ExchangeRecorder,
    ExchangeWithBodies,
    Headers,
    HttpCredentials,
    Network,
    NetworkConditions,
)
from oryn.browsers.cdp.network import exchanges
from oryn.browsers.cdp.network.exchanges import ExchangeFeed, exchange

if TYPE_CHECKING:
    from oryn.browsers.cdp.network.conditions import NetworkEmulation
    from oryn.browsers.cdp.network.log import RequestLog
    from oryn.browsers.extension.web_request import HttpAuthHandler

REDACTED = "(withheld)"
_SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})


class ExtensionNetwork(Network):
    """The network of one session."""

    def __init__(
        self,
        log: RequestLog,
        conditions: NetworkEmulation,
        http_auth: HttpAuthHandler,
        require_debugger: Callable[[], None],
    ) -> None:
        """`require_debugger` raises `NotSupported` if no debugger may be attached; `http_auth` needs none."""
        self._log = log
        self._conditions = conditions
        self._http_auth = http_auth
        self._require_debugger = require_debugger
        self._recorded = ExchangeFeed(log, _redact_with_bodies)

    def exchanges(self) -> list[Exchange]:
        self._require_debugger()
        return [_redact(exchange(hop)) for hop in self._log]

    async def exchange_with_bodies(self, number: int, *, timeout: float = 30) -> ExchangeWithBodies | None:
        self._require_debugger()
        hop = self._log.get(number)
        if hop is None:
            return None
        return _redact_with_bodies(await exchanges.exchange_with_bodies(hop, timeout))

    @property
    def recorder(self) -> ExchangeRecorder | None:
        return self._recorded.recorder

    async def record(self, recorder: ExchangeRecorder | None, *, timeout: float = 30) -> None:
        if recorder is not None:
            self._require_debugger()
        await self._recorded.record(recorder, timeout)

    @property
    def offline(self) -> bool:
        return self._conditions.offline

    async def set_offline(self, offline: bool) -> None:
        self._require_debugger()
        await self._conditions.set_offline(offline)

    async def throttle(self, speed: NetworkConditions | None) -> None:
        self._require_debugger()
        await self._conditions.throttle(speed)

    async def set_credentials(self, login: HttpCredentials | None) -> None:
        self._http_auth.set(login)


def _redact_with_bodies(recorded: ExchangeWithBodies) -> ExchangeWithBodies:
    return replace(recorded, exchange=_redact(recorded.exchange))


def _redact(original: Exchange) -> Exchange:
    """The exchange without cookies and passwords, which stay the user's."""
    return replace(
        original,
        request_fields=_redact_headers(original.request_fields),
        response_fields=_redact_headers(original.response_fields),
    )


def _redact_headers(fields: Headers) -> Headers:
    return tuple((name, REDACTED if name.lower() in _SECRET_HEADERS else value) for name, value in fields)
