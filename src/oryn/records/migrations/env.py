"""Alembic's entry: runs the migrations in the connection, and the transaction, that `oryn.records.database` has opened.

https://alembic.sqlalchemy.org/en/latest/cookbook.html#sharing-a-connection-across-one-or-more-programmatic-migration-commands
"""

from __future__ import annotations

from alembic import context

from oryn.records.schema import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, render_as_batch=True)
context.run_migrations()
