"""Takeover of a session by a person: until they give it back, the agent's commands wait.

A person who has taken a session over uses its page directly, with mouse and keyboard. Their own commands carry the
token of their takeover (`PERSON`) and do not wait."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from oryn.browsers.base.leases import ForeignAct, LeaseHolder, SessionLeases
from oryn.errors import TakenOver

PERSON: ContextVar[str | None] = ContextVar("PERSON", default=None)
"""The token of the takeover whose person sent the current command; None for a command of an agent."""

ANSWERS_AGENT: ContextVar[bool] = ContextVar("ANSWERS_AGENT", default=True)
"""Whether an agent reads the answer of the current command. What is told to it once is not in answers that others read:
a person on the live page, or a program that reads a resource."""


class Takeover:
    """One takeover, from its begin to its end. `token` is secret; `since` is UTC in ISO 8601."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.person = LeaseHolder("the person", math.inf, is_person=True)
        """Who has the tabs that they use meanwhile, in a browser that others use too."""
        self.since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.ended = asyncio.Event()
        """Set when it has ended, whatever the reason."""
        self.returned = False
        """Whether it has ended because the person gave the session back, and not because their connection was lost."""


class _Turn:
    """A command's turn: whether it holds the session's lock."""

    def __init__(self, lock: asyncio.Lock) -> None:
        self.lock = lock
        self.is_held = True


class SessionControl:
    """Who controls a session: the agent, or a person who has taken it over.

    leases: returns those of the session's browser.
    on_foreign_act: called with what a person has done, when a takeover has ended."""

    def __init__(
        self,
        leases: Callable[[], SessionLeases | None] = lambda: None,
        on_foreign_act: Callable[[ForeignAct], object] = lambda act: None,
    ) -> None:
        self._leases = leases
        self._on_foreign_act = on_foreign_act
        self.takeover: Takeover | None = None
        """The present takeover; None while the agent controls the session."""
        self._released = asyncio.Event()
        self._released.set()
        self._turn: _Turn | None = None
        """The turn of the running command."""
        self.on_return: list[Callable[[], object]] = []
        """Called when a person has given the session back; not if their connection was lost."""

    def take(self, token: str) -> Takeover:
        """Take the session over. From now on the agent's commands wait, except one that runs already. Commands with
        `token` are the person's own. Raises `TakenOver` if a person has the session already."""
        if self.takeover is not None:
            raise TakenOver(
                f"another person has had this session since {self.takeover.since}", "Wait until they give it back."
            )
        self._released.clear()
        takeover = self.takeover = Takeover(token)
        self.note_person()
        return takeover

    def note_person(self) -> None:
        """The person who has the session uses its current tab, which no other session may act on from now on."""
        if self.takeover is not None and (leases := self._leases()) is not None:
            leases.hand_over(self.takeover.person)

    def release(self, takeover: Takeover, *, returned: bool) -> None:
        """End a takeover, if it has not ended: the agent's commands continue. `returned`: the person meant it."""
        if self.takeover is not takeover:
            return
        takeover.returned = returned
        self.takeover = None
        self._released.set()
        if (leases := self._leases()) is not None:
            leases.hand_back(takeover.person)
        self._on_foreign_act(ForeignAct(takeover.person, time.time()))
        takeover.ended.set()
        if returned:
            for callback in tuple(self.on_return):
                callback()

    @asynccontextmanager
    async def turn(self, lock: asyncio.Lock, seconds: float) -> AsyncIterator[None]:
        """Hold `lock`, the session's own, while a command runs. If a person has the session, wait at most `seconds`
        seconds for them to give it back. Raises `TakenOver` then."""
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            await self._wait(deadline)
            await lock.acquire()
            if not self._keeps_out():
                break
            lock.release()  # a person has taken over while this command waited for another one
        turn = self._turn = _Turn(lock)
        try:
            yield
        finally:
            if turn.is_held:
                lock.release()

    async def give_way(self) -> None:
        """Let the commands that wait for the session run before the current one goes on."""
        turn = self._turn
        if turn is None or not turn.is_held:
            return
        turn.is_held = False
        turn.lock.release()
        await turn.lock.acquire()
        turn.is_held, self._turn = True, turn

    def _keeps_out(self) -> bool:
        return self.takeover is not None and self.person is None

    @property
    def person(self) -> LeaseHolder | None:
        """The person who has the session, if the current command is theirs."""
        takeover = self.takeover
        return takeover.person if takeover is not None and PERSON.get() == takeover.token else None

    async def _wait(self, deadline: float) -> None:
        while self._keeps_out():
            try:
                async with asyncio.timeout_at(deadline):
                    await self._released.wait()
            except TimeoutError:
                assert self.takeover is not None
                raise TakenOver(f"a person has had this session since {self.takeover.since}") from None
