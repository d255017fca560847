"""Leases of tabs: where several sessions and a person use one browser, a tab belongs to one of them at a time.

The first act on a free tab takes its lease. It ends with the session, after a time without a command, and when a person
uses the tab. Looking at a tab needs none."""

from __future__ import annotations

import time

from oryn.core.records import Record
from oryn.errors import NotSupported

LEASE_SECONDS = 180.0
"""How long a tab stays a session's without a command, unless its user chooses another time."""


class LeaseHolder:
    """Somebody who can hold tabs. Two holders are the same only if they are one object.

    name: a session's, or `the person`, which no session can be called.
    seconds: how long a tab stays theirs without a command.
    is_person: a person, whom no act of a session may disturb."""

    def __init__(self, name: str, seconds: float = LEASE_SECONDS, *, is_person: bool = False) -> None:
        self.name = name
        self.seconds = seconds
        self.is_person = is_person

    def __str__(self) -> str:
        return self.name if self.is_person else f"session {self.name}"


class TabLease(Record):
    """Who holds a tab."""

    holder: LeaseHolder
    since: float
    """Seconds since the epoch."""
    idle: float
    """Seconds since their last command or input; 0 while a command runs."""

    @property
    def since_text(self) -> str:
        """`since` as UTC in ISO 8601."""
        return utc_text(self.since)


class ForeignAct(Record):
    """The last act on a tab of somebody else than the session that asks."""

    actor: LeaseHolder
    at: float
    """Seconds since the epoch."""

    @property
    def at_text(self) -> str:
        """`at` as UTC in ISO 8601."""
        return utc_text(self.at)


def utc_text(seconds: float) -> str:
    """A time since the epoch as UTC in ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class SessionLeases:
    """The tabs of a shared browser, as one session asks for them. Numbers are those of `tabs`; None is the current tab.
    No method makes a round trip."""

    holder: LeaseHolder
    """Who the session is for the others."""
    has_other_sessions: bool = True
    """Whether tabs may be those of other sessions, and not only of a person."""

    def lease(self, number: int | None = None) -> TabLease | None:
        """Who holds a tab; None if it is free. Raises `TabNotFound`."""
        raise NotSupported

    def begin_act(self, number: int | None = None) -> None:
        """An act on a tab begins: take the tab if it is free. It stays the session's until `end_command` at least,
        unless a person uses it. Raises `TabHeld`, `TabNotFound`."""
        raise NotSupported

    def end_command(self) -> None:
        """The session's command has ended, with all its acts. Its time without a command begins."""
        raise NotSupported

    def note_look(self) -> None:
        """A command about the current tab has begun that is no act. If the tab is the session's, it stays so."""
        raise NotSupported

    def take_foreign_act(self) -> ForeignAct | None:
        """The last act of somebody else on the current tab since the last call about this tab; None without one."""
        raise NotSupported

    async def take(self, number: int, *, timeout: float) -> None:
        """Take a tab. If somebody else holds it, they are told (`take_requests`), and it is taken as soon as it is
        free, first come first served. Raises `TabHeld` if it is not within `timeout` seconds, or at once if the holder
        waits for a tab of this session; `TabNotFound`."""
        raise NotSupported

    def release(self, number: int | None = None) -> bool:
        """Give a tab back; whether it was the session's. Raises `TabNotFound`."""
        raise NotSupported

    def take_requests(self) -> list[tuple[int | None, LeaseHolder]]:
        """Who waits for which tab of this session: each request once, with the tab's number here."""
        raise NotSupported

    def hand_over(self, person: LeaseHolder) -> None:
        """The person takes over the current tab. It is theirs until `hand_back`."""
        raise NotSupported

    def hand_back(self, person: LeaseHolder) -> None:
        """The person has given back all that they have taken over. The tabs are free."""
        raise NotSupported

    def close(self) -> None:
        """The session ends, and its leases with it. Idempotent."""
        raise NotSupported
