"""`ProgramReport`: what the answer to a program says of its run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from oryn.core.text_safety import one_line, shortened
from oryn.engine.action import NOTHING_CHANGED
from oryn.engine.output.answer import Answer, answer_form
from oryn.engine.program.interpreter import FunctionCall, ProgramFailure
from oryn.engine.program.values import plain_data, value_text
from oryn.engine.secrets.session_secrets import REFERENCE_FIELDS
from oryn.errors import OrynError
from oryn.language import MASK, VAULT_REFERENCE, Command
from oryn.language.command import texts_in

MAX_PRINTED = 20_000
"""Maximum characters of what a program prints that its answer has."""
MAX_VALUE = 20_000
"""Maximum characters of its last value there."""
MAX_VALUE_DATA = 200_000
"""Maximum characters of its last value as data, in JSON."""
MAX_NOTES = 5
MAX_ACTS = 200
"""Maximum number of acts in an answer."""
MAX_ACT_LINES = 12
"""Maximum number of lines for one act."""

_ACTING = ("Acting", "Intents", "Moving")


class ReportedAct:
    """An act, with what is reported of it."""

    def __init__(self, line: int | None, answer: Answer) -> None:
        self.line, self.answer = line, answer
        self.form = answer_form(answer)

    def lines(self) -> Iterable[str]:
        where = f"line {self.line}: " if self.line else ""
        rows = change_lines(self.answer)
        error = self.answer.error
        outcome = f": {one_line(error.message)}" if error else "" if rows else f": {NOTHING_CHANGED}"
        yield f"{where}{self.answer.command}{outcome}"
        yield from (f"  {row}" for row in rows[:MAX_ACT_LINES])
        if len(rows) > MAX_ACT_LINES:
            yield f"  … {len(rows) - MAX_ACT_LINES} more"

    def data(self) -> dict[str, Any]:
        found = {"line": self.line, "command": self.answer.command, "ok": self.answer.ok}
        return found | {name: self.form[name] for name in ("changes", "error") if name in self.form}


class ProgramReport:
    """Collects what a run leads to.

    id: the run's identifier.
    chosen: the acts to report: `none`, `last` (and those that changed nothing) or `all`."""

    def __init__(self, id: str, chosen: str) -> None:
        self.id = id
        self._chosen = chosen
        self._started = time.monotonic()
        self._counts: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._acts: list[ReportedAct] = []
        self._last: ReportedAct | None = None
        self._printed: list[str] = []
        self._printed_length = 0
        self._notes: list[str] = []
        self._meanwhile: list[Any] = []
        self._latest = ""
        """The last command as it is written."""
        self._stopped: dict[str, Any] | None = None
        self.withholds = False
        """Whether a command had a secret in its text, so that the program's own text may have it."""
        self.secrets: set[str] = set()
        """The texts of commands that are credentials, or may be: none of them may be saved."""
        self.value: Any = None
        self.error: OrynError | None = None

    @property
    def count(self) -> int:
        """How many commands were given."""
        return self._counts.total()

    def note_printed(self, text: str) -> None:
        """Take what the program prints; beyond the limit it is only counted."""
        if self._printed_length < MAX_PRINTED:
            self._printed.append(text[: MAX_PRINTED - self._printed_length])
        self._printed_length += len(text)

    def add(self, command: Command, line: int | None, answer: Answer) -> None:
        """Take the answer to a command."""
        name = command.spec.name
        self._counts[name] += 1
        if MASK in answer.command or (answer.error is not None and name == "type"):
            self.withholds = True
            self.secrets |= _written_texts(command)
        if answer.error is not None:
            self._failures[name] += 1
        self._meanwhile += answer.meanwhile
        fresh = [note for note in answer.notes if note not in self._notes and note != NOTHING_CHANGED]
        self._notes += fresh[: MAX_NOTES - len(self._notes)]
        self._latest = answer.command
        if command.spec.reads or command.spec.family not in _ACTING:
            return
        act = self._last = ReportedAct(line, answer)
        is_wanted = self._chosen == "all" or (self._chosen == "last" and answer.ok and not act.form.get("changes"))
        if is_wanted and command.spec.family != "Moving" and len(self._acts) < MAX_ACTS:
            self._acts.append(act)

    def stop(
        self, call: FunctionCall, error: OrynError, id: str | None, variables: Mapping[str, str], *, done: bool
    ) -> None:
        """The program has stopped at a call. `done`: the command itself is done. `id`: what `--from` takes; None if it
        can't go on."""
        written = self._latest or call.name
        self._stopped = {"line": call.line, "command": written, "variables": dict(variables), "resume": id}
        where = f"line {call.line}, {written}" if call.line else written
        error.message = f"{where}: {error.message}"
        error.args = (error.message,)
        then = "goes on behind it" if done else "gives it again and goes on"
        hint = f"'program --from {id}' {then}, within a minute."
        if id is None:
            hint = "It can't go on, because its variables are too large to be kept."
        error.hint = f"{error.hint} {hint}" if error.hint else hint
        self.error = error

    def fail(self, error: OrynError, failure: ProgramFailure) -> None:
        """The program has ended with an error of its own."""
        self.error = error
        self._stopped = {"line": failure.line, "command": None, "variables": dict(failure.variables), "resume": None}

    # --- the answer ---

    def answer(self) -> Answer:
        """Return the answer to the program, without its page."""
        acts = self._reported()
        lines = [self._statistics(), *(line for act in acts for line in act.lines())]
        value, text = self._value()
        block = self._block(text)
        return Answer(
            command=f"program --text {MASK}" if self.withholds else "",
            error=self.error,
            lines=lines,
            block=block,
            notes=self._notes,
            meanwhile=self._meanwhile,
            data=self._data(acts, value),
        )

    def _reported(self) -> list[ReportedAct]:
        if self._chosen == "none" or self._last is None:
            return []
        found = self._acts if self._last in self._acts else [*self._acts, self._last]
        return [act for act in found if self.error is None or act.answer.error is not self.error]

    def _seconds(self) -> float:
        return round(time.monotonic() - self._started, 2)

    def _statistics(self) -> str:
        kinds = ", ".join(f"{count} {name}" for name, count in self._counts.most_common())
        failed = ", ".join(f"{count} {name}" for name, count in self._failures.most_common())
        plural = "command" if self.count == 1 else "commands"
        line = f"{self.count} {plural} in {self._seconds():g} s" + (f": {kinds}" if kinds else "")
        return line + (f"; failed: {failed}" if failed else "")

    def _value(self) -> tuple[Any, str]:
        """Return the last value as data, and its text as the answer has it. Of a value that is too long, both are the
        text."""
        text = value_text(self.value) if self.value is not None else ""
        shown = shortened(text, MAX_VALUE)
        if len(text) <= MAX_VALUE_DATA:
            return plain_data(self.value), shown
        self._notes.append(f"the value has {len(text)} characters, of which the answer has the first {MAX_VALUE}")
        return shown, shown

    def _block(self, value: str) -> str | None:
        parts = []
        if printed := "".join(self._printed).rstrip("\n"):
            parts.append(printed)
        if (more := self._printed_length - MAX_PRINTED) > 0:
            parts.append(f"… {more} characters more were printed")
        if self.value is not None:
            parts.append(value)
        if self._stopped is not None and self._stopped["variables"]:
            parts += ["variables:", *(f"  {name} = {text}" for name, text in self._stopped["variables"].items())]
        return "\n".join(parts) or None

    def _data(self, acts: list[ReportedAct], value: Any) -> dict[str, Any]:
        found = {
            "program": self.id,
            "value": value,
            "printed": "".join(self._printed),
            "commands": dict(self._counts),
            "failed": self._failures.total(),
            "seconds": self._seconds(),
            "acts": [act.data() for act in acts],
        }
        return found | ({"stopped": self._stopped} if self._stopped is not None else {})


def _written_texts(command: Command) -> set[str]:
    """Return the texts that a command writes into fields, without references to the vault."""
    fields = REFERENCE_FIELDS.get(type(command), frozenset())
    texts = (text for name in fields for text in texts_in(getattr(command, name)))
    return {text for text in texts if VAULT_REFERENCE.sub("", text).strip()}


def change_lines(answer: Answer) -> list[str]:
    """Return the lines of an answer's changes, also of one that another engine has rendered."""
    if answer.prerendered is None:
        return [change.render() for change in answer.changes]
    _, _, rest = f"\n{answer.prerendered.text}".partition("\n# changes\n")
    return rest.partition("\n\n")[0].split("\n") if rest else []
