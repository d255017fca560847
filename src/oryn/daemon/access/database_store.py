"""Tokens and the audit log in the database that daemons share (docs/spec/records.md#tokens)."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from oryn.daemon.access.audit import AuditFile, AuditRow, decode_audit_row, encode_audit_row
from oryn.daemon.access.tokens import Token, parse_token, token_data
from oryn.errors import ConfigurationError, RecordsUnavailable
from oryn.records import access

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from oryn.daemon.access.token_file import TokenFile
    from oryn.records.database import Database

log = logging.getLogger(__name__)

MAX_WAITING_ROWS = 10_000
"""Rows of the audit that wait for the database; of more, the oldest are in the daemon's file alone."""


class SharedTokens:
    """A `TokenStore` in the database, which is asked with each request: what another daemon or `oryn token` has changed
    counts at once. Its methods also raise `RecordsUnavailable`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take_over(self, file: TokenFile) -> None:
        """Add the tokens of a daemon's file from before it had records, and rename the file. Raises
        `ConfigurationError`."""
        found = file.all()
        if not found:
            return

        def add(connection: Connection) -> None:
            for each in found:
                access.put_token(connection, each.name, each.sha256, _encoded(each), replace=False)

        self._database.run_blocking(add)
        file.file.replace(file.file.with_suffix(".taken.json"))

    async def find(self, sha256: str) -> Token | None:
        return _decoded(await self._database.lookup(access.BY_HASH, sha256))

    async def named(self, name: str) -> Token | None:
        return _decoded(await self._database.lookup(access.BY_NAME, name))

    def all(self) -> Sequence[Token]:
        rows = self._database.run_blocking(access.all_tokens)
        found = [each for each in map(_decoded, rows) if each is not None]
        return sorted(found, key=lambda each: (each.created, each.name))

    def put(self, token: Token) -> None:
        work = partial(access.put_token, name=token.name, sha256=token.sha256, data=_encoded(token))
        self._database.run_blocking(work)

    def revoke(self, name: str) -> bool:
        return self._database.run_blocking(partial(access.revoke_token, name=name))


def _encoded(token: Token) -> str:
    return json.dumps(token_data(token))


def _decoded(data: str | None) -> Token | None:
    """Raises `ConfigurationError` for data that is damaged, or of a newer version."""
    if data is None:
        return None
    try:
        return parse_token(json.loads(data))
    except ValueError as error:
        raise ConfigurationError(f"a token in the records can't be read: {error}", "Make it again.") from None


class SharedAudit:
    """An `AuditStore` in the database. Each row is in this daemon's file first. A running daemon sends it to the
    database a moment later, any other process at once."""

    def __init__(self, file: AuditFile, database: Database, daemon: str) -> None:
        self._file = file
        self._database = database
        self._daemon = daemon
        self._waiting: deque[tuple[str, str]] = deque(maxlen=MAX_WAITING_ROWS)
        self._sending: asyncio.Task[None] | None = None

    def append(self, row: AuditRow) -> None:
        self._file.append(row)
        self._waiting.append((secrets.token_hex(16), encode_audit_row(row)))
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # the command line, or a daemon that starts or ends
            try:
                self._database.run_blocking(partial(access.append_audit, daemon=self._daemon, rows=list(self._waiting)))
            except RecordsUnavailable as error:
                raise OSError(error.message) from error
            self._waiting.clear()
            return
        if self._sending is None or self._sending.done():
            self._sending = loop.create_task(self._send_waiting())

    async def _send_waiting(self) -> None:
        """Send the rows; if the database is away, the next row sends them."""
        try:
            while rows := list(self._waiting):
                await self._database.run(partial(access.append_audit, daemon=self._daemon, rows=rows))
                sent = {identifier for identifier, _ in rows}
                while self._waiting and self._waiting[0][0] in sent:
                    self._waiting.popleft()
        except RecordsUnavailable as error:
            log.warning("rows of the audit wait: %s", error)

    async def close(self) -> None:
        """Send what waits, if the database answers."""
        if self._sending is not None:
            await asyncio.wait([self._sending])
        await self._send_waiting()

    def newest(self) -> Iterator[AuditRow]:
        before: int | None = None
        while True:
            try:
                page = self._database.run_blocking(partial(access.audit_page, before=before))
            except RecordsUnavailable as error:
                raise OSError(error.message) from error
            for number, row in page:
                before = number
                if (decoded := decode_audit_row(row.encode())) is not None:
                    yield decoded
            if len(page) < access.PAGE_ROWS:
                return
