"""`Keeper`: a host's sessions on disk, so that they outlive it (seed 004, Session restore).

`sessions.json` says which there are, `sessions/<name>.json` what cookies and storage one has. Both are written whole,
for the owner alone. What can't be written is said in the log, and what was kept before stays.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.errors import ConfigurationError, FileError
from oryn.paths import write_private
from oryn.sessions.kept import Kept, decode, encode

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.sessions.attending import Attending

log = logging.getLogger(__name__)

INDEX, STATES = "sessions.json", "sessions"


class Keeper:
    """What a host keeps of its sessions in `folder`, which no other host may have. `profiles` is the folder of
    profiles."""

    def __init__(self, folder: Path, profiles: Path) -> None:
        self._folder = folder
        self.profiles = profiles
        self._kept: dict[str, Kept] = {each.name: each for each in _read(folder / INDEX)}
        self._attended: dict[str, Attending] = {}
        self.fatal: set[str] = set()
        """The sessions whose browser died while their pages were loaded again: next time, none is."""
        self._written = ""
        self._writing = asyncio.Lock()
        self._complained = ""

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

    def touched(self, name: str) -> None:
        """A command has run in a session: keep what it has changed, soon."""
        if attending := self._attended.get(name):
            attending.touch()

    async def leave(self, name: str) -> None:
        """A session is about to close. What was kept of it stays."""
        if attending := self._attended.pop(name, None):
            await attending.stop()

    async def forget(self, name: str) -> None:
        """Keep nothing more of a session, which closes or is dormant. Raises `FileError` where its file can't be
        removed."""
        self._kept.pop(name, None)  # before anything is waited for: another of this name may open at once
        await self.leave(name)
        if name in self._attended:
            return
        self._kept.pop(name, None)  # what was just being written is none of it any more
        try:
            self.state_file(name).unlink(missing_ok=True)
        except OSError as error:
            raise FileError(f"can't remove {self.state_file(name)}: {error.strerror}") from error
        finally:
            await self._write_index()

    async def close(self) -> None:
        """The host ends: keep every session as it is now."""
        attended = list(self._attended.values())
        self._attended.clear()
        await asyncio.gather(*(each.finish() for each in attended))

    # --- writing ---

    async def put(self, kept: Kept) -> None:
        """Replace a session's row. Raises nothing: the row is written with the next one otherwise."""
        self._kept[kept.name] = kept
        await self._write_index()

    async def _write_index(self) -> None:
        async with self._writing:
            # The time alone is no reason to write.
            content = encode(each.replace(updated_at=0.0) for each in self._kept.values())
            if content != self._written and await self.write(self._folder / INDEX, encode(self._kept.values())):
                self._written = content

    async def write(self, file: Path, text: str) -> bool:
        """Whether it could be; if not, the log says why, once."""
        try:
            await asyncio.to_thread(write_private, file, text)
        except (OSError, ConfigurationError) as error:
            self.complain(f"sessions can't be kept in {file}: {error}")
            return False
        self._complained = ""
        return True

    def complain(self, what: str) -> None:
        if what != self._complained:
            log.warning("%s", what)
            self._complained = what


# --- reading ---


def _read(file: Path) -> list[Kept]:
    """What is kept; a file that is damaged is set aside, and what is right in it is still used."""
    try:
        text = file.read_text("utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        set_aside(file, str(error))
        return []
    try:
        found, wrong = decode(text)
    except FileError as error:
        set_aside(file, error.message)
        return []
    if wrong:
        set_aside(file, "; ".join(wrong))
    return found


def set_aside(file: Path, why: str) -> Path | None:
    """Give a damaged file another name, where nothing replaces it. Its new place, or None where that failed."""
    number = 1
    while (place := file.with_name(f"{file.name}.damaged-{number}")).exists():
        number += 1
    try:
        file.rename(place)
    except OSError as error:
        log.warning("what is kept in %s can't be used (%s), nor be set aside: %s", file, why, error)
        return None
    log.warning("what is kept in %s can't be used and is now %s: %s", file, place.name, why)
    return place
