"""The activity list of the popup: the last commands and their status. Pure.

It has the lines of the commands without secrets, their tabs, status and duration, and never their answers, which
contain page content. The newest command is first; older ones are dropped."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Literal

from oryn.core.records import Record
from oryn.core.text_safety import one_line, shortened

MAX_ROWS = 50
LINE_LIMIT = 200
"""Characters of a line."""

CommandStatus = Literal["running", "ok", "error"]


class CommandRow(Record, frozen=False):
    """A command. `tab` is the number of its tab; None until it starts if it goes to the active tab. `time` is in epoch
    seconds, `seconds` the duration."""

    id: int
    line: str
    tab: int | None
    time: float
    status: CommandStatus = "running"
    seconds: float | None = None

    def end(self, *, ok: bool, line: str, now: float) -> None:
        """The command was answered. Its `line` may have changed, because the answer may mask more of it."""
        self.status = "ok" if ok else "error"
        self.line = _display_line(line)
        self.seconds = max(0.0, now - self.time)

    def data(self) -> dict[str, Any]:
        """The row as JSON data."""
        elapsed = None if self.seconds is None else round(self.seconds * 1000)
        return {
            "id": self.id,
            "time": round(self.time * 1000),
            "tab": self.tab,
            "line": self.line,
            "status": self.status,
            "elapsed_ms": elapsed,
        }


class CommandActivity:
    """The last commands, the newest first. `changed` is called after each change of a row."""

    def __init__(self, changed: Callable[[], object]) -> None:
        self._changed = changed
        self._rows: deque[CommandRow] = deque(maxlen=MAX_ROWS)

    def begin(self, id: int, line: str, tab: int | None, now: float) -> CommandRow:
        """Add a command; `line` is without secrets, `now` in epoch seconds."""
        row = CommandRow(id, _display_line(line), tab, now)
        self._rows.appendleft(row)
        self._changed()
        return row

    def start(self, row: CommandRow, tab: int | None) -> None:
        """The command runs now, in this tab."""
        row.tab = tab
        self._changed()

    def end(self, row: CommandRow, *, ok: bool, line: str, now: float) -> None:
        """A command was answered; see `CommandRow.end`."""
        row.end(ok=ok, line=line, now=now)
        self._changed()

    def data(self) -> list[dict[str, Any]]:
        """The rows as JSON data."""
        return [row.data() for row in self._rows]


def _display_line(line: str) -> str:
    return one_line(shortened(line, LINE_LIMIT))
