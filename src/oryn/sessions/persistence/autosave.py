"""`SessionAutosaver`: saves a running session to disk after commands, and restores it when its browser starts.

The tabs that an answer reports are saved before the answer is sent, from events alone: no page is queried. Cookies and
storage are read a moment later."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from oryn.core import text_safety
from oryn.engine.state.state_file import SavedState, decode_any, encode, encode_encrypted
from oryn.errors import FileError, NotSupported, OrynError, StateKeyWrong
from oryn.language import Check, Clear, Command, FillForm, Login, Run, Select, Type, Uncheck, Upload
from oryn.sessions.persistence.capture import SnapshotReader
from oryn.sessions.persistence.models import BLANK, SessionRecord, SessionSnapshot, snapshot_of, to_saved_state
from oryn.sessions.persistence.restore import loss_notes, restore_snapshot
from oryn.sessions.persistence.schedule import SaveSchedule

if TYPE_CHECKING:
    from oryn.engine import Session

log = logging.getLogger(__name__)

QUICK_READ_SECONDS = 0.4
"""Maximum seconds for reading the state after an answer."""
READ_SECONDS = 15.0
"""Maximum seconds for reading it again because a page did not answer in time."""
LAST_READ_SECONDS = 4.0
"""Maximum seconds for reading it when the host ends."""
MAX_STATE_BYTES = 64_000_000
"""Size of a session's state file above which it is not written."""
GENERATION_STEP = 1000
"""Added to the saved generation when a session is restored: more than it can have counted since it was saved."""
CLOSING_SECONDS = 1.0
"""Seconds after which a tab that closed by itself is removed from the saved row: a browser that ends closes its tabs
first."""

_INPUT_COMMANDS = (Type, Clear, Select, Check, Uncheck, Upload, FillForm, Login, Run)
"""Commands that enter something into a page, which loading its URL does not restore."""


class AutosaveStore(Protocol):
    """The storage of a `SessionAutosaver`: its interface to `oryn.sessions.persistence.store.SessionStore`."""

    profiles: Path
    """The folder of profiles."""
    crashed_on_load: set[str]
    """Names of the sessions whose browser crashed while their pages were loaded again."""

    def get(self, name: str) -> SessionRecord | None:
        """The saved row of a session; None if it was not saved."""

    def record(self, row: SessionRecord) -> None:
        """Replace a session's row; it is on disk when this returns. Never raises."""

    async def save(self, row: SessionRecord) -> None:
        """Replace a session's row, also in the index. Never raises."""

    def state_file(self, name: str) -> Path:
        """The file with the session's cookies and storage."""

    async def write(self, file: Path, text: str) -> bool:
        """Replace a file; return whether that succeeded."""

    def set_aside(self, file: Path, why: str) -> None:
        """Rename a damaged file, so that it is not overwritten."""

    def warn_once(self, file: Path, what: str) -> None:
        """Log a problem with a file, unless it was the last one that was logged for it."""


