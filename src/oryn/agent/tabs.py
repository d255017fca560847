"""The target tabs of one agent: their order, their limit, and what is told of them."""

from __future__ import annotations

from collections.abc import Iterator

from oryn.agent.context import Shown
from oryn.agent.messages import tab_released
from oryn.agent.redaction import Redaction
from oryn.agent.target import Target, Told, blocks
from oryn.agent.targets import Targets
from oryn.agent.view import Numbers
from oryn.engine import Session
from oryn.errors import OrynError


class Tabs:
    """The targets, the oldest first; at most `limit` of them."""

    def __init__(self, browser: Targets, limit: int, redaction: Redaction, text_limit: int, numbers: Numbers) -> None:
        self._browser = browser
        self.shown = Shown(redaction, self.withheld)
        self._text_limit = text_limit
        self._sessions: list[Session] = []
        """Those of the targets, and those that are let go but know values of the vault."""
        self._numbers = numbers
        self._open: list[Target] = []
        self._begun = False
        self.limit = limit
        self.current: Target | None = None
        """The one that was opened or acted on last."""

    def __iter__(self) -> Iterator[Target]:
        return iter(list(self._open))

    def __len__(self) -> int:
        return len(self._open)

    def withheld(self, words: str) -> str:
        """A text with dots in the place of values of the vault that any target was given: a page may show in one tab
        what was typed in another."""
        for session in self._sessions:
            words = session.withheld(words)
        return words

    async def begin(self) -> list[str]:
        """Take the tabs that are there, once; tells of those that are too many."""
        released: list[str] = []
        if self._begun:
            return released
        self._begun = True
        try:
            sessions = await self._browser.begin()
        except OrynError:
            self._begun = False
            raise
        for session in sessions:
            released += (await self.add(session))[1]
        return released

    async def open(self) -> tuple[Target, list[str]]:
        """A new tab; and what is to be told of those that were released for it. Raises `OrynError`."""
        released = await self._make_room(None)
        target = self._taken(await self._browser.open())
        return target, released

    async def add(self, session: Session, opener: Target | None = None) -> tuple[Target, list[str]]:
        """Take a tab in; and what is to be told of those released for it, of which the `opener` is the last."""
        released = await self._make_room(opener)
        return self._taken(session), released

    async def popups(self) -> list[Session]:
        return list(await self._browser.popups())

    async def leave(self, session: Session) -> None:
        """A tab that is no target shall be none."""
        await self._browser.release(session)

    def _taken(self, session: Session) -> Target:
        target = Target(session, self._numbers, self.shown, self._text_limit)
        self._sessions.append(session)
        self._open.append(target)
        self.current = target
        return target

    async def _make_room(self, keep: Target | None) -> list[str]:
        released = []
        while len(self._open) >= self.limit:
            oldest = next((each for each in self._open if each is not keep), self._open[0])
            released.append(tab_released(self.limit, oldest.url, oldest.shown))
            await self.release(oldest)
        return released

    async def release(self, target: Target) -> None:
        """Let a tab go."""
        self._open.remove(target)
        if self.current is target:
            self.current = self._open[-1] if self._open else None
        await self._browser.release(target.session)
        if not target.session.knows_secrets:
            self._sessions.remove(target.session)

    async def contexts(self, told: Told) -> list[str]:
        """The blocks of all targets."""
        return [await blocks(target, told) for target in self]

    def sent(self) -> None:
        """The blocks that were given last are in a message."""
        for target in self:
            target.sent()

    def of_number(self, number: int) -> Target | None:
        """The target that has an element of this number."""
        return next((each for each in self._open if each.has(number)), None)

    def called(self, words: str) -> list[Target]:
        """The targets whose URL is this, or has this in it."""
        same = [each for each in self._open if words in (each.url, each.address)]
        return same or [each for each in self._open if words in each.url]
