"""`ClusterMember`: one daemon among those with the same records (docs/spec/records.md#leases).

A session runs in one daemon, which has its lease. Every `HEARTBEAT_SECONDS` a daemon renews its leases and reads what
others have changed. What a session saves is written to this daemon's files, and copied from there into the database:
before a command is answered, if the database is reachable."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from socket import gethostname
from typing import TYPE_CHECKING, Any

from oryn import __version__
from oryn.daemon.protocol import SharingDaemon
from oryn.errors import RecordsUnavailable, SessionMoved
from oryn.records import daemons, leases
from oryn.records import sessions as saved_sessions
from oryn.records.daemons import HEARTBEAT_SECONDS
from oryn.records.leases import LEASE_SECONDS, Lease
from oryn.records.sessions import SavedSession, SessionList

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from oryn.daemon.cluster.history import ClusterHistory
    from oryn.records.history import HistoryEntry
    from oryn.sessions.persistence.store import SessionStore
    from oryn.sessions.sessions import Sessions

log = logging.getLogger(__name__)

MARGIN_SECONDS = 1.0
"""A daemon stops acting so long before its leases may be another's."""
FLUSH_SECONDS = 2.0
"""How long an answer waits for the database."""
TAKEN = "records.taken"
"""The file that says that the saved sessions of the data folder are in the database."""


