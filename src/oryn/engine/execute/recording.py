"""`trace start`, `trace stop`, `record start`, `record stop`."""

from __future__ import annotations

import tempfile
from typing import IO, TYPE_CHECKING

from oryn.engine.answer import Answer
from oryn.engine.escape import quoted
from oryn.engine.execute.registry import handles
from oryn.engine.files import Files, new_path
from oryn.engine.recording import archive, running
from oryn.engine.recording.journal import Journal
from oryn.errors import AlreadyRunning, BrowserError, NotRunning
from oryn.language import TraceStart, TraceStop

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(TraceStart)
async def trace_start(session: Session, command: TraceStart) -> Answer:
    if running(session, Journal):
        raise AlreadyRunning("a trace is running already", "End it first: trace stop.")
    if command.path is not None:
        session.files.writable(command.path)
    tracing = session.browser.tracing
    await tracing.start(timeout=session.remaining())
    session.recorders.append(Journal(tracing, command.path))
    return Answer()


@handles(TraceStop, browser=False)
async def trace_stop(session: Session, command: TraceStop) -> Answer:
    """A browser that has crashed meanwhile has taken its own trace along; the journal is still there."""
    journal = running(session, Journal)
    if journal is None:
        raise NotRunning("no trace is running", "Begin one: trace start.")
    files, path = session.files, command.path or journal.path
    if path is None:
        files, path = Files(), str(new_path(session.options.trace_folder, ".zip", "trace-"))
    files.writable(path)  # a wrong path ends nothing: the next 'trace stop' may name another
    session.recorders.remove(journal)
    try:
        with files.writing(path) as file, tempfile.TemporaryFile(prefix="oryn-") as trace:
            has_trace, notes = await _copy_trace(session, journal, trace)
            await archive.write(file, journal, trace if has_trace else None)
            size = file.tell()
    finally:
        await journal.close()
    written = str(files.writable(path))
    count = len(journal.entries)
    return Answer(
        lines=[quoted(written), f"{count} command{'' if count == 1 else 's'}"],
        data={"path": written, "size": size, "commands": count},
        notes=notes,
    )


async def _copy_trace(session: Session, journal: Journal, trace: IO[bytes]) -> tuple[bool, list[str]]:
    """Whether the browser's own trace is there, and what is to be said of it."""
    try:
        is_whole = await journal.tracing.stop(trace.write, timeout=session.remaining())
    except BrowserError as error:
        return False, [f"without the browser's own trace: {error.message}"]
    return True, [] if is_whole else ["the browser's own trace is not whole: its buffer was full"]
