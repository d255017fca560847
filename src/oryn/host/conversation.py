"""One line in, one answer out: what every host does between its input and the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.errors import OrynError, UnexpectedInput
from oryn.host.framing import LINE_LIMIT, TooLong

if TYPE_CHECKING:
    from oryn.engine import Answer, Session


async def answer_to(session: Session, line: bytes | TooLong) -> Answer:
    """The session's answer, or the host's own where the bytes are no line of the language."""
    if isinstance(line, TooLong):
        return _refused(
            session, UnexpectedInput(f"a line of {line.size} bytes", f"A line may have {LINE_LIMIT} bytes at most.")
        )
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return _refused(session, UnexpectedInput(f"not UTF-8 at byte {error.start}", "Send commands as UTF-8 text."))
    return await session.execute(text)


def _refused(session: Session, error: OrynError) -> Answer:
    from oryn.engine import Answer

    return Answer(command="line", error=error, json=session.json)
