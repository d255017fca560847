"""The programs of a session: those that have stopped and can go on, with what they expect, and those that have ended
well, which can be saved."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from oryn.core.records import Record
from oryn.engine.program.interpreter import FunctionCall, ProgramState
from oryn.errors import ProgramNotFound

RESUMABLE_SECONDS = 60.0
"""How long a stopped program can go on."""
MAX_ENDED_PROGRAMS = 20
"""Maximum number of ended programs of which a session keeps the texts."""
MAX_STOPPED_PROGRAMS = 4
"""Maximum number of stopped programs of a session; beyond it, the oldest is dropped."""


MAX_STATE_BYTES = 4 * 1024 * 1024
"""Maximum size of the state of a stopped program; a larger one can't go on."""


class Allowances:
    """What a program has said it expects: origins and dialogs."""

    def __init__(self) -> None:
        self.origins: set[str] = set()
        self.any_origin = False
        self.dialogs = False

    def allow_url(self, url: str) -> None:
        self.origins.add(host_of(url))

    def allows(self, url: str) -> bool:
        return self.any_origin or url in ("", "about:blank") or host_of(url) in self.origins


class StoppedProgram(Record):
    """A program that can go on until `end`, in seconds of the monotonic clock.

    `form`: the JSON form of the answer to the command that it has stopped at, if that was done. `confirmation`: its
    identifier, if that command waits for a person."""

    id: str
    state: ProgramState
    call: FunctionCall
    allowances: Allowances
    end: float
    form: Mapping[str, Any] | None = None
    confirmation: str | None = None
    secrets: frozenset[str] = frozenset()
    """The credentials that its commands have typed so far."""


class EndedProgram(Record):
    """A program that has ended well. `secrets` are the credentials that its commands have typed."""

    text: str
    secrets: frozenset[str] = frozenset()


class SessionPrograms:
    """The stopped programs of one session, and those that have ended well, the latest last."""

    def __init__(self) -> None:
        self._programs: dict[str, StoppedProgram] = {}
        self.ended: deque[EndedProgram] = deque(maxlen=MAX_ENDED_PROGRAMS)

    def keep(self, program: StoppedProgram) -> bool:
        """Let a program go on later, until its end. False if its state is too large for that."""
        if len(program.state.data) > MAX_STATE_BYTES:
            return False
        while len(self._programs) >= MAX_STOPPED_PROGRAMS:
            del self._programs[next(iter(self._programs))]
        self._programs[program.id] = program
        loop = asyncio.get_running_loop()
        loop.call_later(program.end - time.monotonic(), self._programs.pop, program.id, None)
        return True

    def take(self, id: str) -> StoppedProgram:
        """Return a program, which goes on only once. Raises `ProgramNotFound`."""
        found = self._programs.pop(id, None)
        if found is None or found.end <= time.monotonic():
            raise ProgramNotFound(f"no stopped program {id} in this session")
        return found


def host_of(url: str) -> str:
    """The origin of a URL as a program names it: a host and its port. A scheme alone, for a URL without a host."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2].lower().removeprefix("www.")
    return host or f"{parts.scheme}:"
