"""`SessionStore`: a host's sessions on disk, so that they survive it (docs/spec/sessions.md#saving).

`sessions.json` lists them, `sessions.journal` has the latest changes to that list, `sessions/<name>.json` has the
cookies and storage of one session, and `limits.json` the sessions with limits once more (`LimitedSessions`). Only the
owner may read them. The journal is appended to; the other files are replaced as a whole. A failed write is logged, and
leaves the old file in place."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.errors import ConfigurationError, FileError
from oryn.sessions.persistence.journal import SessionJournal
from oryn.sessions.persistence.limits import LIMITS, LimitedSessions
from oryn.sessions.persistence.models import (
    CLOSED,
    JournalReplay,
    RecordData,
    SessionRecord,
    encode_index,
    journal_line,
    parse_index,
    parse_records,
    record_data,
    replay_journal,
)
from oryn.system.paths import write_private

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.sessions.persistence.autosave import SessionAutosaver

log = logging.getLogger(__name__)

INDEX, JOURNAL, STATES = "sessions.json", "sessions.journal", "sessions"
MAX_JOURNAL_BYTES = 100_000
"""Size of the journal in bytes above which the index is rewritten."""


class SessionStore:
    """The saved sessions of one host, in `folder`, which no other host may use at the same time.

    `profiles` is the folder of profiles."""

    def __init__(self, folder: Path, profiles: Path) -> None:
        self._folder = folder
        self.profiles = profiles
        self._journal = SessionJournal(folder / JOURNAL)
        self._warnings: dict[Path, str] = {}
        self._records: dict[str, SessionRecord] = {each.name: each for each in self._load()}
        self._persisted: dict[str, RecordData] = {name: record_data(row) for name, row in self._records.items()}
        """The row of each session on disk, according to the index and the journal together."""
        self._limited = LimitedSessions(folder / LIMITS)
        self._autosavers: dict[str, SessionAutosaver] = {}
        self.crashed_on_load: set[str] = set()
        """The sessions whose browser crashed while their pages were loaded again; the next restore loads no pages."""
        self._written = ""
        self._writing = asyncio.Lock()
        self.on_changed: Callable[[str, bool], object] = lambda name, state: None
        """Called with the name of a session whose row has changed; True if its state file has, too."""

    # --- names and rows ---

    @property
    def names(self) -> list[str]:
        """Names of the saved sessions, in the order in which they were opened."""
        rows = {**self._limited.rows, **self._records}
        return sorted(rows, key=lambda name: (rows[name].started, name))

    def get(self, name: str) -> SessionRecord | None:
        """The saved session of this name; None if there is no such session. Of one that had limits and was not saved,
        or whose row was lost, the name and the settings are left.

        Raises `FileError` if it is not known whether a session of this name had limits."""
        return self._records.get(name) or self._limited.get(name)

    def state_file(self, name: str) -> Path:
        """The file with the cookies and storage of the session `name`. It need not exist."""
        return self._folder / STATES / f"{name}.json"

    # --- copies: what other daemons save of sessions, and what they get of this one ---

    def rows_of(self, name: str) -> tuple[RecordData | None, RecordData | None]:
        """A session's row in the index, and its row among those with limits; None if there is none."""
        row, limited = self._records.get(name), self._limited.rows.get(name)
        return record_data(row) if row else None, record_data(limited) if limited else None

    def adopt_rows(self, name: str, row: RecordData | None, limited: RecordData | None) -> None:
        """Take over the rows of a session that another host has saved, in the place of those here. Damaged ones are
        logged and left out."""
        self._records.pop(name, None)
        if (record := _adopted_record(name, row)) is not None:
            self._records[name] = record
        self._limited.adopt(name, _adopted_record(name, limited))

    def adopt_state(self, name: str, content: bytes | None) -> None:
        """Take over a session's state; None if none was saved. Blocks. Raises `FileError`."""
        file = self.state_file(name)
        try:
            if content is None:
                file.unlink(missing_ok=True)
            else:
                write_private(file, content.decode())
        except (OSError, ConfigurationError) as error:
            raise FileError(f"can't save the session {name} in {file}: {error}") from error

    # --- running sessions ---

    def start_autosave(self, session: Session, settings: Mapping[str, Any], started: str) -> None:
        """Save this session from now on, unless it is ephemeral. If it was saved before, restore it when its browser
        starts. Limits of its own are on disk when this returns, also those of an ephemeral session.

        `settings` are those in which it differs from the host, `started` is in UTC (ISO 8601)."""
        if settings and session.options.limited:
            self._limited.add(session, settings, started)
            self.on_changed(session.name, False)
        from oryn.sessions.persistence.autosave import SessionAutosaver

        if not session.options.ephemeral:
            self._autosavers[session.name] = SessionAutosaver(
                self, session, settings, started, self._records.get(session.name)
            )

    async def stop_autosave(self, name: str) -> None:
        """Stop saving a session that is about to close. Its saved row stays, unless its browser was never started."""
        if autosaver := self._autosavers.pop(name, None):
            if autosaver.is_new:
                self._drop(name)
            await autosaver.stop()

    async def finish_autosave(self, name: str) -> None:
        """Save a session that is about to close as it is now."""
        if (autosaver := self._autosavers.get(name)) is not None:
            await autosaver.finish()

    async def forget(self, name: str) -> None:
        """Delete everything that was saved of a session, which closes or is dormant.

        Raises `FileError` if its file can't be removed."""
        self._drop(name)  # before the first await: another session of this name may open at once
        self._limited.discard(name)
        await self.stop_autosave(name)
        if other := self._autosavers.get(name):
            other.rewrite()
        else:
            self._drop(name)  # a write in progress may have added it again
        try:
            self.state_file(name).unlink(missing_ok=True)
        except OSError as error:
            raise FileError(f"can't remove {self.state_file(name)}: {error.strerror}") from error
        finally:
            self.on_changed(name, True)
            await self._write_index()

    def _drop(self, name: str) -> None:
        self._records.pop(name, None)
        if name in self._persisted and self._append(journal_line(name, CLOSED)):
            del self._persisted[name]
        self.on_changed(name, False)

    async def close(self) -> None:
        """Save every session as it is now, as the host ends."""
        autosavers = list(self._autosavers.values())
        self._autosavers.clear()
        await asyncio.gather(*(each.finish() for each in autosavers))
        if self._journal.is_open:
            await self._write_index()
            if encode_index(each.replace(updated_at=0.0) for each in self._records.values()) == self._written:
                self._remove_journal()

    # --- writing ---

    def record(self, row: SessionRecord) -> None:
        """Replace a session's row; it is on disk when this returns. Never raises: a failed write is retried with the
        next row."""
        self._records[row.name] = row
        data, persisted = record_data(row), self._persisted.get(row.name, {})
        changed = {key: value for key, value in data.items() if key not in persisted or persisted[key] != value}
        if changed.keys() - {"updated_at"}:
            if self._append(journal_line(row.name, changed)):
                self._persisted[row.name] = data
            self.on_changed(row.name, False)

    def _append(self, text: bytes) -> bool:
        try:
            self._journal.append(text)
        except (OSError, ConfigurationError) as error:
            self.warn_once(self._journal.file, f"sessions can't be saved in {self._journal.file}: {error}")
            return False
        self._warnings.pop(self._journal.file, None)
        return True

    async def save(self, row: SessionRecord) -> None:
        """Replace a session's row, also in the index. Never raises: a failed write is retried with the next row."""
        self.record(row)
        await self._write_index()

    async def _write_index(self) -> None:
        async with self._writing:
            # `behind` holds for a moment only, and the journal has it.
            rows = [each.replace(behind=False) for each in self._records.values()]
            content = encode_index(
                each.replace(updated_at=0.0) for each in rows
            )  # a new time alone is no reason to write
            if content == self._written and self._journal.size < MAX_JOURNAL_BYTES:
                return
            size, persisted = self._journal.size, {each.name: record_data(each) for each in rows}
            if await self.write(self._folder / INDEX, encode_index(rows)):
                self._written = content
                self._truncate_journal(size, persisted)

    def _truncate_journal(self, size: int, persisted: dict[str, RecordData]) -> None:
        """Remove the first `size` bytes of the journal, which the index (`persisted`) has now. A failure does
        no harm."""
        try:
            if self._journal.size == size:
                self._persisted = persisted
            self._journal.discard(size)
        except OSError as error:
            self.warn_once(self._journal.file, f"{self._journal.file} can't be made shorter: {error}")
            return
        for row in self._records.values():
            if row.behind and self._append(journal_line(row.name, {"behind": True})):
                self._persisted[row.name] = self._persisted.get(row.name, {}) | {"behind": True}

    def _remove_journal(self) -> None:
        try:
            self._journal.remove()
        except OSError as error:
            self.warn_once(self._journal.file, f"can't remove {self._journal.file}: {error}")

    async def write(self, file: Path, text: str) -> bool:
        """Replace a file; return whether that succeeded. A failure is logged once."""
        try:
            await asyncio.to_thread(write_private, file, text)
        except (OSError, ConfigurationError) as error:
            self.warn_once(file, f"sessions can't be saved in {file}: {error}")
            return False
        self._warnings.pop(file, None)
        if file.parent.name == STATES:
            self.on_changed(file.stem, True)
        return True

    def warn_once(self, file: Path, what: str) -> None:
        """Log a problem with a file, unless it was the last one that was logged for it."""
        if self._warnings.get(file) != what:
            log.warning("%s", what)
            self._warnings[file] = what

    def set_aside(self, file: Path, why: str) -> None:
        """Rename a damaged file, so that it is not overwritten, and log why."""
        set_aside(file, why)

    # --- reading ---

    def _load(self) -> list[SessionRecord]:
        """Read what an earlier host has saved, and merge the journal into the index. A damaged file is set aside; its
        valid rows are used."""
        for draft in _stale_drafts(self._folder):
            _remove(draft)
        index = self._folder / INDEX
        now = replay_journal(_read_index(index), _read_journal(self._journal))
        found, wrong = parse_records(now.rows)
        if wrong:
            set_aside(index, "; ".join(wrong))
        if self._journal.file.exists():
            self._compact(found, now)
        return found

    def _compact(self, found: list[SessionRecord], now: JournalReplay) -> None:
        """Write the journal's changes into the index, and remove the journal."""
        index = self._folder / INDEX
        try:
            for name in now.closed:
                self.state_file(name).unlink(missing_ok=True)
            write_private(index, encode_index(found))
            if now.wrong:
                set_aside(self._journal.file, "; ".join(now.wrong))
            self._journal.remove()
        except (OSError, ConfigurationError) as error:  # the journal still has the changes
            self.warn_once(index, f"sessions can't be saved in {index}: {error}")


