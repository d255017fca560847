"""Queries of the history with pagination, the newest rows first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
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
    ones, only those older than the row `before`, only those that a `program` has given, only those of a token
    (`principal`).

    `folded`: rows of commands that a program has given are left out if the program's own row is there."""

    text: str = ""
    session: str | None = None
    action: str | None = None
    errors: bool = False
    before: str | None = None
    program: str | None = None
    folded: bool = False
    limit: int = 50
    principal: str | None = None

    def matches(self, row: HistoryRow) -> bool:
        """Whether a row passes the filter. `before` is not a property of a row and is not checked here."""
        return (
            (self.session is None or row.session == self.session)
            and (self.action is None or matches_action(row.action, self.action))
            and (self.program is None or row.program == self.program)
            and (self.principal is None or row.principal == self.principal)
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
        principal=parameters.get("principal") or None,
        errors=parameters.get("errors") in ("1", "true", "on"),
        before=parameters.get("before") or None,
        program=parameters.get("program") or None,
        folded=parameters.get("folded") == "1",
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
    if query.folded:
        rows = _folded(rows)
    if query.before is not None:
        for row in rows:
            if row.action_id == query.before:
                break
    return filter(query.matches, rows)


def _folded(rows: Iterable[HistoryRow]) -> Iterator[HistoryRow]:
    """Leave out the rows of a program whose own row has come before, as the newest rows do."""
    programs = set[str]()
    for row in rows:
        if row.program in programs:
            continue
        programs.add(row.action_id)
        yield row


def under_programs(rows: Sequence[HistoryRow]) -> list[tuple[HistoryRow, bool]]:
    """Put the rows of a program behind its own row, and mark them. `rows`: the oldest first. Without the program's own
    row, they stay where they are."""
    inner: dict[str, list[HistoryRow]] = {}
    there = {row.action_id for row in rows}
    for row in rows:
        if row.program in there:
            inner.setdefault(row.program, []).append(row)
    found: list[tuple[HistoryRow, bool]] = []
    for row in rows:
        if row.program not in there:
            found.append((row, row.program is not None))
            found += [(each, True) for each in inner.get(row.action_id, ())]
    return found


def searchable_text(row: HistoryRow) -> str:
    """The text of a row that queries search."""
    line = row.line or row.args.get("line") or f"{row.action} {json.dumps(row.args, ensure_ascii=False)}"
    return f"{line}\n{row.error or ''}\n{row.error_kind or ''}"
