"""Queries of the history with pagination, the newest rows first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from oryn.core.records import Record
from oryn.daemon.history.replay import check_replayable
from oryn.daemon.vocabulary import matches_action
from oryn.errors import NotReplayable, RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oryn.daemon.history.log import ActionHistory, HistoryRow

MAX_PAGE_ROWS = 200


class HistoryQuery(Record):
    """A filter for rows: those with `text` in the command or its error, of a `session`, of an `action`, only failed
    ones, only those older than the row `before`."""

    text: str = ""
    session: str | None = None
    action: str | None = None
    errors: bool = False
    before: str | None = None
    limit: int = 50

    def matches(self, row: HistoryRow) -> bool:
        """Whether a row passes the filter. `before` is not a property of a row and is not checked here."""
        return (
            (self.session is None or row.session == self.session)
            and (self.action is None or matches_action(row.action, self.action))
            and not (self.errors and row.ok)
            and (not self.text or self.text in searchable_text(row).casefold())
        )


def parse_query(parameters: Mapping[str, str]) -> HistoryQuery:
    """Parse a query from a URL's parameters. Raises `RequestError`."""
    limit = parameters.get("limit", "50")
    if not (limit.isascii() and limit.isdigit() and 0 < int(limit[:9]) <= MAX_PAGE_ROWS):
        raise RequestError(f"the limit is a number from 1 to {MAX_PAGE_ROWS}")
    return HistoryQuery(
        text=parameters.get("text", "").casefold().strip(),
        session=parameters.get("session") or None,
        action=parameters.get("action") or None,
        errors=parameters.get("errors") in ("1", "true", "on"),
        before=parameters.get("before") or None,
        limit=int(limit),
    )


def history_page(history: ActionHistory, query: HistoryQuery) -> dict[str, Any]:
    """One page of the history: `rows`, and whether there are `more`.

    Each row has `refused`, the reason why it can't be replayed, or null. Reads files: call it in a thread."""
    found = list(islice(_matching(history, query), query.limit + 1))
    rows = [row.values() | {"refused": _refused(row)} for row in found[: query.limit]]
    return {"rows": rows, "more": len(found) > query.limit}


def _refused(row: HistoryRow) -> str | None:
    try:
        check_replayable(row)
    except NotReplayable as error:
        return error.message.partition(": ")[2]
    return None


def _matching(history: ActionHistory, query: HistoryQuery) -> Iterator[HistoryRow]:
    rows = history.newest()
    if query.before is not None:
        for row in rows:
            if row.action_id == query.before:
                break
    return filter(query.matches, rows)


def searchable_text(row: HistoryRow) -> str:
    """The text of a row that queries search."""
    line = row.line or row.args.get("line") or f"{row.action} {json.dumps(row.args, ensure_ascii=False)}"
    return f"{line}\n{row.error or ''}\n{row.error_kind or ''}"
