"""`ClusterMember`: one daemon among those with the same records (docs/spec/records.md#leases).

A session runs in one daemon, which has its lease. Every `HEARTBEAT_SECONDS` a daemon renews its leases and reads what
others have changed. What a session saves is written to this daemon's files, and copied from there into the database:
before a command is answered, if the database is reachable.

Statements run in threads and can't be cancelled there. So nothing that was sent is given up: what is answered when
nobody waits for it any more still counts, a heartbeat from the moment on at which it was sent."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import time
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from socket import gethostname
from typing import TYPE_CHECKING, Any, TypeVar

from oryn import __version__
from oryn.core.records import Record
from oryn.daemon.protocol import SharingDaemon
from oryn.errors import ConfigurationError, OrynError, RecordsUnavailable, SessionMoved
from oryn.records import daemons, leases
from oryn.records import sessions as saved_sessions
from oryn.records.database import STATEMENT_SECONDS, THREADS
from oryn.records.leases import HEARTBEAT_LIMIT, HEARTBEAT_SECONDS, VALID_SECONDS, Lease
from oryn.records.sessions import SavedSession, SessionList
from oryn.system.paths import write_private

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from oryn.daemon.cluster.history import ClusterHistory
    from oryn.records.history import HistoryEntry
    from oryn.sessions.persistence.store import SessionStore
    from oryn.sessions.sessions import Sessions

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)

FLUSH_SECONDS = 2.0
"""How long an answer waits for the database."""
TAKEN = "records.taken"
"""The file that says that the saved sessions of the data folder are in the database."""
UNSAVED = "records.unsaved"
"""The file with the sessions that are not, while the database is away: a JSON object of the tokens of their leases."""


class _Right(Record):
    """A lease of this daemon, which uses it until a moment of `time.monotonic`."""

    token: str
    until: float


class _Beat(Record):
    """What a heartbeat has found: the tokens of this daemon's leases, the leases of all, the sessions."""

    tokens: Collection[str]
    held: Mapping[str, Lease]
    sessions: SessionList


