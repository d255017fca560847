"""`Gate`: what each request of a daemon is checked with (docs/spec/daemon-protocol.md#authentication)."""

from __future__ import annotations

import hashlib
import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from oryn.core.records import Record
from oryn.daemon.access.audit import UNKNOWN, AuditFile, AuditLog
from oryn.daemon.access.hosts import DaemonNames
from oryn.daemon.access.principals import Principal
from oryn.daemon.access.proxies import TrustedProxies
from oryn.daemon.access.token_file import TokenFile
from oryn.daemon.access.tokens import IdentifiedToken, TokenAuthority, TokenStore
from oryn.errors import ConfigurationError, OrynError, RateLimited

if TYPE_CHECKING:
    from oryn.records.database import Database
    from oryn.settings import Configuration

log = logging.getLogger(__name__)

TOKENS_FILE = "tokens.json"


class AccessRecords(Record):
    """What says who may use a daemon, besides its own token, and what has become of that."""

    tokens: TokenStore
    audit: AuditLog

    @classmethod
    def of(cls, configuration: Configuration, database: Database | None = None, daemon: str = "") -> AccessRecords:
        """Those of the daemon with these settings, which has the name `daemon` in its `database` of records."""
        folder, chosen = configuration.paths.daemon, configuration.settings.tokens
        file, audit = TokenFile(chosen or folder / TOKENS_FILE), AuditFile(folder)
        if database is None:
            return cls(file, AuditLog(audit))
        from oryn.daemon.access.database_store import SharedAudit, SharedTokens

        log = AuditLog(SharedAudit(audit, database, daemon))
        if chosen is not None:
            return cls(file, log)
        shared = SharedTokens(database)
        shared.take_over(file)
        return cls(shared, log)


@contextmanager
def access_records(configuration: Configuration) -> Iterator[AccessRecords]:
    """The records of access for a program that is not the daemon. Raises `ConfigurationError`, `RecordsUnavailable`."""
    if (url := configuration.settings.records) is None:
        yield AccessRecords.of(configuration)
        return
    from oryn.records import open_records

    database = open_records(url)
    try:
        yield AccessRecords.of(configuration, database)
    finally:
        database.close()


BURST_SECONDS = 10.0
"""The seconds whose requests a principal may send at once, after a pause."""


class _Bucket:
    __slots__ = ("filled", "rate", "tokens")

    def __init__(self, rate: int, now: float) -> None:
        self.rate = rate
        self.tokens = self.capacity
        self.filled = now

    @property
    def capacity(self) -> float:
        return max(1.0, self.rate * BURST_SECONDS / 60)


class RequestRates:
    """The requests of all principals that have a rate, each with a token bucket. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, principal: Principal) -> None:
        """Count a request. Raises `RateLimited`, with the seconds after which there is room for one."""
        if not (rate := principal.limits.rate):
            return
        now = self._clock()
        bucket = self._buckets.get(principal.name)
        if bucket is None or bucket.rate != rate:
            bucket = self._buckets[principal.name] = _Bucket(rate, now)
        bucket.tokens = min(bucket.capacity, bucket.tokens + (now - bucket.filled) * rate / 60)
        bucket.filled = now
        if bucket.tokens < 1:
            raise RateLimited(
                f"the token {principal.name} may send {rate} requests a minute",
                retry_after=math.ceil((1 - bucket.tokens) * 60 / rate),
            )
        bucket.tokens -= 1


class Gate:
    """The names, proxies, tokens, rates and the audit log of one daemon. `token` is the daemon's own."""

    def __init__(
        self,
        token: str,
        store: TokenStore,
        audit: AuditLog,
        names: DaemonNames | None = None,
        proxies: TrustedProxies | None = None,
    ) -> None:
        self.authority = TokenAuthority(hashlib.sha256(token.encode()).hexdigest(), store)
        self.audit = audit
        self.names = names or DaemonNames()
        self.proxies = proxies or TrustedProxies()
        self.rates = RequestRates()
        self._problem: str | None = None

    @classmethod
    def of(cls, configuration: Configuration, token: str, database: Database | None = None, daemon: str = "") -> Gate:
        """The gate of a daemon with these settings; `daemon` is its name in its `database` of records. Raises
        `ConfigurationError` if the file of tokens is invalid, and `RecordsUnavailable`."""
        settings, records = configuration.settings, AccessRecords.of(configuration, database, daemon)
        records.tokens.all()  # a mistake in the file ends the start
        names, proxies = DaemonNames(settings.allowed_hosts or ()), TrustedProxies(settings.trusted_proxies or ())
        return cls(token, records.tokens, records.audit, names, proxies)

    async def identify(self, token: str) -> IdentifiedToken | None:
        """Find the principal of a token; None if it is unknown, or if the tokens can't be read. Raises
        `RecordsUnavailable`."""
        try:
            found = await self.authority.identify(token)
        except ConfigurationError as error:
            if str(error) != self._problem:
                self._problem = str(error)
                log.error("no token but the daemon's own is accepted: %s", error)
                self.audit.refuse(UNKNOWN, "", "token", "tokens", f"{error.code.lower()}: {error.message}")
            return None
        self._problem = None
        return found

    def refuse(self, principal: Principal | None, address: str, kind: str, subject: str, error: OrynError) -> None:
        """Write a refusal to the audit log."""
        name = UNKNOWN if principal is None else principal.name
        self.audit.refuse(name, address, kind, subject, f"{error.code.lower()}: {error.message}")

    def change(self, principal: Principal, address: str, kind: str, subject: str, detail: str) -> None:
        """Write a change to the audit log."""
        self.audit.change(principal.name, address, kind, subject, detail)

    async def close(self) -> None:
        """Write what was counted."""
        await self.audit.close()
