"""Results that were not taken yet. They are written with what they follow from, and go when they are taken.

A result is delivered when the next one is asked for. Between that and what its taker does with it, a process can be
killed: so results are numbered, one keeps its number when it is told again, and a taker that knows the last number it
has (`Journal.last`) says so when the crawl goes on.
"""

from __future__ import annotations

import json

from oryn.research.crawling.results import Crawled
from oryn.research.crawling.state import State
from oryn.research.failures import CrawlStateInvalid


class Outbox:
    """In the crawl's state."""

    def __init__(self, state: State) -> None:
        self._state = state
        (self._waiting,) = state.row("SELECT count(*) FROM outbox")
        self._safe = 0

    def __len__(self) -> int:
        return int(self._waiting)

    def put(self, crawled: Crawled) -> None:
        """Add a result; its number is given here. Within a change of the state."""
        form = crawled.form()
        del form["number"]
        self._state.execute("INSERT INTO outbox (form) VALUES (?)", (json.dumps(form),))
        self._waiting += 1

    def first(self) -> Crawled | None:
        """The oldest one that is there. It will not be forgotten any more: a state that lost it when power fails would
        be behind its taker."""
        row = self._state.row("SELECT number, form FROM outbox ORDER BY number LIMIT 1")
        if row is None:
            return None
        if row[0] > self._safe:
            self._state.sync()
            self._safe = self._last()
        return Crawled.read({"number": row[0], **json.loads(row[1])})

    def taken(self, number: int) -> None:
        """All up to `number` have been taken. Raises `CrawlStateInvalid` when there was none of this number yet."""
        if number > self._last():
            raise CrawlStateInvalid(f"{self._state.path} has not told a result {number} yet")
        self._waiting -= self._state.execute("DELETE FROM outbox WHERE number <= ?", (number,)).rowcount

    def _last(self) -> int:
        """The number of the newest one, taken or not."""
        row = self._state.row("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'")
        return int(row[0]) if row else 0