class ClusterMember:
    """The leases of one daemon, and the copies of what it saves.

    * `name` is unique among the daemons. `folder` is that of its data.
    * `on_lost` is called with the names of sessions whose lease has lapsed, before they are closed here.
    * `status` returns what other daemons may know of this one.
    * `on_lapsed` is called with True when the database has been away for so long that no lease is sure any more, and
      with False when it answers again."""

    def __init__(
        self,
        sessions: Sessions,
        store: SessionStore,
        history: ClusterHistory,
        *,
        name: str,
        folder: Path,
        on_lost: Callable[[Collection[str]], object],
        status: Callable[[], Mapping[str, Any]],
        on_lapsed: Callable[[bool], object],
    ) -> None:
        self.name = name
        self.key = ""
        """The key of requests from daemon to daemon, known from `start` on."""
        self._database = history.database
        self._heartbeats = history.database.with_limit(HEARTBEAT_LIMIT)
        self._sessions = sessions
        self._store = store
        self._history = history
        self._folder = folder
        self._on_lost = on_lost
        self._status = status
        self._on_lapsed = on_lapsed
        self._instance = secrets.token_hex(16)
        self._rights: dict[str, _Right] = {}
        """The leases of this daemon, by the sessions' names."""
        self._others: Mapping[str, Lease] = {}
        """The leases of other daemons at the last heartbeat."""
        self._last_beat = 0.0
        """When the last heartbeat that was answered was sent (`time.monotonic`)."""
        self._lapse: asyncio.TimerHandle | None = None
        self._version = 0
        self._dirty: dict[str, bool] = {}
        """The sessions to be copied; True if their state is to be copied too."""
        self._copying = asyncio.Lock()
        self._acquiring: dict[str, asyncio.Task[Lease | None]] = {}
        self._beats: set[asyncio.Task[None]] = set()
        self._copies: set[asyncio.Task[None]] = set()
        self._giving_back: asyncio.Task[None] | None = None
        self._claims: dict[str, int] = {}
        """How many commands need a session now."""
        self._away: OrynError | None = None
        """Why the database can't be used."""
        self._address = ""
        self._unsaved: Mapping[str, str] = {}
        """What the file `UNSAVED` has."""
        self._beating: asyncio.Task[None] | None = None
        store.on_changed = self._on_changed
        sessions.holder_elsewhere = self.holder_elsewhere

    # --- life ---

    async def start(self, address: str) -> None:
        """Register this daemon, which others reach at `address`, and read the sessions of all.

        Raises `RecordsUnavailable`; `ConfigurationError` if another daemon has the name."""

        self._address = address
        unsaved = self._unsaved = self._read_unsaved()

        def begin(connection: Connection) -> tuple[str, SessionList, Collection[str]]:
            newest = leases.existing(connection, unsaved.values())
            self._register(connection)
            return daemons.relay_key(connection), saved_sessions.changes(connection, 0), newest

        sent = time.monotonic()
        self.key, listed, newest = await self._database.run(begin)
        self._last_beat = sent
        await self._take_over_files(listed, {name for name, token in unsaved.items() if token in newest})
        self._watch_lapse()
        self._beating = asyncio.create_task(self._beat())

    def _register(self, connection: Connection) -> None:
        """Add this daemon. Raises `ConfigurationError` if another one has the name."""
        daemons.register(
            connection,
            name=self.name,
            instance=self._instance,
            folder=sha256(f"{gethostname()}:{self._folder}".encode()).hexdigest()[:32],
            address=self._address,
            version=__version__,
            pid=os.getpid(),
        )

    async def _take_over_files(self, listed: SessionList, newer: Collection[str]) -> None:
        """Copy sessions that were saved before the daemon had records, and those of `newer`, which an earlier start has
        saved while the database was away. Others of a folder that was copied before are in the database, or were
        closed."""
        taken = self._folder / TAKEN
        for name in {*self._store.names, *newer}:
            if name not in newer:
                if name in listed.names or name in listed.limited:
                    continue
                if taken.exists():
                    self._store.adopt_rows(name, None, None)
                    continue
            if await self.claim(name, adopt=False) is None:
                self._dirty[name] = True
        self._adopt_list(listed)
        try:
            await self._copy()
        finally:
            self._write_unsaved()
        taken.touch(mode=0o600)

    def _read_unsaved(self) -> Mapping[str, str]:
        try:
            found = json.loads((self._folder / UNSAVED).read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            log.warning("what was saved while the database was away is not known: %s", error)
            return {}
        return {str(name): str(token) for name, token in found.items()} if isinstance(found, dict) else {}

    def _write_unsaved(self) -> None:
        """Note which sessions are not in the database, for the next start of this daemon."""
        unsaved = {name: self._rights[name].token for name in self._dirty if name in self._rights}
        if unsaved != self._unsaved:
            try:
                write_private(self._folder / UNSAVED, json.dumps(unsaved))
            except (OSError, ConfigurationError) as error:
                log.warning("can't note the sessions that are not in the database: %s", error)
                return
            self._unsaved = unsaved

    async def close(self) -> None:
        """Copy what is left and give the leases back. The sessions must be closed. Never raises."""
        if self._lapse is not None:
            self._lapse.cancel()
        ending = [task for task in (self._beating, self._giving_back, *self._beats, *self._acquiring.values()) if task]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        await self.flush()
        self._write_unsaved()
        with suppress(RecordsUnavailable, TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._database.run(partial(daemons.unregister, instance=self._instance))
        await asyncio.gather(*(asyncio.to_thread(each.close) for each in (self._heartbeats, self._database)))

    async def daemons(self) -> list[SharingDaemon]:
        """Every daemon with the same records. Raises `RecordsUnavailable`."""
        return [
            SharingDaemon(
                name=row.name,
                address=row.address,
                version=row.version,
                pid=row.pid,
                alive=row.is_alive,
                heartbeat_s=round(row.age, 1),
                **row.status,
            )
            for row in await self._database.run(daemons.daemons)
        ]

    # --- leases ---

    def holder_elsewhere(self, name: str) -> str | None:
        """The name of the other daemon that runs a session, as of the last heartbeat; None if none does."""
        found = self.lease_elsewhere(name)
        return found.holder if found else None

    def lease_elsewhere(self, name: str) -> Lease | None:
        """The lease of the other daemon that runs a session, as of the last heartbeat; None if none does."""
        return None if name in self._rights else self._others.get(name)

    def has_ended(self, lease: Lease, since: float) -> bool:
        """Whether a heartbeat that was sent after a moment of `time.monotonic` says that another daemon's lease has
        ended."""
        return self._last_beat > since and self.holder_elsewhere(lease.name) != lease.holder

    async def claim(self, name: str, *, adopt: bool = True) -> Lease | None:
        """Take the lease of a session, and what was saved of it last. Returns None if this daemon has it now, else
        the lease of the daemon that has it. Without `adopt`, what is in this daemon's files is newer.

        Raises `RecordsUnavailable` if the database is away and the lease is not surely this daemon's."""
        while True:
            right = self._rights.get(name)
            if right is not None and time.monotonic() < right.until:
                return None
            if self._away is not None:  # found out by a heartbeat, or by a claim before this one
                raise RecordsUnavailable(self._away.message, self._away.hint)
            if right is not None:  # this daemon was suspended
                await self._answer_of(_keep(self._beats, self._beat_once()))
                continue
            if name not in self._acquiring:
                self._acquiring[name] = asyncio.create_task(self._acquire(name, adopt=adopt))
                self._acquiring[name].add_done_callback(partial(self._acquired, name))
            if (lease := await self._answer_of(self._acquiring[name])) is not None:
                return lease

    async def _answer_of(self, task: asyncio.Task[Answer]) -> Answer:
        """What a task returns, which goes on if its caller does not wait for it any more. Raises `RecordsUnavailable`
        after `STATEMENT_SECONDS`; what the task raises."""
        if not (await asyncio.wait([task], timeout=STATEMENT_SECONDS))[0]:
            raise RecordsUnavailable(
                f"the records in {self._database.place} have not answered for {STATEMENT_SECONDS} s"
            )
        return task.result()

    def _acquired(self, name: str, task: asyncio.Task[Lease | None]) -> None:
        del self._acquiring[name]
        if not task.cancelled() and (error := task.exception()) and not isinstance(error, RecordsUnavailable):
            log.error("unexpected error while a lease was taken", exc_info=error)

    async def _acquire(self, name: str, *, adopt: bool) -> Lease | None:
        """Ask for a lease. Returns the lease of the daemon that has it, None if this one has it now."""
        work = partial(_acquire, name=name, holder=self.name, instance=self._instance)
        sent = time.monotonic()
        try:
            lease, saved = await self._database.run(work)
        except RecordsUnavailable as error:
            self._note_failure(sent, error)
            raise
        if lease.instance != self._instance:
            self._others = {**self._others, name: lease}
            return lease
        if adopt and self._sessions.get(name) is None:
            await self._adopt(name, saved)
        self._rights[name] = _Right(lease.token, sent + VALID_SECONDS)
        self._watch_lapse()
        return None

    async def require(self, names: Collection[str]) -> None:
        """Take the leases of sessions. Raises `SessionMoved` if another daemon has one, `RecordsUnavailable`."""
        for name in names:
            if lease := await self.claim(name):
                where = f"the daemon {lease.holder} at {lease.address}"
                raise SessionMoved(f"the session {name} is run by {where}")

    def begin(self, name: str) -> None:
        """Note that a command needs a session: its lease stays until `end`."""
        self._claims[name] = self._claims.get(name, 0) + 1

    def end(self, name: str) -> None:
        """Note that a command has ended."""
        self._claims[name] -= 1
        if not self._claims[name]:
            del self._claims[name]

    async def _adopt(self, name: str, saved: SavedSession) -> None:
        await asyncio.to_thread(self._store.adopt_state, name, saved.state)
        self._store.adopt_rows(name, _plain(saved.row), _plain(saved.limits))

    def _adopt_list(self, listed: SessionList) -> None:
        """Take over the rows of the sessions that this daemon does not run."""
        self._version = listed.version
        for name, row in listed.changed.items():
            if name not in self._rights:
                self._store.adopt_rows(name, _plain(row), _plain(listed.limited.get(name)))
        for name in set(self._store.names) - listed.names - listed.limited.keys():
            if name not in self._rights:
                self._store.adopt_rows(name, None, None)

    # --- heartbeat ---

    async def _beat(self) -> None:
        """Send a heartbeat each second, whether those before it are answered or not."""
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            if len(self._beats) < THREADS:  # else the database has been silent for longer than its limit
                _keep(self._beats, self._beat_once())

    async def _beat_once(self) -> None:
        sent = time.monotonic()
        try:
            await self._renew()
        except (RecordsUnavailable, ConfigurationError) as error:
            self._note_failure(sent, error)
        except Exception:
            log.exception("unexpected error in a heartbeat")

    async def _renew(self) -> None:
        """Renew the leases, and read what others have changed. Raises `RecordsUnavailable`; `ConfigurationError` if
        another daemon has taken the name of this one."""
        rights, status, version, sent = dict(self._rights), self._status(), self._version, time.monotonic()

        def beat(connection: Connection) -> _Beat:
            if not daemons.beat(connection, self._instance, status):
                self._register(connection)
            return _Beat(
                leases.renew(connection, [right.token for right in rights.values()]),
                leases.held(connection),
                saved_sessions.changes(connection, version),
            )

        found = await self._heartbeats.run(beat)
        if sent < self._last_beat:  # a later one was answered sooner
            return
        self._last_beat = sent
        self._others = {name: lease for name, lease in found.held.items() if lease.instance != self._instance}
        lost = []
        for name, right in rights.items():
            now = self._rights.get(name)
            if now is None or now.token != right.token:
                continue  # given back meanwhile
            if right.token in found.tokens:
                self._rights[name] = _Right(right.token, sent + VALID_SECONDS)
            else:
                lost.append(name)
        if lost:
            await self._lose(lost)
        self._adopt_list(found.sessions)
        if self._away is not None:
            self._away = None
            log.warning("the database answers again")
        self._watch_lapse()
        if self._dirty or self._history.unsent:
            self._start_copy()
        self._give_back_idle()

    def _watch_lapse(self) -> None:
        """Stop the commands of the sessions whose leases may be another's by now, and look again when the next ones
        may be."""
        if self._lapse is not None:
            self._lapse.cancel()
        now = time.monotonic()
        # A lease may have been taken after the last heartbeat that was answered.
        until = max((self._last_beat + VALID_SECONDS, *(right.until for right in self._rights.values())))
        if lapsed := [name for name, right in self._rights.items() if right.until <= now]:
            self._on_lost(lapsed)
        self._on_lapsed(until <= now)
        if ends := [each for each in (until, *(right.until for right in self._rights.values())) if each > now]:
            self._lapse = asyncio.get_running_loop().call_later(min(ends) - now, self._watch_lapse)

    async def _lose(self, names: Collection[str]) -> None:
        """Close sessions whose lease is another's."""
        log.warning("other daemons have taken %s over", ", ".join(sorted(names)))
        self._on_lost(names)
        for name in names:
            self._rights.pop(name, None)
            self._dirty.pop(name, None)
        await asyncio.gather(*(self._sessions.release(name) for name in names))

    def _give_back_idle(self) -> None:
        """Give the leases of sessions back that are not open any more, once all of them is copied."""
        if self._copies or (self._giving_back is not None and not self._giving_back.done()):
            return
        needed = {*self._claims, *self._dirty, *self._sessions.names}
        idle = [name for name in self._rights if name not in needed]
        if idle:
            self._giving_back = asyncio.create_task(self._give_back([self._rights.pop(name).token for name in idle]))

    async def _give_back(self, tokens: Collection[str]) -> None:
        with suppress(RecordsUnavailable):  # then they end by themselves
            await self._database.run(partial(leases.release, tokens=tokens))

    def _note_failure(self, sent: float, error: OrynError) -> None:
        """Note that the database can't be used, unless it has answered something that was sent later."""
        if sent >= self._last_beat:
            if self._away is None:
                log.warning("the database can't be used: %s", error)
            self._away = error
            self._write_unsaved()

    # --- copies ---

    def _on_changed(self, name: str, state: bool) -> None:
        if name in self._rights:
            self._dirty[name] = self._dirty.get(name, False) or state
            if self._away is not None:
                self._write_unsaved()
            elif not self._copies:
                self._start_copy()

    async def flush(self) -> None:
        """Wait until what was saved so far is in the database, if it answers. Never raises."""
        await asyncio.wait([self._start_copy()], timeout=FLUSH_SECONDS)

    def _start_copy(self) -> asyncio.Task[None]:
        """Copy what is to be copied, in a task that nobody cancels: of two copies, the older one must not end last."""
        return _keep(self._copies, self._copy_quietly())

    async def _copy_quietly(self) -> None:
        if self._away is not None:  # the next heartbeat that is answered copies
            return
        sent = time.monotonic()
        try:
            await self._copy()
        except RecordsUnavailable as error:
            self._note_failure(sent, error)
        except Exception:
            log.exception("unexpected error while sessions were copied")

    async def _copy(self) -> None:
        """Copy the sessions that have changed, and rows of the history. Raises `RecordsUnavailable`."""
        async with self._copying:
            while self._dirty or self._history.unsent:
                dirty, self._dirty = self._dirty, {}
                entries = self._history.unsent
                work = partial(
                    self._write,
                    rows={name: self._store.rows_of(name) for name in dirty},
                    dirty=dirty,
                    tokens={name: right.token for name, right in self._rights.items()},
                    entries=entries,
                )
                try:
                    await self._database.run(work)
                except BaseException:
                    for name, state in dirty.items():
                        self._dirty[name] = self._dirty.get(name, False) or state
                    raise
                self._history.mark_sent(entries)
            self._write_unsaved()

    def _write(
        self,
        connection: Connection,
        rows: Mapping[str, tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]],
        dirty: Mapping[str, bool],
        tokens: Mapping[str, str],
        entries: Sequence[HistoryEntry],
    ) -> None:
        for name, (row, limited) in rows.items():
            state = None
            if dirty[name]:
                with suppress(FileNotFoundError):
                    state = self._store.state_file(name).read_bytes()
            saved = SavedSession(row, limited, state)
            if not saved_sessions.store(connection, name, tokens.get(name, ""), saved, with_state=dirty[name]):
                log.warning("the session %s is not saved: its lease is another daemon's", name)
        self._history.send(connection, entries)


def _acquire(connection: Connection, name: str, holder: str, instance: str) -> tuple[Lease, SavedSession]:
    lease = leases.acquire(connection, name, holder, instance)
    return lease, saved_sessions.fetch(connection, name)


def _keep(tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Start a task, which is in the set until it ends."""
    tasks.add(task := asyncio.create_task(work))
    task.add_done_callback(tasks.discard)
    return task


def _plain(row: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if row is None else dict(row)
