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
    """Of several sessions, each has a name. A session alone has no host."""

    def known(self) -> list[Known]:
        """Those of this host in the order in which they were opened, then those of other processes."""

    async def open(self, name: str, mode: str | None) -> None:
        """Open a session and start its browser (default: as this host's). Raises `SessionExists`, `NotSupported` for a
        mode that there is none of, and what the start of a browser does."""

    async def close_session(self, name: str) -> None:
        """Raises `SessionNotFound`, `SessionUnreachable`."""

    def switch(self, name: str) -> Session:
        """Make a session of this host the current one. Raises `SessionNotFound`."""
