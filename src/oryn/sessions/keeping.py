"""`Keeper`: a host's sessions on disk, so that they outlive it (seed 004, Session restore).

`sessions.json` says which there are, `sessions.journal` what has changed of that a moment ago, `sessions/<name>.json`
what cookies and storage one has. All are for the owner alone; but for the journal, which is added to, each is written
whole. What can't be written is said in the log, and what was kept before stays.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.errors import ConfigurationError, FileError
from oryn.paths import write_private
from oryn.sessions.journal import Journal
from oryn.sessions.kept import CLOSED, Kept, Replayed, Row, encode, kept_in, line, replayed, row_of, rows_in

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.sessions.attending import Attending

log = logging.getLogger(__name__)

INDEX, JOURNAL, STATES = "sessions.json", "sessions.journal", "sessions"
LONGEST_JOURNAL = 100_000
"""Bytes, more than which it has for a moment only."""


class Keeper:
    """What a host keeps of its sessions in `folder`, which no other host may have. `profiles` is the folder of
    profiles."""

    def __init__(self, folder: Path, profiles: Path) -> None:
        self._folder = folder
        self.profiles = profiles
        self._journal = Journal(folder / JOURNAL)
        self._complaints: dict[Path, str] = {}
        self._kept: dict[str, Kept] = {each.name: each for each in self._found()}
        self._said: dict[str, Row] = {name: row_of(kept) for name, kept in self._kept.items()}
        """What is on disk of each session, in the index and the journal together."""
        self._attended: dict[str, Attending] = {}
        self.fatal: set[str] = set()
        """The sessions whose browser died while their pages were loaded again: next time, none is."""
        self._written = ""
        self._writing = asyncio.Lock()

    # --- which there are ---

    @property
    def names(self) -> list[str]:
        """Of the sessions that are kept, those that were opened first first."""
        return sorted(self._kept, key=lambda name: (self._kept[name].started, name))

    def get(self, name: str) -> Kept | None:
        return self._kept.get(name)

    def state_file(self, name: str) -> Path:
        return self._folder / STATES / f"{name}.json"

    # --- sessions that run ---

    def attend(self, session: Session, settings: Mapping[str, Any], started: str) -> None:
        """A session of this host has opened, which differs from it in `settings`. One that is kept is brought back when
        its browser starts. One that is to leave nothing is not looked at."""
        from oryn.sessions.attending import Attending

        if not session.options.ephemeral:
            self._attended[session.name] = Attending(self, session, settings, started, self._kept.get(session.name))

    async def leave(self, name: str) -> None:
        """A session is about to close. What was kept of it stays, unless it was about to begin."""
        if attending := self._attended.pop(name, None):
            if attending.is_new:
                self._drop(name)
            await attending.stop()

    async def forget(self, name: str) -> None:
        """Keep nothing more of a session, which closes or is dormant. Raises `FileError` where its file can't be
        removed."""
        self._drop(name)  # before anything is waited for: another of this name may open at once
        await self.leave(name)
        if other := self._attended.get(name):
            other.write_anew()
        else:
            self._drop(name)  # what was just being written is none of it any more
        try:
            self.state_file(name).unlink(missing_ok=True)
        except OSError as error:
            raise FileError(f"can't remove {self.state_file(name)}: {error.strerror}") from error
        finally:
            await self._write_index()

    def _drop(self, name: str) -> None:
        self._kept.pop(name, None)
        if name in self._said and self._add(line(name, CLOSED)):
            del self._said[name]

    async def close(self) -> None:
        """The host ends: keep every session as it is now."""
        attended = list(self._attended.values())
        self._attended.clear()
        await asyncio.gather(*(each.finish() for each in attended))
        if self._journal.is_open:
            await self._write_index()
            if encode(each.replace(updated_at=0.0) for each in self._kept.values()) == self._written:
                self._remove_journal()

    # --- writing ---

    def note(self, kept: Kept) -> None:
        """Replace a session's row, on disk before this returns. Raises nothing: what can't be written is with the next
        one."""
        self._kept[kept.name] = kept
        row, said = row_of(kept), self._said.get(kept.name, {})
        changed = {member: value for member, value in row.items() if member not in said or said[member] != value}
        if changed.keys() - {"updated_at"} and self._add(line(kept.name, changed)):
            self._said[kept.name] = row

    def _add(self, text: bytes) -> bool:
        try:
            self._journal.add(text)
        except (OSError, ConfigurationError) as error:
            self.complain(self._journal.file, f"sessions can't be kept in {self._journal.file}: {error}")
            return False
        self._complaints.pop(self._journal.file, None)
        return True

    async def put(self, kept: Kept) -> None:
        """Replace a session's row, in the index too. Raises nothing: the row is written with the next one otherwise."""
        self.note(kept)
        await self._write_index()

    async def _write_index(self) -> None:
        async with self._writing:
            # Who is behind is so for a moment, and in the journal.
            rows = [each.replace(behind=False) for each in self._kept.values()]
            content = encode(each.replace(updated_at=0.0) for each in rows)  # the time alone is no reason to write
            if content == self._written and self._journal.size < LONGEST_JOURNAL:
                return
            size, said = self._journal.size, {each.name: row_of(each) for each in rows}
            if await self.write(self._folder / INDEX, encode(rows)):
                self._written = content
                self._cut(size, said)

    def _cut(self, size: int, said: dict[str, Row]) -> None:
        """The index has what the first `size` bytes of the journal say, and maybe more. Lines from before that stay are
        no harm."""
        try:
            if self._journal.size == size:
                self._said = said
            self._journal.cut(size)
        except OSError as error:
            self.complain(self._journal.file, f"{self._journal.file} can't be made shorter: {error}")
            return
        for kept in self._kept.values():
            if kept.behind and self._add(line(kept.name, {"behind": True})):
                self._said[kept.name] = self._said.get(kept.name, {}) | {"behind": True}

    def _remove_journal(self) -> None:
        try:
            self._journal.remove()
        except OSError as error:
            self.complain(self._journal.file, f"can't remove {self._journal.file}: {error}")

    async def write(self, file: Path, text: str) -> bool:
        """Whether it could be; if not, the log says why, once."""
        try:
            await asyncio.to_thread(write_private, file, text)
        except (OSError, ConfigurationError) as error:
            self.complain(file, f"sessions can't be kept in {file}: {error}")
            return False
        self._complaints.pop(file, None)
        return True

    def complain(self, file: Path, what: str) -> None:
        """Say in the log what is the matter with a file, unless that was the last thing said of it."""
        if self._complaints.get(file) != what:
            log.warning("%s", what)
            self._complaints[file] = what

    # --- reading ---

    def _found(self) -> list[Kept]:
        """What an earlier host has left, in one file again. What is damaged is set aside, and what is right in it is
        still used."""
        for draft in _drafts(self._folder):
            _remove(draft)
        index = self._folder / INDEX
        now = replayed(_rows_of(index), _added(self._journal))
        found, wrong = kept_in(now.rows)
        if wrong:
            set_aside(index, "; ".join(wrong))
        if self._journal.file.exists():
            self._gather(found, now)
        return found

    def _gather(self, found: list[Kept], now: Replayed) -> None:
        """Write the index as the journal has it, which is needed no more."""
        index = self._folder / INDEX
        try:
            for name in now.closed:
                self.state_file(name).unlink(missing_ok=True)
            write_private(index, encode(found))
            if now.wrong:
                set_aside(self._journal.file, "; ".join(now.wrong))
            self._journal.remove()
        except (OSError, ConfigurationError) as error:  # the journal still says it
            self.complain(index, f"sessions can't be kept in {index}: {error}")


