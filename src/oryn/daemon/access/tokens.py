"""Tokens: who has one, what it allows and until when (docs/access.md#tokens). Only a token's SHA-256 is stored.

A token has 256 random bits. So its hash can't be reversed, and the time of looking a hash up reveals no token."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from oryn.core.records import Record
from oryn.core.urls import parse_domain_rule
from oryn.daemon.access.audit import UNKNOWN
from oryn.daemon.access.principals import OWNER, SCOPES, Principal, Scope, TokenLimits
from oryn.errors import ConfigurationError

PREFIX = "oryn_"
"""The beginning of every token, by which scanners find one that was published."""
TOKEN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
RESERVED_NAMES = frozenset({OWNER.name, UNKNOWN})
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FIELDS = ("name", "sha256", "scopes", "rate", "sessions", "domains", "created", "expires")


class Token(Record):
    """A token, without itself. `sha256` is in hexadecimal digits, the times are in UTC (ISO 8601); `expires` is None
    for one without an end."""

    name: str
    sha256: str
    scopes: frozenset[Scope]
    limits: TokenLimits = TokenLimits()
    created: str = ""
    expires: str | None = None

    @property
    def principal(self) -> Principal:
        return Principal(self.name, self.scopes, self.limits)

    def has_expired(self, now: datetime | None = None) -> bool:
        """Whether its end has passed, at `now` or at present."""
        return self.expires is not None and datetime.fromisoformat(self.expires) <= (now or datetime.now(UTC))


class TokenStore(Protocol):
    """The tokens of a daemon. What another process changes counts from the next call on.

    Its methods raise `ConfigurationError` if the tokens can't be read or written, and `RecordsUnavailable`. Those that
    are not asynchronous block."""

    async def find(self, sha256: str) -> Token | None:
        """The token with this hash; None if there is none."""

    async def named(self, name: str) -> Token | None:
        """The token of this name; None if there is none."""

    def all(self) -> Sequence[Token]:
        """Every token, also expired ones, in the order in which they were made."""

    def put(self, token: Token) -> None:
        """Store a token, in the place of one with its name."""

    def revoke(self, name: str) -> bool:
        """Remove the token of this name; return whether there was one."""


def new_token() -> str:
    """Make a token."""
    return f"{PREFIX}{secrets.token_urlsafe(32)}"


def hash_of(token: str) -> str:
    """The SHA-256 of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def check_name(name: str) -> str:
    """Return the name of a token. Raises `ValueError` if it is not one."""
    if TOKEN_NAME.fullmatch(name) is None or name.lower() in RESERVED_NAMES:
        raise ValueError(f"a token can't be called {name[:80]!r}")
    return name


def parse_scopes(values: Collection[str]) -> frozenset[Scope]:
    """Return scopes. Raises `ValueError` for an unknown one, or without one."""
    if wrong := [each for each in values if each not in SCOPES]:
        raise ValueError(f"there is no scope {str(wrong[0])[:40]!r}: the scopes are {', '.join(SCOPES)}")
    if not values:
        raise ValueError(f"a token needs a scope: {', '.join(SCOPES)}")
    return frozenset(each for each in SCOPES if each in values)


def parse_domains(values: Any) -> tuple[str, ...]:
    """Return the domains of a token in their usual spelling. Raises `ValueError`."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise ValueError("domains must be a list")
    try:
        return tuple(str(parse_domain_rule(str(each))) for each in values)
    except ValueError as error:
        raise ValueError(f"domains are hosts such as example.org or *.example.org, not {str(error)[:80]!r}") from None


def token_data(token: Token) -> dict[str, Any]:
    """A token as JSON data; limits that it does not have are left out."""
    data: dict[str, Any] = {
        "name": token.name,
        "sha256": token.sha256,
        "scopes": [each for each in SCOPES if each in token.scopes],
        "rate": token.limits.rate or None,
        "sessions": token.limits.sessions or None,
        "domains": list(token.limits.domains) or None,
        "created": token.created or None,
        "expires": token.expires,
    }
    return {name: value for name, value in data.items() if value is not None}


def parse_token(data: Any) -> Token:
    """Return a token from data, as `token_data` returns them, or as a person has written them. Raises `ValueError`,
    which names the field."""
    if not isinstance(data, Mapping):
        raise ValueError("it is not a table")
    if unknown := [each for each in data if each not in _FIELDS]:
        raise ValueError(f"{str(unknown[0])[:40]!r} is unknown: a token has {', '.join(_FIELDS)}")
    sha256 = data.get("sha256")
    if not isinstance(sha256, str) or _SHA256.fullmatch(sha256) is None:
        raise ValueError("sha256 must be 64 hexadecimal digits in lower case")
    scopes = data.get("scopes")
    if not isinstance(scopes, list):
        raise ValueError("scopes must be a list")
    name = data.get("name")
    return Token(
        check_name(name if isinstance(name, str) else ""),
        sha256,
        parse_scopes(scopes),
        TokenLimits(_count(data, "rate"), _count(data, "sessions"), parse_domains(data.get("domains", []))),
        str(data.get("created", "")),
        _moment(data.get("expires")),
    )


def _count(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} must be a whole number")
    return value


def _moment(value: Any) -> str | None:
    if value is None:
        return None
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError("expires must be a time such as 2026-12-31T00:00:00Z") from None
    if moment.tzinfo is None:
        raise ValueError("expires must have a time zone, such as Z")
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class IdentifiedToken(Record):
    """The principal of a token, and when it has expired: None unless it has."""

    principal: Principal
    expired: str | None = None


class TokenAuthority:
    """Finds the principals of tokens: the daemon's own token, whose SHA-256 is `own`, and those of a store."""

    def __init__(self, own: str, store: TokenStore) -> None:
        self._own = own
        self.store = store

    async def identify(self, token: str) -> IdentifiedToken | None:
        """Find a token; None if it is unknown. Raises as `TokenStore` does."""
        sha256 = hash_of(token)
        if secrets.compare_digest(sha256, self._own):
            return IdentifiedToken(OWNER)
        found = await self.store.find(sha256)
        if found is None or not secrets.compare_digest(found.sha256, sha256):
            return None
        return IdentifiedToken(found.principal, found.expires if found.has_expired() else None)

    async def current(self, principal: Principal) -> Principal | None:
        """The principal of this name as it is now; None if its token was revoked or has expired, or if the tokens can't
        be read. Raises `RecordsUnavailable`."""
        if principal is OWNER:
            return OWNER
        try:
            found = await self.store.named(principal.name)
        except ConfigurationError:
            return None
        return None if found is None or found.has_expired() else found.principal
