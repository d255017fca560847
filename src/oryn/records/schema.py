"""The tables of the records (docs/spec/records.md#tables), as the newest migration leaves them.

Data that Oryn alone reads is JSON as text: `jsonb` refuses `\\u0000`, which a page may contain. Times that two daemons
compare are the database's own, in seconds since 1970 (`database_time`), since the clocks of daemons differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from sqlalchemy.sql.compiler import SQLCompiler

REVISION = "0001"
"""The newest migration: a database with this revision needs none."""

METADATA = MetaData()

_SEQUENCE = BigInteger().with_variant(Integer(), "sqlite")
"""The type of a key that counts upwards; SQLite counts only `INTEGER`."""

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("data", Text, nullable=False),  # a row of `sessions.json`
    Column("version", Integer, nullable=False),  # grows with each change, for daemons that poll
)
STATES = Table(
    "states",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("content", LargeBinary, nullable=False),  # the bytes of the file of today, encrypted or not
    Column("saved", Double, nullable=False),
)
LIMITS = Table(
    "limits",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("data", Text, nullable=False),
)
LEASES = Table(
    "leases",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("holder", String(64), nullable=False),  # the name of a daemon
    Column("instance", String(32), nullable=False),  # of this start of the daemon
    Column("token", String(32), nullable=False),  # a new one for each holder: what fences the former one
    Column("expires", Double, nullable=False),
    Index("leases_by_instance", "instance"),
)
DAEMONS = Table(
    "daemons",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("instance", String(32), nullable=False),
    Column("folder", String(32), nullable=False),  # of its data: two daemons never have one
    Column("address", Text, nullable=False),  # at which the others reach it
    Column("version", String(32), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started", Double, nullable=False),
    Column("heartbeat", Double, nullable=False),
    Column("status", Text, nullable=False),  # JSON
)
HISTORY = Table(
    "history",
    METADATA,
    Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
    Column("action_id", String(64), nullable=False, unique=True),
    Column("session", String(64), nullable=False),
    Column("daemon", String(64), nullable=False),
    Column("recorded", Double, nullable=False),
    Column("row", Text, nullable=False),  # JSON
    Index("history_by_session", "session", "sequence"),
)
TOKENS = Table(
    "tokens",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("hash", String(64), nullable=False, unique=True),  # SHA-256: the token itself is nowhere
    Column("data", Text, nullable=False),  # JSON: scopes, limits, end
    Column("revoked", Boolean, nullable=False),
)
AUDIT = Table(
    "audit",
    METADATA,
    Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
    Column("id", String(64), nullable=False, unique=True),
    Column("daemon", String(64), nullable=False),
    Column("recorded", Double, nullable=False),
    Column("row", Text, nullable=False),  # JSON
)
SECRETS = Table(
    "secrets",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)


class database_time(FunctionElement[float]):
    """The database's own clock, in seconds since 1970; the same moment in all of a transaction's statements is not
    required."""

    type = Double()
    inherit_cache = True


@compiles(database_time, "postgresql")
def _on_postgresql(element: Any, compiler: SQLCompiler, **options: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"


@compiles(database_time, "sqlite")
def _on_sqlite(element: Any, compiler: SQLCompiler, **options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"
