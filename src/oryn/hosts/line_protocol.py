"""The line protocol: commands on standard input, answers on standard output, logs on standard error
(docs/spec/line-protocol.md).

The first answer is `ready oryn-h v<version> protocol=2`. It does not wait for the browser, which starts meanwhile; the
first command that needs the browser does. Each line gets exactly one answer, a blank one an empty one.

The line `{"cancel":true}` cancels the command that runs, which is answered with `CANCELLED`; its own answer is empty.

A definition spans several lines: `define x:` and the indented lines after it are one command. If each line is answered,
a line of the body is answered with the definition so far. An invalid line is not added, so that it can be sent again.
If the whole text is available (a script), the definition is sent at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from typing import TYPE_CHECKING, TypeVar

from oryn import PROTOCOL_VERSION, __version__
from oryn.errors import UnexpectedInput
from oryn.hosts.process_io import LineReader, Writer, cancel_on_signals
from oryn.hosts.session_factory import open_sessions
from oryn.sessions.framing import CANCEL_LINE, OversizedLine, decode_line, encode

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from oryn.browsers.process.run_folder import LaunchedProcess
    from oryn.engine import Answer
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration


async def execute_line(sessions: Sessions, line: bytes | OversizedLine) -> Answer:
    """Execute a line in its session. The host itself answers bytes that are not a line of the language."""
    try:
        text = decode_line(line)
    except UnexpectedInput as error:
        from oryn.engine import Answer

        return Answer(command="line", error=error, json=sessions.json)
    return await sessions.execute(text)


Other = TypeVar("Other")
"""The reader's placeholder for input that is not a line."""


def _starts_definition(line: bytes) -> bool:
    # Imported here, as the language is imported while the browser starts, not before.
    from oryn.language import begins_definition

    return begins_definition(line.decode("utf-8", "replace"))


def _is_body_line(line: bytes) -> bool:
    return line[:1] in (b" ", b"\t") and bool(line.strip())


class DefinitionAssembler:
    """Assembles definitions from the lines of one conversation: call `next_command` before a line is sent, `on_answer`
    after."""

    def __init__(self) -> None:
        self._so_far = b""
        """The definition whose body may continue; empty if the last line was not part of one."""
        self._sent = b""

    def next_command(self, line: bytes | Other) -> bytes | Other:
        """The command to send for a line: the line itself, or the definition so far with the line added."""
        self._sent = b""
        if not isinstance(line, bytes):
            self._so_far = b""
            return line
        if not line.strip():
            return line
        if self._so_far and _is_body_line(line):
            self._sent = self._so_far + b"\n" + line
            return self._sent
        self._so_far = line if _starts_definition(line) else b""
        return line

    def on_answer(self, ok: bool) -> None:
        """Note whether the command was executed. A definition continues only from a state that the engine has
        accepted."""
        if ok and self._sent:
            self._so_far = self._sent


async def join_definitions(lines: AsyncIterable[bytes | Other]) -> AsyncIterator[bytes | Other]:
    """The lines of a text, with each definition and its body joined into one."""
    pending: bytes | None = None
    async for line in lines:
        if pending is not None and isinstance(line, bytes):
            if _is_body_line(line):
                pending += b"\n" + line
                continue
            if not line.strip():
                continue
        if pending is not None:
            yield pending
            pending = None
        if isinstance(line, bytes) and _starts_definition(line):
            pending = line
        else:
            yield line
    if pending is not None:
        yield pending


def ready_line(engine: str) -> str:
    """The first answer of a host. `engine` is the name of the program of its mode, such as `oryn-h`."""
    return f"ready {engine} v{__version__} protocol={PROTOCOL_VERSION}"


def run(configuration: Configuration, started: LaunchedProcess | None = None) -> int:
    """Run the protocol until `exit`, the end of the input, a signal or a closed output; return the exit code."""
    return asyncio.run(converse(open_sessions(configuration, started)))


async def converse(opener: AbstractAsyncContextManager[Sessions], engine: str = "oryn-h") -> int:
    """Run the protocol with the sessions that `opener` opens and closes. Returns the exit code."""
    with cancel_on_signals("SIGTERM", "SIGINT", "SIGHUP") as ending:
        async with opener as sessions:
            await serve(sessions, LineReader(0), Writer(1), engine)
    return ending.code or 0


async def serve(sessions: Sessions, reader: LineReader, writer: Writer, engine: str = "oryn-h") -> None:
    """Answer every line of `reader` until `exit`, the end of the input, or a closed output."""
    definitions, lines = DefinitionAssembler(), aiter(reader)
    following = _read_next(lines)
    try:
        await writer.write(encode(ready_line(engine)))
        while (line := await following) is not None:
            following = _read_next(lines)
            if line == CANCEL_LINE:
                await writer.write(encode(""))
                continue
            answer = await _execute_unless_cancelled(sessions, definitions.next_command(line), following)
            definitions.on_answer(answer.error is None)
            await writer.write(encode(answer.render()))
            if answer.exit:
                return
    except BrokenPipeError:
        return
    finally:
        following.cancel()


def _read_next(lines: AsyncIterator[bytes | OversizedLine]) -> asyncio.Future[bytes | OversizedLine | None]:
    return asyncio.ensure_future(anext(lines, None))


async def _execute_unless_cancelled(
    sessions: Sessions, line: bytes | OversizedLine, following: asyncio.Future[bytes | OversizedLine | None]
) -> Answer:
    """Execute a line, which `following`, the next line, may cancel."""
    command = asyncio.ensure_future(execute_line(sessions, line))
    try:
        await asyncio.wait((command, following), return_when=asyncio.FIRST_COMPLETED)
        if command.done() or following.result() != CANCEL_LINE:
            return await command
    finally:
        if not command.done():
            command.cancel()
            await asyncio.wait([command])
    from oryn.engine import Answer
    from oryn.errors import Cancelled

    return Answer(command="line", error=Cancelled(), json=sessions.json)