class SessionAutosaver:
    """Saves one session while it runs.

    `settings` are those in which it differs from the host, `started` is in UTC (ISO 8601). `saved` is its row from an
    earlier host, which is restored when the browser starts for the first time."""

    def __init__(
        self,
        store: AutosaveStore,
        session: Session,
        settings: Mapping[str, Any],
        started: str,
        saved: SessionRecord | None,
    ) -> None:
        self._store = store
        self._session = session
        self._settings = settings
        self._started = started
        self._saved_record = saved
        self._profile_gone = bool(saved and saved.profile and _is_profile_missing(store.profiles / saved.profile))
        self._reader = SnapshotReader()
        self._ready = False
        """Whether the browser has the session's whole state (it was restored), so that it may be saved."""
        self._has_started = False
        self._finishing = False
        """Whether the last read has begun, after which no other begins."""
        self._written: tuple[SessionSnapshot, tuple[int, ...]] | None = None
        """The state that was last written to the state file, and the tabs' identifiers in it."""
        self._entered: set[str] = set()
        """The documents that something was entered into."""
        self._dirty = False
        """Whether something may have changed since the last read began."""
        self._answered = False
        """Whether a command was answered since the last read began."""
        self._behind = False
        """Whether a command was answered that the state file does not have yet."""
        self._schedule = SaveSchedule()
        self._answered_at = time.monotonic()
        self._closing: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._write_task: asyncio.Task[None] | None = None
        session.startup.restore = self._restore
        if session.browser.source is not None:
            session.browser.source.holder = self
            if saved is not None and saved.placement is not None:
                session.browser.source.replace(saved.placement)
        session.on_answer = self._on_answered
        if saved is not None and saved.notes:
            session.person_notes.restore(saved.notes)
        session.on_notes_changed.append(self._on_noted)
        session.browser.on_tabs_changed(self._on_moved)

    @property
    def is_new(self) -> bool:
        """Whether its browser was never started, in this host or an earlier one. If so, nothing is saved when it
        closes."""
        return self._saved_record is None and not self._has_started

    # --- tabs, saved at once ---

    def _on_answered(self, command: Command | None) -> None:
        """Write the tabs that an answer reports before it is sent, and schedule saving the rest."""
        if isinstance(command, _INPUT_COMMANDS):
            with suppress(OrynError):  # the page no longer exists
                self._entered.add(self._session.page.document)
        if self.is_new:
            self._store.record(self._record())
        if self._is_complete():
            self._behind = True
            self._record_tabs(counted=True)
        self._dirty = self._answered = True
        self._answered_at = time.monotonic()
        self._schedule.on_answered()
        self._ensure_running()

    def _on_noted(self) -> None:
        """Save the notes of a person, as they have changed."""
        if self._ready:
            self._store.record(self._record())

    def _on_moved(self) -> None:
        """Save the tabs, as one was opened or closed, or its URL has changed."""
        if not self._is_complete() or not self._record_tabs(counted=False):
            return
        self._dirty = True
        self._schedule.on_moved()
        self._ensure_running()

    def _record_tabs(self, *, counted: bool) -> bool:
        """Write the tabs and their URLs, from events alone, once the browser has the whole state; return whether they
        are known.

        `counted`: a command has just ended. Without it, a tab that has closed stays in the row for a moment."""
        browser = self._session.browser
        if not browser.is_external:
            try:
                rows = browser.open_tabs()
            except NotSupported:  # the next read has them
                return False
            if not rows:  # another tab is about to open
                return False
            self._reader.update_tabs(rows, stay=not counted)
            if self._reader.has_missing(rows) and self._closing is None:
                self._closing = asyncio.get_running_loop().call_later(CLOSING_SECONDS, self._on_tab_closed)
        self._store.record(self._record(counted=counted))
        return True

    def _on_tab_closed(self) -> None:
        self._closing = None
        if self._is_complete() and (rows := self._session.browser.open_tabs()):
            self._reader.update_tabs(rows)
            self._store.record(self._record())

    def _is_complete(self) -> bool:
        startup = self._session.startup
        at_home = startup.suspended_browser is None  # else another browser temporarily replaces its own
        return self._ready and at_home and startup.has_started and not startup.browser.lost

    def _record(self, *, counted: bool = False) -> SessionRecord:
        """The session's row. `counted`: a document that has appeared since the last command gets a new generation."""
        session, reader = self._session, self._reader
        browser = session.browser
        info = browser.info
        return SessionRecord(
            session.name,
            browser.mode,
            info.profile,
            info.headful,
            dict(self._settings),
            self._started,
            reader.urls,
            reader.current,
            session.generation if counted else session.element_index.generation,
            time.time(),
            session.secrets.names if session.knows_secrets else (),
            reader.ids,
            self._entered_tabs() if self._entered else (),
            reader.unrestorable_urls,
            self._behind,
            None if browser.source is None else browser.source.placement,
            tuple(session.mask_data(session.person_notes.saved())) if session.has_person_notes else (),
            session.owner,
        )

    def _entered_tabs(self) -> tuple[int, ...]:
        """The positions of the tabs that still show a document something was entered into."""
        documents: dict[int, str] = {}
        for number in self._reader.numbers:
            with suppress(OrynError):
                documents[number] = self._session.browser.page_of(number).document
        self._entered &= set(documents.values())
        return tuple(
            position for position, number in enumerate(self._reader.numbers) if documents.get(number) in self._entered
        )

    # --- cookies and storage, saved shortly after ---

    def _ensure_running(self) -> None:
        if not self._finishing and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run())

    def rewrite(self) -> None:
        """Write the state file again, as it was deleted with a closed session of this name."""
        self._written = None
        self._dirty = True
        self._schedule.on_answered()
        self._ensure_running()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._dirty:
            await self._schedule.wait_until_due(lambda: self._session.is_busy)
            self._dirty = False
            started = loop.time()
            await self._save(QUICK_READ_SECONDS)
            self._schedule.record_duration(loop.time() - started, self._reader.size)
            if not self._reader.is_complete and not self._dirty:
                await self._schedule.run_unless_answered(self._save(READ_SECONDS))

    async def _save(self, limit: float) -> None:
        """Read the session's state, for at most `limit` seconds, and write what has changed."""
        if not self._is_complete():
            return
        self._answered = False
        try:
            async with asyncio.timeout(max(limit, LAST_READ_SECONDS)):
                browser = self._session.browser
                snapshot = SessionSnapshot() if browser.is_external else await self._reader.refresh(browser, limit)
        except (OrynError, TimeoutError) as error:
            log.info("the session %s can't be saved now: %s", self._session.name, error)
            return
        if self._write_task is not None:  # of a read that was cancelled: the later state must be written last
            await asyncio.wait([self._write_task])
        if self._is_complete():
            # A started write is not cancelled: the files would then be of different moments.
            self._write_task = asyncio.create_task(self._write(snapshot, self._reader.ids))
            await asyncio.shield(self._write_task)

    async def _write(self, snapshot: SessionSnapshot, ids: tuple[int, ...]) -> None:
        await self._store.save(self._record(counted=True))
        written = snapshot, ids
        if written == self._written or self._session.browser.is_external or await self._write_state(snapshot, ids):
            self._written = written
            self._behind = self._answered or not self._reader.is_complete
            if self._is_complete():
                self._store.record(self._record(counted=True))

    async def _write_state(self, snapshot: SessionSnapshot, ids: tuple[int, ...]) -> bool:
        """Replace the state file; return whether that succeeded."""
        session = self._session
        encryption = session.state_encryption() if session.state_encryption else None
        state = to_saved_state(snapshot, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), ids)
        file = self._store.state_file(session.name)
        try:
            content = (
                await encode_encrypted(state, encryption)
                if encryption and encryption.on
                else await asyncio.to_thread(encode, state)
            )
        except StateKeyWrong as error:
            self._store.warn_once(file, f"the session {session.name} can't be saved: {error}")
            return False
        if len(content) > MAX_STATE_BYTES:
            self._store.warn_once(file, f"the session {session.name} is too large to save: {len(content)} bytes")
            return False
        return await self._store.write(file, content.decode())

    async def stop(self) -> None:
        """Stop saving. A write that is in progress is finished."""
        self._session.startup.restore = self._session.on_answer = None
        self._ready = False
        if self._closing is not None:
            self._closing.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._write_task is not None:
            await asyncio.wait([self._write_task])

    async def finish(self) -> None:
        """Save the session as it is now, and stop saving."""
        self._finishing = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._dirty = False
        await self._save(LAST_READ_SECONDS)
        await self.stop()

    # --- giving the browser back ---

    def idle_seconds(self) -> float | None:
        """Seconds since the last command; None while one runs, or while there is no browser to give back."""
        if self._session.is_busy or not self._is_complete():
            return None
        return time.monotonic() - self._answered_at

    async def release(self, reason: str) -> bool:
        """Save the session and end its browser, which the next command opens again; whether it did. Waits for a command
        that runs."""
        session = self._session
        async with session.command_lock:
            if self._finishing or not self._is_complete():
                return False
            self._dirty = False
            await self._save(LAST_READ_SECONDS)
            self._ready = False
            await session.startup.end_browser(reason)
            if (row := self._store.get(session.name)) is not None:
                self._store.record(row.replace(placement=None))
        return True

    # --- restoring ---

    async def _restore(self) -> None:
        """Restore the session after its browser was started, for the first time or again after a crash.

        Raises `StateKeyWrong`; `VaultKeyWrong` if the secrets that must be masked can't be read; and the browser's
        error if it crashes again."""
        self._ready = False
        saved, session = self._saved_record, self._session
        if session.browser.resumed and saved is None and self._has_started:
            self._resume()
            return
        if session.browser.is_external:
            await self._resume_external(saved)
            return
        if saved is None and not self._has_started:
            self._begin()
            return
        missing: list[str] = []
        if saved is not None:
            session.element_index.generation = max(session.element_index.generation, saved.generation + GENERATION_STEP)
            self._reader.load(snapshot_of(saved, await self._load_state(saved, missing)), ids=saved.ids)
            if saved.secrets:
                await session.secrets.hide(saved.secrets)
        last = saved or self._store.get(session.name)
        snapshot, ids = self._reader.snapshot, self._reader.ids
        session.frame = None
        session.element_index.forget()
        fill = saved is not None and saved.profile is not None and not self._profile_gone
        load = session.name not in self._store.crashed_on_load
        self._store.crashed_on_load.discard(session.name)
        try:
            restored = await restore_snapshot(session, snapshot, fill=fill, load=load)
        except OrynError:
            if session.browser.lost:
                self._store.crashed_on_load.add(session.name)
            raise
        self._reader.load(snapshot, restored.numbers, ids, loaded=load)
        self._begin()
        if last is not None:
            missing += loss_notes(last, restored.numbers, stored=not missing)
        session.pending_notes += [self._restore_notice(saved is None, load), *missing, *restored.notes]

    def _begin(self) -> None:
        """Start saving the browser's state; the session's row is written at once."""
        self._saved_record, self._has_started, self._ready = None, True, True
        self._entered.clear()
        browser = self._session.browser
        if not browser.is_external:
            try:
                self._reader.update_tabs(browser.open_tabs())
            except NotSupported:  # the next read has them
                return
        self._store.record(self._record())

    def _resume(self) -> None:
        """Continue after the connection to the browser was lost, with the pages as they are."""
        session = self._session
        session.frame = None
        session.element_index.forget()
        self._ready = True
        with suppress(NotSupported):
            self._reader.update_tabs(session.browser.open_tabs())
        self._store.record(self._record())
        session.pending_notes.append(
            "the connection to the browser was lost, and is there again: its pages are as they were; "
            "element numbers and @e references from before are no longer valid"
        )

    async def _resume_external(self, saved: SessionRecord | None) -> None:
        """Continue in a browser that the host does not start, where nothing is restored.

        The row is written at once, so that no other session gets its name."""
        if saved is not None:
            self._session.element_index.generation = max(
                self._session.element_index.generation, saved.generation + GENERATION_STEP
            )
            self._session.pending_notes.append(
                "the session continues in the browser's current state; element numbers from before are no longer valid"
            )
        self._begin()
        await self._store.save(self._record())

    def _restore_notice(self, died: bool, load: bool) -> str:
        session, snapshot = self._session, self._reader.snapshot
        url, tabs = session.page.url, len(snapshot.tabs)
        place = "without a page" if url == BLANK else f"at {text_safety.url(url)}"
        if tabs > 1:
            place += f", one of {tabs} tabs"
        if not load:
            place += ", because the browser crashed on the pages it showed before"
        reason, session.startup.end_reason = session.startup.end_reason, None
        cause = f"{reason}: " if reason else "the browser died: " if died else ""
        outdated = "element numbers and @e references from before are no longer valid"
        return f"{cause}session restored {place}; {outdated}"

    async def _load_state(self, saved: SessionRecord, missing: list[str]) -> SavedState | None:
        """Read the state file; a damaged one is set aside. Raises `StateKeyWrong`."""
        session, file = self._session, self._store.state_file(saved.name)
        if self._profile_gone:
            missing.append(
                f"the profile {saved.profile} no longer exists: a new one has the saved state of the session"
            )
        try:
            content = await asyncio.to_thread(file.read_bytes)
            return await decode_any(content, session.state_encryption() if session.state_encryption else None)
        except StateKeyWrong:
            raise
        except FileNotFoundError:
            if saved.tabs:  # else no browser was started that could have had any
                missing.append("its cookies and storage were not saved")
        except (FileError, OSError) as error:
            self._store.set_aside(file, str(error))
            missing.append("its cookies and storage are lost: their file is damaged")
        return None


def _is_profile_missing(folder: Path) -> bool:
    """Whether the profile is missing or empty."""
    try:
        return not any(folder.iterdir())
    except OSError:
        return True
