"""`insert_for`: an `INSERT` with `ON CONFLICT`, which SQLAlchemy has for PostgreSQL and SQLite apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table


def insert_for(connection: Connection, table: Table) -> Any:
    """An insertion of the connection's database, with `on_conflict_do_update` and `on_conflict_do_nothing`."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as of_postgresql

        return of_postgresql(table)
    from sqlalchemy.dialects.sqlite import insert as of_sqlite

    return of_sqlite(table)
