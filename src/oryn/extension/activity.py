"""What the popup shows of the commands that come: their lines, never what a page says in their answers. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Literal

from oryn.engine.escape import one_line, shortened
from oryn.records import Record

MOST_ROWS = 50
LINE_LIMIT = 200
"""Characters of a line."""

Status = Literal["running", "ok", "error"]


class Row(Record, frozen=False):
    """A command. `tab` is its number, or None where it goes to whichever tab is active; times are epoch seconds."""

    id: int
    line: str
    tab: int | None
    time: float
    status: Status = "running"
    seconds: float | None = None

    def end(self, *, ok: bool, line: str, now: float) -> None:
        """The command was answered, which may have told that more of its line is secret."""
        self.status = "ok" if ok else "error"
        self.line = _shown(line)
        self.seconds = max(0.0, now - self.time)

    def data(self) -> dict[str, Any]:
        elapsed = None if self.seconds is None else round(self.seconds * 1000)
        return {
            "id": self.id,
            "time": round(self.time * 1000),
            "tab": self.tab,
            "line": self.line,
            "status": self.status,
            "elapsed_ms": elapsed,
        }


class Activity:
    """The last commands, the newest first. `changed` is called whenever a row is another than before."""

    def __init__(self, changed: Callable[[], object]) -> None:
        self._changed = changed
        self._rows: deque[Row] = deque(maxlen=MOST_ROWS)

    def begin(self, id: int, line: str, tab: int | None, now: float) -> Row:
        """A command has come; `line` is without secrets."""
        row = Row(id, _shown(line), tab, now)
        self._rows.appendleft(row)
        self._changed()
        return row

    def start(self, row: Row, tab: int | None) -> None:
        """It is being done, in this tab."""
        row.tab = tab
        self._changed()

    def end(self, row: Row, *, ok: bool, line: str, now: float) -> None:
        row.end(ok=ok, line=line, now=now)
        self._changed()

    def data(self) -> list[dict[str, Any]]:
        return list(self._data())

    def _data(self) -> Iterator[dict[str, Any]]:
        for row in self._rows:
            yield row.data()


def _shown(line: str) -> str:
    return one_line(shortened(line, LINE_LIMIT))
