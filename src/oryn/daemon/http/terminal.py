"""What the command line prints for an answer, and its exit code."""

from __future__ import annotations

from oryn.core.text_safety import visible
from oryn.daemon.request.parser import ParsedRequest
from oryn.engine import Answer
from oryn.engine.output.answer import raw_text


def exit_code(request: ParsedRequest, answer: Answer) -> int:
    """Return the exit code of a command: that of its error, or of the first part of its result that is missing; and
    with `--exit-code` 1 if the answer to a question is no."""
    for error in (answer.error, *(failure.error for failure in answer.failed)):
        if error is not None:
            return error.exit_code
    return int(request.as_exit_code and raw_text(answer) == "no")


def printed_text(request: ParsedRequest, answer: Answer, text: str, *, piped: bool) -> str:
    """Return what a command line prints for an answer: its `text`, or the result alone if the words have `--raw`, or
    the output is not a terminal and the words name a format or the result is a document. A terminal gets no controls of
    a page.

    With the setting `boundaries`, only `--raw` leaves out the markers. What is missing of the result (`failure_text`)
    is not in it."""
    if answer.failed and answer.cut is None:
        text = answer.replace(failed=()).render()
    is_alone = piped and (request.names_format or answer.is_document) and answer.boundary is None
    if not request.as_raw and not is_alone:
        return text
    raw = raw_text(answer)
    if raw is None:
        return text
    return raw if piped else visible(raw)


def document_text(request: ParsedRequest, answer: Answer) -> str | None:
    """Return the Markdown that a terminal renders instead of printing the answer's text; None if it prints that."""
    if (
        not answer.is_document
        or not answer.ok
        or request.as_raw
        or answer.boundary is not None
        or answer.cut is not None
    ):
        return None
    return visible(answer.block or "")


def failure_text(answer: Answer) -> str:
    """Return what a command line prints on its standard error: the parts of the result that are missing."""
    return "\n".join(failure.line for failure in answer.failed)
