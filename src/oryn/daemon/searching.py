"""Pages of the history, the newest rows first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from oryn.daemon.actions import is_asked
from oryn.daemon.replay import check
from oryn.errors import NotReplayable, RequestError
from oryn.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oryn.daemon.history import History, Row

MOST_ROWS = 200


class Query(Record):
    """Which rows: with a `text` in what was done or what went wrong, of a `session`, of an `action`, only those that
    failed, only those older than the row `before`."""

    text: str = ""
    session: str | None = None
    action: str | None = None
    errors: bool = False
    before: str | None = None
    limit: int = 50

    def fits(self, row: Row) -> bool:
        return (
            (self.session is None or row.session == self.session)
            and (self.action is None or is_asked(row.action, self.action))
            and not (self.errors and row.ok)
            and (not self.text or self.text in spoken(row).casefold())
        )


def query_of(parameters: Mapping[str, str]) -> Query:
    """A query from a URL's parameters. Raises `RequestError`."""
    limit = parameters.get("limit", "50")
    if not (limit.isascii() and limit.isdigit() and 0 < int(limit[:9]) <= MOST_ROWS):
        raise RequestError(f"the limit is a number from 1 to {MOST_ROWS}")
    return Query(
        text=parameters.get("text", "").casefold().strip(),
        session=parameters.get("session") or None,
        action=parameters.get("action") or None,
        errors=parameters.get("errors") in ("1", "true", "on"),
        before=parameters.get("before") or None,
        limit=int(limit),
    )


def page_of(history: History, query: Query) -> dict[str, Any]:
    """`rows` as they are in the history, with why one can't be replayed (`refused`, else null), and whether there are
    `more`. Reads files: call it in a thread."""
    found = list(islice(_fitting(history, query), query.limit + 1))
    rows = [row.values() | {"refused": _refused(row)} for row in found[: query.limit]]
    return {"rows": rows, "more": len(found) > query.limit}


def _refused(row: Row) -> str | None:
    try:
        check(row)
    except NotReplayable as error:
        return error.message.partition(": ")[2]
    return None


def _fitting(history: History, query: Query) -> Iterator[Row]:
    rows = history.newest()
    if query.before is not None:
        for row in rows:
            if row.action_id == query.before:
                break
    return filter(query.fits, rows)


def spoken(row: Row) -> str:
    """What a person would look for in a row."""
    said = row.line or row.args.get("line") or f"{row.action} {json.dumps(row.args, ensure_ascii=False)}"
    return f"{said}\n{row.error or ''}\n{row.error_kind or ''}"
