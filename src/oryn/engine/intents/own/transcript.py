"""What an intent did, a line for each step, as its answer tells it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from oryn.engine.escape import one_line, shortened

LINES_SHOWN = 40
"""Lines of a transcript that an answer holds; what exceeds them is counted, in its middle."""
ROWS_KEPT = 1000
LINE_LIMIT = 120


@dataclass(slots=True)
class Row:
    """One step (with a number), or what was decided. `outcome` is its result or its error, in a line."""

    depth: int
    text: str
    number: int | None = None
    outcome: str = ""
    error: dict[str, Any] | None = None
    result: Any = None

    def render(self) -> str:
        number = f"{self.number} " if self.number else ""
        outcome = f": {self.outcome}" if self.outcome else ""
        return "  " * self.depth + one_line(
            shortened(f"{number}{self.text}", LINE_LIMIT) + shortened(outcome, LINE_LIMIT)
        )


@dataclass(slots=True)
class Transcript:
    """The rows of a `run`, those of the intents that it calls included; `depth` is how far in it is."""

    rows: list[Row] = field(default_factory=list)
    results: list[tuple[str, str]] = field(default_factory=list)
    """What steps read, with the step that did."""
    depth: int = 0
    steps: int = 0

    def step(self, text: str) -> Row:
        self.steps += 1
        return self._kept(Row(self.depth, text, self.steps))

    def decided(self, text: str, outcome: str) -> None:
        self._kept(Row(self.depth, text, outcome=outcome))

    def caught(self, message: str) -> None:
        """The failure that is in the last line ends here."""
        if self.rows and self.rows[-1].error is not None:
            self.rows[-1].outcome += " (caught)"
        else:
            self.decided("caught", message)

    def _kept(self, row: Row) -> Row:
        if len(self.rows) < ROWS_KEPT:
            self.rows.append(row)
        return row

    def lines(self) -> list[str]:
        shown = [row.render() for row in self.rows]
        if len(shown) <= LINES_SHOWN:
            return shown
        half = LINES_SHOWN // 2
        return [*shown[:half], f"… {len(shown) - 2 * half} more", *shown[-half:]]

    def block(self) -> str | None:
        """What was read: alone, or each part under its step."""
        if len(self.results) <= 1:
            return self.results[0][1] if self.results else None
        return "\n\n".join(f"{step}\n{text}" for step, text in self.results)

    def data(self) -> list[dict[str, Any]]:
        """`[{"step": 1, "command": …, "ok": true, "result"?: …, "error"?: {…}}]`."""
        return [
            {
                "step": row.number,
                "command": row.text,
                "ok": row.error is None,
                **({"result": row.result} if row.result is not None else {}),
                **({"error": row.error} if row.error else {}),
            }
            for row in self.rows
            if row.number
        ]
