"""The rows of the tables of what a mode answers differently from `headless`: commands, and answers.

Each backend declares its own table; the documentation prints it, and the conformance suite checks it in both modes."""

from __future__ import annotations

import re

from oryn.core.records import Record

NOT_SUPPORTED = "not supported in this mode"


class Difference(Record):
    """A difference between the modes. `form` is a command, alone or with a first word or an option (`session new`,
    `goto --headers`), and covers all lines that begin so; the mode answers them with an error of this `message`.
    `{pages}` in the example stands for the URL of the test pages."""

    form: str
    example: str
    reason: str
    message: str = NOT_SUPPORTED

    def covers(self, form: str) -> bool:
        """Whether the difference applies to a form of a command."""
        return f"{form} ".startswith(f"{self.form} ")

    def allows(self, answer: str) -> bool:
        """Whether the mode may give this answer."""
        first = answer.partition("\n")[0]
        return first.startswith("error ") and first.endswith(f": {self.message}")


class EngineDifference(Record):
    """An answer in which an engine differs from Chromium. `lines` is a pattern of the lines of the conformance suite
    whose answers may differ for the reason; `script` limits it to one of its scripts."""

    subject: str
    lines: str
    reason: str
    script: str | None = None

    def covers(self, script: str, line: str) -> bool:
        """Whether the answers to a line of a script may differ."""
        return self.script in (None, script) and re.match(self.lines, line) is not None
