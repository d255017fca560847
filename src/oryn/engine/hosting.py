"""What a session may ask of its host: which other sessions there are, and to open, close and choose one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from oryn.engine.session import Session


@dataclass(frozen=True, slots=True)
class Known:
    """A session, as another sees it."""

    name: str
    mode: str | None
    """None where its process is only starting."""
    started: str | None
    """In UTC, `2026-01-24T10:30:00Z`."""
    current: bool = False
    """Lines without a name go to it."""
    process: int | None = None
    """The process that it lives in, where that is another."""
    profile: str | None = None
    """What keeps its cookies and storage; None where nothing is kept."""
    endpoint: str | None = None
    """The DevTools address of its browser, where others may attach to it or it was attached to itself."""
    dormant: bool = False
    """It is kept, and its browser starts with its next command."""


class Host(Protocol):
    """Of several sessions, each has a name. A session alone has no host.

    `by` is the session whose line asks, None the host's own user. A session with limits (`Options.limited`) gets no
    further than these hold, which is `SessionNotAllowed`."""

    def known(self, by: Session | None = None) -> list[Known]:
        """Those of this host in the order in which they were opened, then those of other processes. A session with
        limits hears no more of others than that they are there."""

    async def open(self, name: str, mode: str | None, by: Session | None = None) -> None:
        """Open a session, which has the limits of the one that asks, and start its browser (default: as this host's).
        Raises `SessionExists`, `NotSupported` for a mode that there is none of, and what a browser's start does."""

    async def close_session(self, name: str, by: Session | None = None) -> None:
        """Raises `SessionNotFound`, `SessionUnreachable`, `SessionNotAllowed`."""

    def switch(self, name: str, by: Session | None = None) -> Session:
        """Make a session of this host the current one. Raises `SessionNotFound`, `SessionNotAllowed`."""
