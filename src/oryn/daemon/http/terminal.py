"""What the command line prints for an answer, and its exit code."""

from __future__ import annotations

from oryn.core.text_safety import visible
from oryn.daemon.request.parser import ParsedRequest
from oryn.engine import Answer
from oryn.engine.output.answer import raw_text


def exit_code(request: ParsedRequest, answer: Answer) -> int:
    """Return the exit code of a command: that of its error, and with `--exit-code` 1 if the answer to a question is
    no."""
    if answer.error is not None:
        return answer.error.exit_code
    return int(request.tells_exit_code and raw_text(answer) == "no")


def printed_text(request: ParsedRequest, answer: Answer, text: str, *, piped: bool) -> str:
    """Return what a command line prints for an answer: its `text`, or the result alone if the words have `--raw`, or
    name a format and the output is not a terminal. A terminal gets no controls of a page.

    With the setting `boundaries`, only `--raw` leaves out the markers."""
    if not request.as_raw and (not piped or not request.names_format or answer.boundary is not None):
        return text
    raw = raw_text(answer)
    if raw is None:
        return text
    return raw if piped else visible(raw)
