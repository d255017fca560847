"""`trace start`, `trace stop`, `record start`, `record stop`."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import PurePath
from typing import IO, TYPE_CHECKING

from oryn.core.text_safety import quoted
from oryn.engine.file_access import Files, new_path
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.recording import archive
from oryn.engine.recording.journal import TraceJournal
from oryn.engine.recording.recorder import active_recorder
from oryn.engine.recording.video import VideoRecorder
from oryn.errors import AlreadyRunning, BrowserError, BrowserFailed, InvalidValue, NotRunning, NotSupported
from oryn.language import RecordStart, RecordStop, TraceStart, TraceStop

if TYPE_CHECKING:
    from oryn.engine.session import Session

WRITING_SECONDS = 120.0
"""Seconds for reading a trace from the browser and writing it; a full buffer is some hundred megabytes."""

ENCODING_SECONDS = 60.0
"""Seconds for encoding a video, in addition to twice its length."""


@handles(TraceStart)
async def trace_start(session: Session, command: TraceStart) -> Answer:
    if active_recorder(session.recorders, TraceJournal):
        raise AlreadyRunning("a trace is running already", "End it first: trace stop.")
    if command.path is not None:
        session.files.writable(command.path, overwrite=command.overwrite)
    tracing = session.browser.tracing
    await tracing.start(timeout=session.deadline.remaining())
    session.recorders.append(TraceJournal(tracing, command.path))
    return Answer()


@handles(TraceStop, browser=False)
async def trace_stop(session: Session, command: TraceStop) -> Answer:
    """A browser that has crashed meanwhile has lost its own trace; the journal still exists."""
    journal = active_recorder(session.recorders, TraceJournal)
    if journal is None:
        raise NotRunning("no trace is running", "Begin one: trace start.")
    files, path = session.files, command.path or journal.path
    if path is None:
        files, path = Files(), str(new_path(session.options.trace_folder, ".zip", "trace-"))
    files.writable(
        path, overwrite=command.overwrite
    )  # an invalid path doesn't end the trace: the next 'trace stop' may name another
    session.recorders.remove(journal)
    if command.timeout is None:
        session.deadline.extend(WRITING_SECONDS)
    try:
        with files.writing(path) as file, tempfile.TemporaryFile(prefix="oryn-") as trace:
            has_trace, notes = await _copy_trace(session, journal, trace)
            await archive.write_archive(
                file, journal, trace if has_trace else None, session.mask_text if session.knows_secrets else None
            )
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


async def _copy_trace(session: Session, journal: TraceJournal, trace: IO[bytes]) -> tuple[bool, list[str]]:
    """Return whether the browser's own trace is available, and notes about it."""
    try:
        is_whole = await journal.tracing.stop(trace.write, timeout=session.deadline.remaining())
    except BrowserError as error:
        return False, [f"without the browser's own trace: {error.message}"]
    return True, [] if is_whole else ["the browser's own trace is not whole: its buffer was full"]


@handles(RecordStart)
async def record_start(session: Session, command: RecordStart) -> Answer:
    require_no_dialog(session)
    if active_recorder(session.recorders, VideoRecorder):
        raise AlreadyRunning("a video is being recorded already", "End it first: record stop.")
    if (suffix := PurePath(command.path).suffix.lower()) in _OTHER_VIDEOS:
        raise InvalidValue(f"a video is a WebM file, not {suffix[1:]}", "Name the file with .webm at its end.")
    session.files.writable(command.path, overwrite=command.overwrite)
    if session.new_video_encoder is None:
        raise NotSupported()
    video = VideoRecorder(session.new_video_encoder(), command.path, command.quality or "medium")
    try:
        await video.follow(session.page)
    except BaseException:  # also if cancelled: its folder must not stay
        await video.close()
        raise
    session.recorders.append(video)
    return Answer()


_OTHER_VIDEOS = frozenset({".mp4", ".m4v", ".mov", ".mkv", ".avi", ".gif", ".ogv"})


@handles(RecordStop, browser=False)
async def record_stop(session: Session, command: RecordStop) -> Answer:
    """Without `--timeout`, encoding may take longer than other commands, depending on the video. If it fails the
    pictures are not deleted, and the command may be repeated."""
    video = active_recorder(session.recorders, VideoRecorder)
    if video is None:
        raise NotRunning("no video is being recorded", "Begin one: record start <path>.")
    await video.stop(session.browser)
    if video.encoder.is_empty:
        session.recorders.remove(video)
        await video.close()
        raise BrowserFailed("the browser has shown nothing to record")
    if command.timeout is None:
        session.deadline.extend(ENCODING_SECONDS + 2 * video.seconds)
    doing = f"encoding {PurePath(video.path).name}"
    with session.files.writing(video.path) as file:
        footage = await video.encoder.encode(
            file, video.quality, video.ended, lambda share: session.progress(doing, share)
        )
        size = file.tell()
    session.recorders.remove(video)
    await video.close()
    path = str(session.files.writable(video.path))
    length = f"{footage.seconds:.1f} s, {footage.width}x{footage.height}"
    return Answer(
        lines=[quoted(path), length],
        data={"path": path, "size": size, **asdict(footage)},
        notes=[video.encoder.lost] if video.encoder.lost else [],
    )