def _rows_of(index: Path) -> dict[str, Row]:
    try:
        return rows_in(index.read_text("utf-8"))
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as error:
        set_aside(index, str(error))
    except FileError as error:
        set_aside(index, error.message)
    return {}


def _added(journal: Journal) -> str:
    try:
        return journal.text()
    except OSError as error:
        set_aside(journal.file, str(error))
        return ""


def listed(folder: Path) -> list[Kept]:
    """What the next host of `folder` brings back, for those who only look. Raises `FileError`, `OSError` where it can't
    be read."""
    try:
        rows = rows_in((folder / INDEX).read_bytes().decode(errors="replace"))
    except FileNotFoundError:
        rows = {}
    added = ""
    with suppress(OSError):
        added = Journal(folder / JOURNAL).text()
    return kept_in(replayed(rows, added).rows)[0]


def _drafts(folder: Path) -> Iterator[Path]:
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
    """Give a damaged file another name, where nothing replaces it. Its new place, or None where that failed."""
    number = 1
    while (place := file.with_name(f"{file.name}.damaged-{number}")).exists():
        number += 1
    try:
        file.rename(place)
    except FileNotFoundError:
        return None
    except OSError as error:
        log.warning("what is kept in %s can't be used (%s), nor be set aside: %s", file, why, error)
        return None
    log.warning("what is kept in %s can't be used and is now %s: %s", file, place.name, why)
    return place
