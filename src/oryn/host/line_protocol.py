"""The line protocol: commands on standard input, answers on standard output, logs on standard error (seed 000 §4.3).

The first answer is `ready oryn-h v<version> protocol=2`. It does not wait for the browser, which starts meanwhile; the
first command that needs it does. Each line gets exactly one answer, a blank one an empty one.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from oryn import PROTOCOL_VERSION, __version__
from oryn.host.conversation import answer_to
from oryn.host.definitions import Definitions
from oryn.host.opening import opened
from oryn.host.signals import ending_on_signals
from oryn.host.streams import LineReader, Writer
from oryn.sessions.framing import encode

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from oryn.browsers.cdp.launch import Started
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration


def ready_line(engine: str) -> str:
    """What a host says first. `engine` is the seed's name of the mode: `oryn-h`, `oryn-e`, `oryn-r`."""
    return f"ready {engine} v{__version__} protocol={PROTOCOL_VERSION}"


def run(configuration: Configuration, started: Started | None = None) -> int:
    """Speak the protocol until `exit`, the end of the input, a signal or a closed output; returns the exit code."""
    return asyncio.run(converse(opened(configuration, started)))


async def converse(opening: AbstractAsyncContextManager[Sessions], engine: str = "oryn-h") -> int:
    """Speak it with the sessions that `opening` opens, and ends; the exit code."""
    with ending_on_signals("SIGTERM", "SIGINT", "SIGHUP") as ending:
        async with opening as sessions:
            await serve(sessions, LineReader(0), Writer(1), engine)
    return ending.code or 0


async def serve(sessions: Sessions, reader: LineReader, writer: Writer, engine: str = "oryn-h") -> None:
    """Answer every line of `reader` until `exit`, its end, or until nobody reads the answers."""
    definitions = Definitions()
    try:
        await writer.write(encode(ready_line(engine)))
        async for line in reader:
            answer = await answer_to(sessions, definitions.joined(line))
            definitions.answered(answer.error is None)
            await writer.write(encode(answer.render()))
            if answer.exit:
                return
    except BrokenPipeError:
        return
