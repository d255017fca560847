"""Takeover of a session by a person: until they give it back, the agent's commands wait.

A person who has taken a session over uses its page directly, with mouse and keyboard. Their own commands carry the
token of their takeover (`PERSON`) and do not wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from oryn.errors import TakenOver

PERSON: ContextVar[str | None] = ContextVar("PERSON", default=None)
"""The token of the takeover whose person sent the current command; None for a command of an agent."""


class Takeover:
    """One takeover, from its begin to its end. `token` is secret; `since` is UTC in ISO 8601."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.ended = asyncio.Event()
        """Set when it has ended, whatever the reason."""
        self.returned = False
        """Whether it has ended because the person gave the session back, and not because their connection was lost."""


class SessionControl:
    """Who controls a session: the agent, or a person who has taken it over."""

    def __init__(self) -> None:
        self.takeover: Takeover | None = None
        """The present takeover; None while the agent controls the session."""
        self._released = asyncio.Event()
        self._released.set()
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
        self.takeover = Takeover(token)
        return self.takeover

    def release(self, takeover: Takeover, *, returned: bool) -> None:
        """End a takeover, if it has not ended: the agent's commands continue. `returned`: the person meant it."""
        if self.takeover is not takeover:
            return
        takeover.returned = returned
        self.takeover = None
        self._released.set()
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
        try:
            yield
        finally:
            lock.release()

    def _keeps_out(self) -> bool:
        return self.takeover is not None and PERSON.get() != self.takeover.token

    async def _wait(self, deadline: float) -> None:
        while self._keeps_out():
            try:
                async with asyncio.timeout_at(deadline):
                    await self._released.wait()
            except TimeoutError:
                assert self.takeover is not None
                raise TakenOver(f"a person has had this session since {self.takeover.since}") from None
