"""The entry of a session in a host's list."""

from __future__ import annotations

from dataclasses import dataclass


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
    """The URL of the page that a dormant session will show; None for others, which have a page."""
