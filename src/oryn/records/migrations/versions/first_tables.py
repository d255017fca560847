"""The first tables."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, LargeBinary, String, Text

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    sequence = BigInteger().with_variant(Integer(), "sqlite")
    op.create_table(
        "sessions",
        Column("name", String(64), primary_key=True),
        Column("data", Text, nullable=False),
        Column("version", Integer, nullable=False),
    )
    op.create_table(
        "states",
        Column("name", String(64), primary_key=True),
        Column("content", LargeBinary, nullable=False),
        Column("saved", Double, nullable=False),
    )
    op.create_table("limits", Column("name", String(64), primary_key=True), Column("data", Text, nullable=False))
    op.create_table(
        "leases",
        Column("name", String(64), primary_key=True),
        Column("holder", String(64), nullable=False),
        Column("instance", String(32), nullable=False),
        Column("token", String(32), nullable=False),
        Column("expires", Double, nullable=False),
    )
    op.create_index("leases_by_instance", "leases", ["instance"])
    op.create_table(
        "daemons",
        Column("name", String(64), primary_key=True),
        Column("instance", String(32), nullable=False),
        Column("folder", String(32), nullable=False),
        Column("address", Text, nullable=False),
        Column("version", String(32), nullable=False),
        Column("pid", Integer, nullable=False),
        Column("started", Double, nullable=False),
        Column("heartbeat", Double, nullable=False),
        Column("status", Text, nullable=False),
    )
    op.create_table(
        "history",
        Column("sequence", sequence, primary_key=True, autoincrement=True),
        Column("action_id", String(64), nullable=False, unique=True),
        Column("session", String(64), nullable=False),
        Column("daemon", String(64), nullable=False),
        Column("recorded", Double, nullable=False),
        Column("row", Text, nullable=False),
    )
    op.create_index("history_by_session", "history", ["session", "sequence"])
    op.create_table(
        "tokens",
        Column("name", String(64), primary_key=True),
        Column("hash", String(64), nullable=False, unique=True),
        Column("data", Text, nullable=False),
        Column("revoked", Boolean, nullable=False),
    )
    op.create_table(
        "audit",
        Column("sequence", sequence, primary_key=True, autoincrement=True),
        Column("id", String(64), nullable=False, unique=True),
        Column("daemon", String(64), nullable=False),
        Column("recorded", Double, nullable=False),
        Column("row", Text, nullable=False),
    )
    op.create_table("secrets", Column("name", String(64), primary_key=True), Column("value", Text, nullable=False))
