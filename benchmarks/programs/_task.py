"""A task that is done in two ways, and what each way costs an agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from oryn import Oryn


class Way:
    """One way of doing a task: it sends lines and programs, and counts calls and characters."""

    def __init__(self, oryn: Oryn, *, verbose: bool) -> None:
        self._oryn = oryn
        self._verbose = verbose
        self.calls = self.characters = 0

    async def line(self, line: str) -> str:
        """Send a line; its answer. Raises `SystemExit` if that is an error."""
        return self._count(line, await self._oryn.send(line))

    async def program(self, text: str) -> str:
        """Run a program; its answer. Raises `SystemExit` if that is an error."""
        result = await self._oryn.program(text=text)
        return self._count(text, result.text)

    def _count(self, written: str, read: str) -> str:
        self.calls += 1
        self.characters += len(written) + len(read)
        if self._verbose:
            print(f"> {written}\n{read}\n", flush=True)
        if read.startswith("error"):
            raise SystemExit(f"{written}\n{read}")
        return read


@dataclass(frozen=True)
class Task:
    """`begin`: lines that both ways need before, which are not counted. `lines` does the task as an agent does that
    reads each answer. `program` is the text of a careful author. `state` asks the application what there is in the
    end, and `is_done` judges that."""

    name: str
    begin: tuple[str, ...]
    lines: Callable[[Way], Awaitable[None]]
    program: str
    state: Callable[[Oryn], Awaitable[Any]]
    is_done: Callable[[Any], bool]
