"""Scripts: runs the lines of an `.oil` file one after the other and prints each with its answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import TYPE_CHECKING

from oryn.hosts.line_protocol import execute_line, join_definitions
from oryn.hosts.process_io import cancel_on_signals
from oryn.hosts.session_factory import open_sessions
from oryn.sessions.framing import OversizedLine

if TYPE_CHECKING:
    from oryn.engine import Answer
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration

ScriptLines = AsyncIterable[bytes | OversizedLine]
AnswerCallback = Callable[[str, "Answer"], None]
"""Called with each line and its answer."""


def run_script(
    configuration: Configuration, lines: ScriptLines, show: AnswerCallback, *, keep_going: bool = False
) -> int:
    """Run a script; return the exit code, that of the first error or 0."""
    return asyncio.run(_run_script(configuration, lines, show, keep_going))


async def _run_script(configuration: Configuration, lines: ScriptLines, show: AnswerCallback, keep_going: bool) -> int:
    code = 0
    with cancel_on_signals("SIGTERM", "SIGINT", "SIGHUP") as ending:
        async with open_sessions(configuration) as sessions:
            code = await run_lines(sessions, lines, show, keep_going=keep_going)
    return ending.code or code


async def lines_of(text: str) -> AsyncIterator[bytes]:
    """The lines of a text, as a `LineReader` yields them."""
    for line in text.split("\n"):
        yield line.encode()


async def run_lines(sessions: Sessions, lines: ScriptLines, show: AnswerCallback, *, keep_going: bool = False) -> int:
    """Run every line, with each definition and its body as one, until `exit`, the end or an error. With `keep_going`,
    errors don't end the script."""
    code = 0
    async for line in join_definitions(lines):
        answer = await execute_line(sessions, line)
        show(line.decode("utf-8", "replace") if isinstance(line, bytes) else "", answer)
        if answer.error is not None:
            code = code or answer.error.exit_code
            if not keep_going:
                break
        if answer.exit:
            break
    return code
