"""The audit log: a row for each refused request, and for each change of who may do what (docs/access.md#audit).

Whoever can reach the daemon can have requests refused. So repeated refusals within a window are counted, and written as
one row; of each principal, only so many different ones are written in a window, and the rest is one row too."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from oryn.core.records import Record
from oryn.daemon.events import utc_now
from oryn.errors import ConfigurationError
from oryn.system.locks import locked
from oryn.system.paths import private_folder, write_private
from oryn.system.row_file import append_row, newest_rows, truncate_torn_row

if TYPE_CHECKING:
    from oryn.settings import Configuration

log = logging.getLogger(__name__)

DIGEST_FILE = "settings.digest"
"""Which settings the daemon had at its last start. Their values may be secret, so it has only a digest of each."""
WINDOW_SECONDS = 60.0
MAX_ROWS_PER_PRINCIPAL = 20
"""Maximum number of different refusals of one principal that are written in a window; the rest is counted."""
MAX_FILE_BYTES = 5_000_000
"""Size of the file at which it is rotated; one older file is kept."""
MAX_TEXT_CHARACTERS = 300

UNKNOWN = "unknown"
"""The principal of a request without a valid token."""

AuditOutcome = Literal["done", "refused"]


class AuditRow(Record):
    """One row. `kind` is what it is about: `request`, `command`, `token`, `daemon`; `subject` names that.

    `ts` is in UTC (ISO 8601). `principal` is the name of a token, `owner` or `unknown`. `detail` has the code of an
    error and its message, or what has changed. `count` is how many such refusals the row stands for."""

    ts: str
    principal: str
    address: str
    kind: str
    subject: str
    outcome: AuditOutcome
    detail: str
    count: int = 1


class AuditStore(Protocol):
    """A place for rows. Its methods block, for a short time, and raise `OSError`."""

    async def close(self) -> None:
        """Finish writing."""

    def append(self, row: AuditRow) -> None:
        """Write a row."""

    def newest(self) -> Iterator[AuditRow]:
        """Every row, the newest first."""


class AuditFile:
    """The rows in `audit.jsonl` of a folder, and the older ones in `audit.prev.jsonl`. Any process of the user may
    write them."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "audit.jsonl"
        self.previous = folder / "audit.prev.jsonl"
        self._is_open = False

    def append(self, row: AuditRow) -> None:
        private_folder(self.file.parent)
        with locked(self.file.with_suffix(".lock")):
            if not self._is_open:
                truncate_torn_row(self.file)
                self._is_open = True
            if self.file.exists() and self.file.stat().st_size >= MAX_FILE_BYTES:
                os.replace(self.file, self.previous)
            append_row(self.file, encode_audit_row(row).encode() + b"\n")

    def newest(self) -> Iterator[AuditRow]:
        for line in newest_rows(self.file, self.previous):
            if (row := decode_audit_row(line)) is not None:
                yield row

    async def close(self) -> None:
        """Each row was written at once."""


def encode_audit_row(row: AuditRow) -> str:
    """A row as a line without its end."""
    return json.dumps(row.values(), separators=(",", ":"))


def decode_audit_row(line: bytes) -> AuditRow | None:
    """The row of a line; None for a torn one."""
    try:
        return AuditRow(**json.loads(line))
    except (ValueError, TypeError):
        return None


class _Repeated(Record, frozen=False):
    """A refusal that was written in this window, and how often it came again."""

    row: AuditRow
    count: int = 0


class AuditLog:
    """Writes rows to a store. A row that can't be written is logged, and never fails the request that it is about."""

    def __init__(self, store: AuditStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._ends = 0.0
        """When the current window ends."""
        self._repeated: dict[tuple[str, ...], _Repeated] = {}
        self._written: Counter[str] = Counter()
        self._timer: asyncio.TimerHandle | None = None
        self.failing: str | None = None
        """Why the last row could not be written, or None."""

    def append(self, row: AuditRow) -> None:
        """Write a row."""
        try:
            self._store.append(row.replace(subject=_short(row.subject), detail=_short(row.detail)))
        except OSError as error:
            if self.failing is None:
                log.error("the audit log can't be written: %s", error)
            self.failing = error.strerror or str(error)
        else:
            self.failing = None

    def change(self, principal: str, address: str, kind: str, subject: str, detail: str) -> None:
        """Write that something was changed."""
        self.append(AuditRow(utc_now(), principal, address, kind, subject, "done", detail))

    def refuse(self, principal: str, address: str, kind: str, subject: str, detail: str) -> None:
        """Write that something was refused, or count it if that was written within the last minute."""
        if self._clock() >= self._ends:
            self.flush()
            self._ends = self._clock() + WINDOW_SECONDS
        key: tuple[str, ...] = (principal, address, kind, subject, detail)
        if key not in self._repeated and self._written[principal] >= MAX_ROWS_PER_PRINCIPAL:
            address, kind, subject, detail = "several", "request", "several", "further refusals"
            key = (principal,)
        if found := self._repeated.get(key):
            found.count += 1
            self._start_timer()
            return
        row = AuditRow(utc_now(), principal, address, kind, subject, "refused", detail)
        self._repeated[key] = _Repeated(row)
        self._written[principal] += 1
        self.append(row)

    def flush(self) -> None:
        """Write the refusals that were counted, and begin to count anew."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        counted = [each for each in self._repeated.values() if each.count]
        self._repeated.clear()
        self._written.clear()
        for each in counted:
            self.append(each.row.replace(ts=utc_now(), count=each.count))

    def newest(self) -> Iterator[AuditRow]:
        """Every row, the newest first. Raises `OSError`."""
        return self._store.newest()

    async def close(self) -> None:
        """Write what was counted, and finish."""
        self.flush()
        await self._store.close()

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WINDOW_SECONDS, self.flush)


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[:MAX_TEXT_CHARACTERS]}…"


def changed_settings(configuration: Configuration, key: str) -> Sequence[str]:
    """The names of the settings whose values differ from those of the last start, and store the present ones. At the
    first start, these are the settings that differ from their defaults. `key` is a secret of the daemon's."""
    file = configuration.paths.daemon / DIGEST_FILE
    present = {
        name: hmac.digest(key.encode(), repr(getattr(configuration.settings, name)).encode(), "sha256").hex()
        for name, origin in configuration.origins.items()
        if origin != "default"
    }
    try:
        last = json.loads(file.read_bytes())
    except (OSError, ValueError):
        last = {}
    if not isinstance(last, dict):
        last = {}
    changed = sorted(name for name in present.keys() | last.keys() if present.get(name) != last.get(name))
    if changed:
        try:
            write_private(file, json.dumps(present))
        except (OSError, ConfigurationError) as error:
            log.warning("the digest of the settings can't be written in %s: %s", file, error)
    return changed
