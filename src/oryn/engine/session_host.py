"""The host of several sessions, and the entries of its list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

SessionT = TypeVar("SessionT")
"""`engine.session.Session`, which is above this module."""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session, as another session or a user sees it."""

    name: str
    mode: str | None
    """The mode; None while its process starts."""
    started: str | None
    """The start time in UTC, `2026-01-24T10:30:00Z`."""
    current: bool = False
    """Whether it receives the lines without a session name."""
    process: int | None = None
    """The id of its process; None if it is in this process."""
    profile: str | None = None
    """The location of its saved cookies and storage; None if they are not saved."""
    endpoint: str | None = None
    """The DevTools URL of its browser, if others may attach to the browser, or if Oryn has attached to it."""
    dormant: bool = False
    """Whether it is only saved; its browser starts with its next command."""
    url: str | None = None
    """The URL of the page that a dormant session will show, or one of another daemon shows; None for others."""
    daemon: str | None = None
    """The name of the daemon that runs it, of those with the same records; None if that is this one."""


class SessionHost(Protocol[SessionT]):
    """The host's operations for a session: list the other sessions; open, close and select one.

    `by` is the session whose line requests it; None means the host's own user. A session with limits
    (`Options.limited`) reaches only sessions that these limits bind too; otherwise `SessionNotAllowed` is raised."""

    def address_hint(self, name: str) -> str:
        """How this host's callers run commands in the session `name`: a sentence without its end."""

    def session_infos(self, by: SessionT | None = None) -> list[SessionInfo]:
        """Return the sessions of this host in the order in which they were opened, then those of other processes. If
        `by` has limits, entries of sessions outside its reach lack profile and endpoint."""

    async def open(self, name: str, mode: str | None, by: SessionT | None = None) -> None:
        """Open a session with the limits of `by`, and start its browser. Without `mode` it has this host's mode.

        Raises `SessionExists`, `NotSupported` if the mode is unknown, and the errors of the browser's start."""

    async def close_session(self, name: str, by: SessionT | None = None) -> None:
        """Close a session. Raises `SessionNotFound`, `SessionUnreachable`, `SessionNotAllowed`."""

    def switch(self, name: str, by: SessionT | None = None) -> SessionT:
        """Make a session of this host the current one. Raises `SessionNotFound`, `SessionNotAllowed`."""
