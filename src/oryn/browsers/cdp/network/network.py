"""`SessionNetwork`: implements `browsers.base.Network` with the log, the interception and the conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.network import (
    Exchange,
    ExchangeRecorder,
    ExchangeWithBodies,
    HttpCredentials,
    InterceptionRule,
    Network,
    NetworkConditions,
    Responder,
    StreamMessage,
)
from oryn.browsers.cdp.network import exchanges
from oryn.browsers.cdp.network.exchanges import ExchangeFeed, exchange
from oryn.core.urls import clean_domain
from oryn.errors import NotSupported

if TYPE_CHECKING:
    from oryn.browsers.cdp.network.conditions import RequestConditions
    from oryn.browsers.cdp.network.decisions import RequestDecisions
    from oryn.browsers.cdp.network.log import RequestHop, RequestLog


class SessionNetwork(Network):
    """The network of one session."""

    def __init__(self, log: RequestLog, interception: RequestDecisions[Any], conditions: RequestConditions) -> None:
        self._log = log
        self._interception = interception
        self._conditions = conditions
        self._feed = ExchangeFeed(log)
        log.rule_of = self._rule_of

    def _rule_of(self, url: str, kind: str) -> str | None:
        rule = self._interception.rule_for(url, kind)
        return rule.pattern if rule else None

    # --- extra headers ---

    @property
    def headers(self) -> Mapping[str, Mapping[str, str]]:
        general = {"": self._conditions.headers} if self._conditions.headers else {}
        return {**general, **self._interception.domain_headers}

    async def set_headers(self, headers: Mapping[str, str], domain: str = "") -> None:
        if not domain:
            self._conditions.headers = self._interception.general_headers = dict(headers)
            await self._conditions.apply_headers()
            return
        self._interception.domain_headers.pop(clean_domain(domain), None)
        if headers:
            self._interception.domain_headers[clean_domain(domain)] = dict(headers)
        await self._interception.apply()

    # --- rules ---

    @property
    def rules(self) -> Sequence[InterceptionRule]:
        return self._interception.rules

    async def add_rule(self, rule: InterceptionRule) -> None:
        if rule.edit is not None and not self._interception.edits_responses:
            raise NotSupported
        self._interception.add_rule(rule)
        await self._interception.apply()

    async def remove_rules(self, pattern: str | None = None) -> int:
        dropped = self._interception.drop_rules(pattern)
        await self._interception.apply()
        return dropped

    async def answer_by(self, responder: Responder | None) -> None:
        if responder is not None and self._interception.unheld:
            raise NotSupported(f"this browser does not hold back {self._interception.unheld}")
        self._interception.responder = responder
        await self._interception.apply()

    # --- the log ---

    def exchanges(self) -> list[Exchange]:
        return [self._exchange(hop) for hop in self._log]

    def _exchange(self, hop: RequestHop) -> Exchange:
        sent, received = self._log.messages.counts(hop.number)
        unedited = self._interception.unedited(hop.request_id)
        found = exchange(hop)
        if sent or received or unedited:
            found = replace(found, messages_sent=sent, messages_received=received, unedited=unedited)
        return found

    def messages(self, number: int | None = None) -> list[StreamMessage]:
        return self._log.messages.select(number)

    @property
    def silent_kinds(self) -> frozenset[str]:
        return self._log.silent_kinds

    async def exchange_with_bodies(self, number: int, *, timeout: float = 30) -> ExchangeWithBodies | None:
        hop = self._log.get(number)
        if hop is None:
            return None
        return replace(await exchanges.exchange_with_bodies(hop, timeout), exchange=self._exchange(hop))

    @property
    def recorder(self) -> ExchangeRecorder | None:
        return self._feed.recorder

    async def record(self, recorder: ExchangeRecorder | None, *, timeout: float = 30) -> None:
        await self._feed.record(recorder, timeout)

    # --- conditions and credentials ---

    @property
    def offline(self) -> bool:
        return self._conditions.offline

    async def set_offline(self, offline: bool) -> None:
        await self._conditions.set_offline(offline)

    async def throttle(self, speed: NetworkConditions | None) -> None:
        await self._conditions.throttle(speed)

    async def set_credentials(self, login: HttpCredentials | None) -> None:
        self._interception.login = login
        await self._interception.apply()

    async def copy_from(self, other: Network) -> None:
        if not isinstance(other, SessionNetwork):
            raise NotSupported
        for domain, headers in other.headers.items():
            await self.set_headers(headers, domain)
        for rule in other.rules:
            self._interception.add_rule(rule)
        await self.set_credentials(other._interception.login)
        if other.offline:
            await self.set_offline(True)
