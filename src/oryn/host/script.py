"""Scripts: the lines of an `.oil` file run one after the other, printed as the dialogue that they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import TYPE_CHECKING

from oryn.host.conversation import answer_to
from oryn.host.definitions import whole
from oryn.host.opening import opened
from oryn.host.signals import ending_on_signals
from oryn.sessions.framing import TooLong

if TYPE_CHECKING:
    from oryn.engine import Answer
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration

Lines = AsyncIterable[bytes | TooLong]
Show = Callable[[str, "Answer"], None]
"""Called with each line and its answer."""


def run(configuration: Configuration, lines: Lines, show: Show, *, keep_going: bool = False) -> int:
    """Run a script; returns the exit code, that of the first error or 0."""
    return asyncio.run(_run(configuration, lines, show, keep_going))


async def _run(configuration: Configuration, lines: Lines, show: Show, keep_going: bool) -> int:
    code = 0
    with ending_on_signals("SIGTERM", "SIGINT", "SIGHUP") as ending:
        async with opened(configuration) as sessions:
            code = await perform(sessions, lines, show, keep_going=keep_going)
    return ending.code or code


async def lines_of(text: str) -> AsyncIterator[bytes]:
    """A text's lines, as a `LineReader` would read them."""
    for line in text.split("\n"):
        yield line.encode()


async def perform(sessions: Sessions, lines: Lines, show: Show, *, keep_going: bool = False) -> int:
    """Run every line, a definition with its body as one, until `exit`, the end, or, unless `keep_going`, an error."""
    code = 0
    async for line in whole(lines):
        answer = await answer_to(sessions, line)
        show(line.decode("utf-8", "replace") if isinstance(line, bytes) else "", answer)
        if answer.error is not None:
            code = code or answer.error.exit_code
            if not keep_going:
                break
        if answer.exit:
            break
    return code
