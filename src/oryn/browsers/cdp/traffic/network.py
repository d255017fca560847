"""The contract `browsers.base.Network`, kept by the parts of this package."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from oryn.browsers.base.network import Exchange, Login, Network, Rule, Speed, Transcript
from oryn.browsers.base.patterns import clean_domain
from oryn.browsers.cdp.traffic import bodies
from oryn.browsers.cdp.traffic.exchanges import exchange
from oryn.browsers.cdp.traffic.recorded import Recorded
from oryn.errors import NotSupported

if TYPE_CHECKING:
    from oryn.browsers.cdp.traffic.conditions import Conditions
    from oryn.browsers.cdp.traffic.interception import Interception
    from oryn.browsers.cdp.traffic.log import Log


class CdpNetwork(Network):
    """The network of one session."""

    def __init__(self, log: Log, interception: Interception, conditions: Conditions) -> None:
        self._log = log
        self._interception = interception
        self._conditions = conditions
        self._recorded = Recorded(log)
        log.rule_of = self._rule_of

    def _rule_of(self, url: str) -> str | None:
        rule = self._interception.rule_for(url)
        return rule.pattern if rule else None

    # --- extra headers ---

    @property
    def headers(self) -> Mapping[str, Mapping[str, str]]:
        everywhere = {"": self._conditions.headers} if self._conditions.headers else {}
        return {**everywhere, **self._interception.domain_headers}

    async def set_headers(self, headers: Mapping[str, str], domain: str = "") -> None:
        if not domain:
            self._conditions.headers = self._interception.everywhere = dict(headers)
            await self._conditions.apply_headers()
            return
        self._interception.domain_headers.pop(clean_domain(domain), None)
        if headers:
            self._interception.domain_headers[clean_domain(domain)] = dict(headers)
        await self._interception.apply()

    # --- rules ---

    @property
    def rules(self) -> Sequence[Rule]:
        return self._interception.rules

    async def add_rule(self, rule: Rule) -> None:
        self._interception.add_rule(rule)
        await self._interception.apply()

    async def drop_rules(self, pattern: str | None = None) -> int:
        dropped = self._interception.drop_rules(pattern)
        await self._interception.apply()
        return dropped

    # --- the log ---

    def exchanges(self) -> list[Exchange]:
        return [exchange(hop) for hop in self._log]

    async def transcript(self, number: int, *, timeout: float = 30) -> Transcript | None:
        hop = self._log.get(number)
        return await bodies.transcript(hop, timeout) if hop else None

    @property
    def recorder(self) -> Callable[[Transcript], None] | None:
        return self._recorded.recorder

    async def record(self, recorder: Callable[[Transcript], None] | None, *, timeout: float = 30) -> None:
        await self._recorded.record(recorder, timeout)

    # --- what the network is like ---

    @property
    def offline(self) -> bool:
        return self._conditions.offline

    async def set_offline(self, offline: bool) -> None:
        await self._conditions.set_offline(offline)

    async def throttle(self, speed: Speed | None) -> None:
        await self._conditions.throttle(speed)

    async def set_login(self, login: Login | None) -> None:
        self._interception.login = login
        await self._interception.apply()

    async def take_over(self, other: Network) -> None:
        if not isinstance(other, CdpNetwork):
            raise NotSupported
        for domain, headers in other.headers.items():
            await self.set_headers(headers, domain)
        for rule in other.rules:
            self._interception.add_rule(rule)
        await self.set_login(other._interception.login)
        if other.offline:
            await self.set_offline(True)
