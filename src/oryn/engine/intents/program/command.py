"""`program`: runs the text of a file or of the line, or goes on with a program that has stopped."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oryn.engine.handlers.registry import handles
from oryn.engine.intents.program.report import ProgramReport
from oryn.engine.intents.program.run import ProgramExecution
from oryn.engine.page.context import page_info
from oryn.engine.program.functions import function_names
from oryn.engine.program.journal import PROGRAM_JOURNAL
from oryn.engine.program.stopped_programs import EndedProgram
from oryn.engine.program.values import SecretText
from oryn.errors import FileError, InvalidProgram, NotSupported, OrynError
from oryn.language import Program, ProgramSave

if TYPE_CHECKING:
    from oryn.engine.output.answer import Answer
    from oryn.engine.session import Session

PROGRAM_SECONDS = 300.0
"""Seconds that a program may take without `--timeout`."""
MAX_PROGRAM_BYTES = 200_000


@handles(Program)
async def program(session: Session, command: Program) -> Answer:
    answer = await run_program(session, command, {})
    if command.text is not None:  # it is long, and the caller has it
        answer.command = answer.command or "program"
    return answer


async def run_program(session: Session, command: Program, inputs: Mapping[str, Any]) -> Answer:
    """Run a program, or the rest of one, and return its report. `inputs` are variables that it has from the start; if
    one is a credential, no text that leaves the session has it."""
    if session.new_interpreter is None:
        raise NotSupported("programs do not run in this mode", "Give the commands as lines.")
    if command.timeout is None:
        session.deadline.extend(PROGRAM_SECONDS)
    journal = PROGRAM_JOURNAL.get()
    id = journal.id if journal is not None else f"p_{secrets.token_hex(4)}"
    report = ProgramReport(id, command.report or "last")
    run = ProgramExecution(session, command, report)
    stopped = session.programs.take(command.resume) if command.resume is not None else None
    text = "" if stopped is not None else program_text(session, command)
    for value in inputs.values():
        if isinstance(value, SecretText):
            session.secrets.hide_text(value.text)
    async with session.new_interpreter(function_names(), report.note_printed) as interpreter:
        if stopped is not None:
            await run.go_on(stopped, interpreter)
        else:
            await run.start(text, interpreter, inputs)
    if report.error is None:
        text = stopped.state.text if stopped is not None else text
        session.programs.ended.append(EndedProgram(text, frozenset(report.secrets)))
    answer = report.answer()
    await _add_page(session, answer)
    return answer


async def _add_page(session: Session, answer: Answer) -> None:
    """Add the page on which the program has ended, as far as it can be read."""
    if session.displayed_page is not None:  # another engine drives the page
        url, title = session.displayed_page
        answer.page = (url, title or "") if url else None
        return
    try:
        if session.page.dialog is None:
            answer.page = await page_info(session)
    except OrynError:
        if session.page_url:
            answer.page = session.page_url, ""


def program_text(session: Session, command: Program | ProgramSave) -> str:
    """Return the text of a command's program. Raises `FileError`, `InvalidProgram`."""
    if command.text is not None:
        text = command.text
    else:
        assert command.path is not None
        try:
            text = session.files.read_bytes(command.path, MAX_PROGRAM_BYTES).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FileError(f"{command.path} is not valid UTF-8", "Save the program as UTF-8.") from error
    if len(text) > MAX_PROGRAM_BYTES:
        raise InvalidProgram(f"a program of {len(text)} characters", f"It may have {MAX_PROGRAM_BYTES}.")
    return text.replace("\r\n", "\n")
