"""`LimitedSessions`: the names and settings of sessions with limits, apart from the saved sessions.

A session with limits must not come back without them: not one that is ephemeral and therefore not saved, and not one
whose row in `sessions.json` was lost. So `limits.json` lists them too, in the form of `sessions.json` without tabs. A
user who closes the session removes it. If the file is damaged, no session opens that may have been in it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from oryn.errors import ConfigurationError, FileError
from oryn.sessions.persistence.models import SessionRecord, decode_index, encode_index
from oryn.system.paths import write_private

if TYPE_CHECKING:
    from oryn.engine import Session

log = logging.getLogger(__name__)

LIMITS = "limits.json"


class LimitedSessions:
    """The sessions with limits of their own that were opened and not closed by their user."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._damage = ""
        """Why the file can't be read; empty if it can."""
        self._rows = {each.name: each for each in self._load()}

    @property
    def rows(self) -> Mapping[str, SessionRecord]:
        """The sessions by name."""
        return MappingProxyType(self._rows)

    def get(self, name: str) -> SessionRecord | None:
        """The session of this name; None if it had no limits. Raises `FileError` if that is not known."""
        if name not in self._rows and self._damage:
            raise FileError(
                f"the session {name} may have had limits, which can't be read: {self._file} ({self._damage})",
                "Put the file back; or, if no session had limits, remove it and run 'oryn daemon stop'.",
            )
        return self._rows.get(name)

    def add(self, session: Session, settings: Mapping[str, Any], started: str) -> None:
        """Save the settings of a session. A failed write is logged."""
        found = self._rows.get(session.name)
        if found is None or found.settings != settings:
            self._rows[session.name] = _row(session, settings, started)
            self._write()

    def adopt(self, name: str, row: SessionRecord | None) -> None:
        """Take over what another host has saved of a session; None if it has no limits there. The file stays."""
        self._rows.pop(name, None)
        if row is not None:
            self._rows[name] = row

    def discard(self, name: str) -> None:
        """Remove a session, which its user has closed. A failed write is logged."""
        if self._rows.pop(name, None):
            self._write()

    def _load(self) -> list[SessionRecord]:
        try:
            found, wrong = decode_index(self._file.read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except (OSError, UnicodeDecodeError, FileError) as error:
            found, wrong = [], [str(error)]
        self._damage = "; ".join(wrong)
        if wrong:
            log.error("the limits of sessions in %s can't be read: %s", self._file, self._damage)
        return found

    def _write(self) -> None:
        if self._damage:  # the file may be put back
            return
        try:
            write_private(self._file, encode_index(self._rows.values()))
        except (OSError, ConfigurationError) as error:
            log.warning("the limits of sessions can't be saved in %s: %s", self._file, error)


def _row(session: Session, settings: Mapping[str, Any], started: str) -> SessionRecord:
    mode = session.browser.mode
    profile, headful = settings.get("profile"), bool(settings.get("headful"))
    return SessionRecord(
        session.name, mode, profile, headful, settings, started, tabs=(), current=0, generation=0, owner=session.owner
    )