class ClusterMember:
    """The leases of one daemon, and the copies of what it saves.

    * `name` is unique among the daemons. `folder` is that of its data.
    * `on_lost` is called with the names of sessions whose lease has lapsed, before they are closed here.
    * `status` returns what other daemons may know of this one.
    * `on_away` is called with True when the database is away, and with False when it is back."""

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
        on_away: Callable[[bool], object],
    ) -> None:
        self.name = name
        self.key = ""
        """The key of requests from daemon to daemon, known from `start` on."""
        self._database = history.database
        self._sessions = sessions
        self._store = store
        self._history = history
        self._folder = folder
        self._on_lost = on_lost
        self._status = status
        self._on_away = on_away
        self._instance = secrets.token_hex(16)
        self._tokens: dict[str, str] = {}
        """The tokens of the leases of this daemon, by the sessions' names."""
        self._others: Mapping[str, Lease] = {}
        """The leases of other daemons at the last heartbeat."""
        self._valid_until = 0.0
        """When the leases may be another's (`time.monotonic`)."""
        self._version = 0
        self._dirty: dict[str, bool] = {}
        """The sessions to be copied; True if their state is to be copied too."""
        self._copying = asyncio.Lock()
        self._claiming = asyncio.Lock()
        self._copy_task: asyncio.Task[None] | None = None
        self._claims: dict[str, int] = {}
        """How many commands need a session now."""
        self._away = False
        self._beating: asyncio.Task[None] | None = None
        store.on_changed = self._on_changed
        sessions.holder_elsewhere = self.holder_elsewhere

    # --- life ---

    async def start(self, address: str) -> None:
        """Register this daemon, which others reach at `address`, and read the sessions of all.

        Raises `RecordsUnavailable`; `ConfigurationError` if another daemon has the name."""

        def begin(connection: Connection) -> tuple[str, SessionList]:
            daemons.register(
                connection,
                name=self.name,
                instance=self._instance,
                folder=sha256(f"{gethostname()}:{self._folder}".encode()).hexdigest()[:32],
                address=address,
                version=__version__,
                pid=os.getpid(),
            )
            return daemons.relay_key(connection), saved_sessions.changes(connection, 0)

        before = time.monotonic()
        self.key, listed = await self._database.run(begin)
        self._valid_until = before + LEASE_SECONDS - MARGIN_SECONDS
        await self._take_over_files(listed)
        self._beating = asyncio.create_task(self._beat())

    async def _take_over_files(self, listed: SessionList) -> None:
        """Copy sessions that were saved before the daemon had records; those of a folder that was copied before are
        in the database, or were closed."""
        taken = self._folder / TAKEN
        for name in self._store.names:
            if name in listed.names or name in listed.limited:
                continue
            if taken.exists():
                self._store.adopt_rows(name, None, None)
            elif await self.claim(name, adopt=False) is None:
                self._dirty[name] = True
        self._adopt_list(listed)
        await self._copy()
        taken.touch(mode=0o600)

    async def close(self) -> None:
        """Copy what is left and give the leases back. The sessions must be closed. Never raises."""
        for task in (self._beating, self._copy_task):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        with suppress(RecordsUnavailable, TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._copy()
        with suppress(RecordsUnavailable, TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._database.run(partial(daemons.unregister, instance=self._instance))
        await asyncio.to_thread(self._database.close)

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
        return None if name in self._tokens else self._others.get(name)

    async def claim(self, name: str, *, adopt: bool = True) -> Lease | None:
        """Take the lease of a session, and what was saved of it last. Returns None if this daemon has it now, else
        the lease of the daemon that has it. Without `adopt`, what is in this daemon's files is newer.

        Raises `RecordsUnavailable` if the database is away and the lease is not surely this daemon's."""
        if name in self._tokens and time.monotonic() < self._valid_until:
            return None
        if name in self._tokens:  # the database was away
            await self._renew()
            if name in self._tokens:
                return None
        async with self._claiming:
            if name in self._tokens:
                return None
            if self._away:  # found out by the heartbeat, or by the claim before this one
                raise RecordsUnavailable("the records do not answer")
            work = partial(_claim, name=name, holder=self.name, instance=self._instance)
            try:
                lease, saved = await self._database.run(work)
            except RecordsUnavailable as error:
                self._note_away(True, error)
                raise
            if lease.instance != self._instance:
                return lease
            if adopt and self._sessions.get(name) is None:
                await self._adopt(name, saved)
            self._tokens[name] = lease.token
            return None

    async def require(self, names: Collection[str]) -> None:
        """Take the leases of sessions. Raises `SessionMoved` if another daemon has one, `RecordsUnavailable`."""
        for name in names:
            if lease := await self.claim(name):
                raise SessionMoved(f"the session {name} is run by the daemon {lease.holder}")

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
            if name not in self._tokens:
                self._store.adopt_rows(name, _plain(row), _plain(listed.limited.get(name)))
        for name in set(self._store.names) - listed.names - listed.limited.keys():
            if name not in self._tokens:
                self._store.adopt_rows(name, None, None)

    # --- heartbeat ---

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            try:
                await self._renew()
                if self._dirty or self._history.unsent:
                    await self._copy()
            except RecordsUnavailable as error:
                self._note_away(True, error)
                self._check_lapsed()
            except Exception:
                log.exception("unexpected error in a heartbeat")

    async def _renew(self) -> None:
        """Renew the leases, and read what others have changed. Raises `RecordsUnavailable`."""
        needed = {*self._claims, *self._dirty, *self._sessions.names}
        idle = [] if self._copying.locked() else [name for name in self._tokens if name not in needed]
        status = self._status()

        def beat(connection: Connection) -> tuple[bool, Mapping[str, str], Mapping[str, Lease], SessionList]:
            for name in idle:
                leases.release(connection, name, self._instance)
            registered = daemons.beat(connection, self._instance, status)
            tokens = leases.renew(connection, self._instance)
            return registered, tokens, leases.held(connection), saved_sessions.changes(connection, self._version)

        had, before = set(self._tokens), time.monotonic()
        registered, tokens, held, listed = await self._database.run(beat)
        if not registered:
            log.error("another daemon has taken the name %s: this one has no leases any more", self.name)
        self._valid_until = max(self._valid_until, before + LEASE_SECONDS - MARGIN_SECONDS)
        self._others = {name: lease for name, lease in held.items() if lease.instance != self._instance}
        for name in idle:
            if name not in self._claims:
                self._tokens.pop(name, None)
        lost = [name for name in had if name in self._tokens and tokens.get(name) != self._tokens[name]]
        if lost:
            await self._lose(lost)
        self._adopt_list(listed)
        self._note_away(False)

    def _check_lapsed(self) -> None:
        """Stop the commands of all sessions if their leases may be another's by now."""
        if time.monotonic() >= self._valid_until and self._tokens:
            self._on_lost(list(self._tokens))

    async def _lose(self, names: Collection[str]) -> None:
        """Close sessions whose lease is another's."""
        log.warning("other daemons have taken %s over", ", ".join(sorted(names)))
        self._on_lost(names)
        for name in names:
            self._tokens.pop(name, None)
            self._dirty.pop(name, None)
        await asyncio.gather(*(self._sessions.release(name) for name in names))

    def _note_away(self, away: bool, error: RecordsUnavailable | None = None) -> None:
        if away != self._away:
            self._away = away
            log.warning("the database is away: %s", error) if away else log.warning("the database answers again")
            self._on_away(away)

    # --- copies ---

    def _on_changed(self, name: str, state: bool) -> None:
        if name in self._tokens:
            self._dirty[name] = self._dirty.get(name, False) or state
            if self._copy_task is None or self._copy_task.done():
                self._copy_task = asyncio.create_task(self._copy_quietly())

    async def flush(self) -> None:
        """Wait until what was saved so far is in the database, if it answers. Never raises."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._copy_quietly()

    async def _copy_quietly(self) -> None:
        if self._away:  # the next heartbeat that succeeds copies
            return
        try:
            await self._copy()
        except RecordsUnavailable as error:
            self._note_away(True, error)

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
                    tokens=dict(self._tokens),
                    entries=entries,
                )
                try:
                    await asyncio.shield(self._database.run(work))
                except BaseException:
                    for name, state in dirty.items():
                        self._dirty[name] = self._dirty.get(name, False) or state
                    raise
                self._history.mark_sent(entries)

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


def _claim(connection: Connection, name: str, holder: str, instance: str) -> tuple[Lease, SavedSession]:
    lease = leases.acquire(connection, name, holder, instance)
    return lease, saved_sessions.fetch(connection, name)


def _plain(row: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if row is None else dict(row)
