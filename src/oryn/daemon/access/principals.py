"""`Principal`: the sender of a request, with its scopes and limits (docs/spec/daemon-protocol.md#authentication)."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, get_args

from oryn.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

Scope = Literal["see", "act", "confirm", "administer", "research"]
"""What a principal may do: look at sessions and move in them, change something, approve what waits for a person, end
and configure the daemon, research."""

SCOPES: tuple[Scope, ...] = get_args(Scope)


class TokenLimits(Record):
    """The limits of a token; those of the daemon apply besides.

    `rate`: requests a minute; 0 means no limit."""

    rate: int = 0


class Principal(Record):
    """The sender of a request."""

    name: str
    scopes: frozenset[Scope]
    limits: TokenLimits = TokenLimits()


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
