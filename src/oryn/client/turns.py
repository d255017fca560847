"""Commands take turns with an engine that does one after the other: the one that is under way, and those that wait."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from oryn.errors import ConnectionLost


class _Turn:
    """A command, and what waits for its answer; who was cancelled waits no more."""

    __slots__ = ("answer", "line")

    def __init__(self, line: str) -> None:
        self.line = line
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()


class Turns:
    """`write` sends a line; it is called once for each, in the order in which they were asked for. A command that was
    cancelled while it waited is never sent; the answer to one that was sent is taken and dropped, so that the next
    command gets its own."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._waiting: deque[_Turn] = deque()
        self._under_way: _Turn | None = None

    @property
    def busy(self) -> bool:
        """Whether a command was sent that is not answered."""
        return self._under_way is not None

    async def ask(self, line: str) -> str:
        """The answer to a command. Raises what `fail` is given."""
        turn = _Turn(line)
        self._waiting.append(turn)
        self._go_on()
        return await turn.answer

    def answered(self, payload: str) -> bool:
        """An answer has come; whether a command was under way that it can belong to."""
        turn, self._under_way = self._under_way, None
        if turn is None:
            return False
        if not turn.answer.done():
            turn.answer.set_result(payload)
        self._go_on()
        return True

    def fail(self, why: str, told: str = "") -> None:
        """No more answers come: all who wait get a `ConnectionLost`. `told` goes behind what happened."""
        turn, self._under_way = self._under_way, None
        if turn and not turn.answer.done():
            turn.answer.set_exception(ConnectionLost(f"{why} before it answered '{_verb(turn.line)}'{told}"))
        for each in self._waiting:
            if not each.answer.done():
                why_not = f"{why} before '{_verb(each.line)}' was sent{told}"
                each.answer.set_exception(ConnectionLost(why_not, "It was not done: send it again."))
        self._waiting.clear()

    def _go_on(self) -> None:
        while self._waiting and self._under_way is None:
            turn = self._waiting.popleft()
            if not turn.answer.done():
                self._under_way = turn
                self._write(turn.line)


def _verb(line: str) -> str:
    """What may be told of a command: what follows may be a secret."""
    return next((word for word in line.split() if not word.startswith("@")), "")[:40]
