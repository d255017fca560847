"""`Principal`: the sender of a request, with its scopes and limits (docs/spec/daemon-protocol.md#authentication)."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, get_args

from oryn.core.records import Record
from oryn.sessions.ownership import SessionOwner

if TYPE_CHECKING:
    from collections.abc import Mapping

Scope = Literal["see", "act", "confirm", "administer", "research"]
"""What a principal may do: look at sessions and move in them, change something, approve what waits for a person, end
and configure the daemon, research."""

SCOPES: tuple[Scope, ...] = get_args(Scope)


class TokenLimits(Record):
    """The limits of a token; those of the daemon apply besides.

    `rate`: requests a minute. `sessions`: how many sessions may be open at once. 0 means no limit. `domains`: the only
    hosts that pages may use, in the form of `allowed_domains`; empty means no limit. A token with `sessions` or
    `domains` has sessions of its own."""

    rate: int = 0
    sessions: int = 0
    domains: tuple[str, ...] = ()

    def __str__(self) -> str:
        limits = [
            f"{self.rate} requests a minute" if self.rate else "",
            f"{self.sessions} sessions" if self.sessions else "",
            f"only {', '.join(self.domains)}" if self.domains else "",
        ]
        return "; ".join(filter(None, limits)) or "no limits"


class Principal(Record):
    """The sender of a request."""

    name: str
    scopes: frozenset[Scope]
    limits: TokenLimits = TokenLimits()

    @property
    def owner(self) -> SessionOwner | None:
        """As the owner of its own sessions; None if it uses those that all use."""
        limits = self.limits
        if not limits.sessions and not limits.domains:
            return None
        return SessionOwner(self.name, limits.sessions, limits.domains)


OWNER = Principal("owner", frozenset(SCOPES))
"""The daemon's own user, who has the daemon's own token."""

PRINCIPAL: ContextVar[Principal] = ContextVar("PRINCIPAL", default=OWNER)
"""The principal of the request that the current task serves."""

ADDRESS: ContextVar[str] = ContextVar("ADDRESS", default="")
"""The address of the client whose request the current task serves."""

PRINCIPAL_KEY = "oryn.principal"
"""The key of the principal in the scope of an ASGI application."""

PERSON_KEY = "oryn.person"
"""In the scope of an ASGI application: another daemon says that the request comes from a person."""


def principal_of(scope: Mapping[str, Any]) -> Principal:
    """The principal of a request, from its ASGI scope. Raises `KeyError` for a request without authentication."""
    principal: Principal = scope[PRINCIPAL_KEY]
    return principal
