"""The two forms of an error: text, as in answers of the language (docs/spec/intent-language.md#errors-in-answers), and
the fields of a JSON object.

    error profile create: there is a profile shop already

    # hint
    Choose another name.

The command line prints all of its errors in these forms."""

from __future__ import annotations

import math
import re

from oryn.core.text_safety import one_line

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from oryn.errors import OrynError

_HEADLINE = re.compile(r"^error(?: [^\n]*?)?: ([^\n]*)(?:\n\n# hint\n([^\n]*))?", re.MULTILINE)


def error_text(error: OrynError, command: str = "") -> str:
    """Return an error as text. `command` is what failed: a line of the language, or the name of a command."""
    hint = hint_section(error)
    return f"{headline(error, command)}\n\n{hint}" if hint else headline(error, command)


def headline(error: OrynError, command: str = "") -> str:
    """Return the first line of the text: `error COMMAND: message`, or `error: message` without a command."""
    return f"{f'error {one_line(command)}' if command else 'error'}: {one_line(error.message)}"


def hint_section(error: OrynError) -> str:
    """Return the section with the hint, empty without a hint."""
    return "# hint\n" + "\n".join(map(one_line, error.hint.split("\n"))) if error.hint else ""


def error_fields(error: OrynError) -> dict[str, str | bool | None]:
    """Return an error as a JSON object of the daemon's HTTP API (`FailureResponse`)."""
    return {"ok": False, "error": error.message, "error_kind": error.code.lower(), "hint": error.hint}


def last_error(output: str) -> tuple[str, str | None] | None:
    """Find the last error in the output of a process: its message and the first line of its hint. None without an
    error."""
    found = list(_HEADLINE.finditer(output))
    return (found[-1][1], found[-1][2]) if found else None


def round_up_seconds(seconds: float) -> float:
    """A time limit for messages, rounded up to 0.1 s: a few milliseconds are spent before the waiting begins."""
    return math.ceil(seconds * 10) / 10
