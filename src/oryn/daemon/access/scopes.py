"""The scope that a command or a route needs. Commands have theirs from the table of commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oryn.errors import TokenScope

if TYPE_CHECKING:
    from oryn.daemon.access.principals import Principal, Scope
    from oryn.language import Command

_COMMANDS = re.compile(r"/command|/history/[^/]+/replay")
"""Paths whose requests carry commands; each command needs its own scope."""
_SEEING = re.compile(
    r"/status|/daemons|/mcp|/events|/history|/openapi\.json|/metrics|/link|/live/[^/]+|"
    r"/sessions/[^/]+/(?:sight|picture)"
)
_NOTES = re.compile(r"/sessions/[^/]+/notes(?:/[^/]+(?:/picture)?)?")
_ACTING = re.compile(r"/sessions/[^/]+/(?:marks|takeover)")


def scope_of_command(command: Command | None) -> Scope:
    """The scope that a command needs; of an empty line, `see`."""
    if command is None:
        return "see"
    spec = type(command).spec
    if spec.person:
        return "confirm"
    if spec.scope == "research":
        return "research"
    return "see" if spec.reads or command.safe else "act"


def scope_of_request(method: str, path: str) -> Scope | None:
    """The scope that a request needs; None if its commands have theirs. Any other address is for administrators."""
    if _COMMANDS.fullmatch(path):
        return None
    if _SEEING.fullmatch(path) or (_NOTES.fullmatch(path) and method in ("GET", "HEAD")):
        return "see"
    return "act" if _ACTING.fullmatch(path) or _NOTES.fullmatch(path) else "administer"


def require_scope(principal: Principal, scope: Scope, action: str) -> None:
    """Raise `TokenScope` unless the principal has the scope, which `action` needs."""
    if scope not in principal.scopes:
        raise TokenScope(
            f"{action} needs the scope {scope}, which the token {principal.name} does not have",
            f"Its scopes are {', '.join(sorted(principal.scopes))}; the daemon's user can make another token.",
        )
