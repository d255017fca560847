"""`Members`: which sessions a host has, open or dormant, and which of them is the current one. Nothing here waits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from oryn.engine import Session
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.engine.hosting import Known
    from oryn.sessions.keeping import Keeper
    from oryn.sessions.registry import Registration


class Member(Record, frozen=False):
    """A session of this host. `started` is in UTC, `settings` are those in which it differs from the host."""

    session: Session
    registration: Registration | None
    started: str
    settings: Mapping[str, Any]
    family: str
    """The name of the session with limits that opened it, or opened the one that did; else its own."""


class Members:
    """`none` stands in where no session is open; `keeper` has those that are dormant until their first command."""

    def __init__(self, none: Session, keeper: Keeper | None) -> None:
        self._keeper = keeper
        self._none = none
        self._members: dict[str, Member] = {}
        self._latest: list[str] = []
        """Names in the order in which they were the current one, the present one last."""

    @property
    def current(self) -> Session:
        """The one that lines without a name go to; when none is open, one without a name and a browser."""
        return self._members[self._latest[-1]].session if self._latest else self._none

    @property
    def names(self) -> list[str]:
        """Of the sessions of this host that are open, in the order in which they were opened."""
        return list(self._members)

    @property
    def dormant(self) -> list[str]:
        """Names of those that are kept and have not been asked for yet."""
        return [name for name in self._keeper.names if name not in self._members] if self._keeper else []

    def get(self, name: str) -> Session | None:
        """The session of this host with this name."""
        member = self._members.get(name)
        return member.session if member else None

    def settings_of(self, name: str) -> Mapping[str, Any] | None:
        """The settings in which this session differs from the host; None where it is neither open nor dormant."""
        if member := self._members.get(name):
            return member.settings
        kept = self._keeper.get(name) if self._keeper else None
        return kept.settings if kept else None

    def own(self) -> list[Known]:
        """Those of this host; nothing is read for it."""
        from oryn.engine.hosting import Known

        present = self.current.name
        open_ones = [
            Known(
                name, browser.mode, member.started, name == present, None, browser.place.profile, browser.place.endpoint
            )
            for name, member in self._members.items()
            for browser in [member.session.browser]
        ]
        return [*open_ones, *self._known_dormant()]

    def _known_dormant(self) -> Iterator[Known]:
        from oryn.engine.hosting import Known

        for name in self.dormant:
            if self._keeper and (kept := self._keeper.get(name)):
                yield Known(name, kept.backend, kept.started, profile=kept.profile, dormant=True)

    def family(self, session: Session) -> str:
        """The same name for a session with limits and for all that were opened by its lines or by theirs."""
        member = self._members.get(session.name)
        return member.family if member else session.name

    def is_kin(self, name: str, session: Session) -> bool:
        """Whether this is the name of `session`, or of one that has its limits because one of them opened the other."""
        member = self._members.get(name)
        return name == session.name or (member is not None and member.family == self.family(session))

    # --- changes ---

    def _enter(self, member: Member) -> None:
        """It is not the current one, unless it is the only one."""
        self._members[member.session.name] = member
        self._latest.insert(0, member.session.name)

    def _leave(self, name: str) -> Member | None:
        """The one that was current before it is again; None where it has left already."""
        member = self._members.pop(name, None)
        if member is not None:
            self._latest.remove(name)
        return member

    def _to_front(self, name: str) -> None:
        self._latest.remove(name)
        self._latest.append(name)
