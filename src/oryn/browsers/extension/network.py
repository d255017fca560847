"""The network of pages that a debugger is attached to: that of `oryn headless`, without the user's secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from oryn.browsers.base.network import (
    Exchange,
    ExchangeRecorder,
    ExchangeWithBodies,
    Headers,
    HttpCredentials,
    InterceptionRule,
    NetworkConditions,
    Responder,
    StreamMessage,
)
from oryn.browsers.cdp.network.exchanges import ExchangeFeed
from oryn.browsers.cdp.network.network import SessionNetwork
from oryn.browsers.extension.error_mapping import require_no_cookies

if TYPE_CHECKING:
    from oryn.browsers.extension.debugged_features import DebuggedFeatures
    from oryn.browsers.extension.web_request import HttpAuthHandler

REDACTED = "(withheld)"
_SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})


class ExtensionNetwork(SessionNetwork):
    """The network of one session.

    require_debugger: raises `NotSupported` if no debugger may be attached; `http_auth` needs none."""

    def __init__(
        self, features: DebuggedFeatures, http_auth: HttpAuthHandler, require_debugger: Callable[[], None]
    ) -> None:
        super().__init__(features.log, features.interception, features.conditions)
        self._http_auth = http_auth
        self._require_debugger = require_debugger
        self._feed = ExchangeFeed(features.log, _redact_with_bodies)

    @property
    def headers(self) -> Mapping[str, Mapping[str, str]]:
        self._require_debugger()
        return super().headers

    async def set_headers(self, headers: Mapping[str, str], domain: str = "") -> None:
        self._require_debugger()
        require_no_cookies(headers)
        await super().set_headers(headers, domain)

    @property
    def rules(self) -> Sequence[InterceptionRule]:
        self._require_debugger()
        return super().rules

    async def add_rule(self, rule: InterceptionRule) -> None:
        self._require_debugger()
        await super().add_rule(rule)

    async def remove_rules(self, pattern: str | None = None) -> int:
        self._require_debugger()
        return await super().remove_rules(pattern)

    async def answer_by(self, responder: Responder | None) -> None:
        self._require_debugger()
        await super().answer_by(responder)

    def exchanges(self) -> list[Exchange]:
        self._require_debugger()
        return list(map(_redact, super().exchanges()))

    def messages(self, number: int | None = None) -> list[StreamMessage]:
        self._require_debugger()
        return super().messages(number)

    async def exchange_with_bodies(self, number: int, *, timeout: float = 30) -> ExchangeWithBodies | None:
        self._require_debugger()
        found = await super().exchange_with_bodies(number, timeout=timeout)
        return None if found is None else _redact_with_bodies(found)

    async def record(self, recorder: ExchangeRecorder | None, *, timeout: float = 30) -> None:
        if recorder is not None:
            self._require_debugger()
        await super().record(recorder, timeout=timeout)

    async def set_offline(self, offline: bool) -> None:
        self._require_debugger()
        await super().set_offline(offline)

    async def throttle(self, speed: NetworkConditions | None) -> None:
        self._require_debugger()
        await super().throttle(speed)

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
