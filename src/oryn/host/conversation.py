"""One line in, one answer out: what every host does between its input and the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.errors import OrynError, UnexpectedInput
from oryn.sessions.framing import LINE_LIMIT, TooLong

if TYPE_CHECKING:
    from oryn.engine import Answer
    from oryn.sessions.sessions import Sessions


async def answer_to(sessions: Sessions, line: bytes | TooLong) -> Answer:
    """The session's answer, or the host's own where the bytes are no line of the language."""
    if isinstance(line, TooLong):
        return _refused(
            sessions, UnexpectedInput(f"a line of {line.size} bytes", f"A line may have {LINE_LIMIT} bytes at most.")
        )
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return _refused(sessions, UnexpectedInput(f"not UTF-8 at byte {error.start}", "Send commands as UTF-8 text."))
    return await sessions.execute(text)


def _refused(sessions: Sessions, error: OrynError) -> Answer:
    from oryn.engine import Answer

    return Answer(command="line", error=error, json=sessions.json)
