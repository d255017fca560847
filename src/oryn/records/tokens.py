"""Tokens (docs/spec/records.md#tokens). Functions of a transaction; data is JSON, in the form of the file of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from oryn.records.schema import TOKENS
from oryn.records.statements import insert_for

if TYPE_CHECKING:
    from sqlalchemy import Connection


BY_HASH = "SELECT data FROM tokens WHERE hash = {}"
BY_NAME = "SELECT data FROM tokens WHERE name = {}"
"""Queries of `Database.lookup`: the data of one token."""


def everything(connection: Connection) -> Sequence[str]:
    """The data of every token, by name."""
    return connection.execute(select(TOKENS.c.data).order_by(TOKENS.c.name)).scalars().all()


def put(connection: Connection, name: str, sha256: str, data: str, *, replace: bool = True) -> None:
    """Store a token in the place of one with its name; without `replace`, that one stays."""
    wanted = insert_for(connection, TOKENS).values(name=name, hash=sha256, data=data, revoked=False)
    changed = {each: wanted.excluded[each] for each in ("hash", "data")}
    connection.execute(
        wanted.on_conflict_do_update(index_elements=["name"], set_=changed)
        if replace
        else wanted.on_conflict_do_nothing()
    )


def revoke(connection: Connection, name: str) -> bool:
    """Remove a token; return whether there was one."""
    return bool(connection.execute(delete(TOKENS).where(TOKENS.c.name == name)).rowcount)
