"""One line in, one answer out: what every host does between its input and the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.errors import UnexpectedInput
from oryn.sessions.framing import TooLong, text_of

if TYPE_CHECKING:
    from oryn.engine import Answer
    from oryn.sessions.sessions import Sessions


async def answer_to(sessions: Sessions, line: bytes | TooLong) -> Answer:
    """The session's answer, or the host's own where the bytes are no line of the language."""
    try:
        text = text_of(line)
    except UnexpectedInput as error:
        from oryn.engine import Answer

        return Answer(command="line", error=error, json=sessions.json)
    return await sessions.execute(text)