def _adopted_record(name: str, row: RecordData | None) -> SessionRecord | None:
    """Parse a row of another host; None for a damaged one, which is logged."""
    found, wrong = parse_records({} if row is None else {name: row})
    if wrong:
        log.error("the session %s can't be taken over: %s", name, "; ".join(wrong))
    return found[0] if found else None


def _read_index(index: Path) -> dict[str, RecordData]:
    try:
        return parse_index(index.read_text("utf-8"))
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as error:
        set_aside(index, str(error))
    except FileError as error:
        set_aside(index, error.message)
    return {}


def _read_journal(journal: SessionJournal) -> str:
    try:
        return journal.text()
    except OSError as error:
        set_aside(journal.file, str(error))
        return ""


def read_saved_sessions(folder: Path) -> list[SessionRecord]:
    """The sessions that the next host of `folder` restores; no file is changed.

    Raises `FileError`, `OSError` if they can't be read."""
    try:
        rows = parse_index((folder / INDEX).read_bytes().decode(errors="replace"))
    except FileNotFoundError:
        rows = {}
    added = ""
    with suppress(OSError):
        added = SessionJournal(folder / JOURNAL).text()
    found = parse_records(replay_journal(rows, added).rows)[0]
    limited = LimitedSessions(folder / LIMITS).rows
    return [*found, *(limited[name] for name in limited.keys() - {each.name for each in found})]


def _stale_drafts(folder: Path) -> Iterator[Path]:
    """Files that a host was writing when it died."""
    for draft in (*folder.glob(".sessions.*"), *(folder / STATES).glob(".*.json.*")):
        owner = draft.name.rpartition(".")[2]
        if owner.isdigit() and int(owner) != os.getpid():
            yield draft


def _remove(draft: Path) -> None:
    try:
        draft.unlink()
    except OSError as error:
        log.warning("can't remove %s: %s", draft, error.strerror)


def set_aside(file: Path, why: str) -> Path | None:
    """Rename a damaged file, so that it is not overwritten. Returns its new path, or None if it could not be
    renamed."""
    number = 1
    while (damaged := file.with_name(f"{file.name}.damaged-{number}")).exists():
        number += 1
    try:
        file.rename(damaged)
    except FileNotFoundError:
        return None
    except OSError as error:
        log.warning("the saved data in %s can't be used (%s), nor be set aside: %s", file, why, error)
        return None
    log.warning("the saved data in %s can't be used and is now %s: %s", file, damaged.name, why)
    return damaged
