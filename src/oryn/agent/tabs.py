"""The tabs of an agent: the interface that a browser implements for them, their order and their limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from oryn.agent.context import PageRedactor
from oryn.agent.messages import tab_released
from oryn.agent.sanitization import Redaction
from oryn.agent.target import SnapshotDetail, TargetTab, render_tab
from oryn.browsers.base import Browser
from oryn.browsers.common.single_tab import SingleTabBrowser
from oryn.engine import Session
from oryn.engine.page.element_index import ElementIdCounter
from oryn.errors import BrowserFailed, OrynError

PICTURE_SECONDS = 2.0
"""How long a picture of a tab may take; it is for people, and no step waits for it longer."""
PICTURE_QUALITY = 55


class TabProvider(Protocol):
    """Provides an agent with tabs of a browser. Each target is a session pinned to its tab, which may be in the
    background."""

    async def begin(self) -> Sequence[Session]:
        """Return the tabs that are targets from the start, oldest first."""

    async def open(self) -> Session:
        """Open a blank tab in the background. Raises `OrynError`."""

    async def popups(self) -> Sequence[Session]:
        """Return the tabs that pages of targets have opened since the last call."""

    async def release(self, session: Session) -> None:
        """Release a tab from the agent's control. Never raises if the tab is closed already."""


class BrowserTabProvider:
    """A `TabProvider` of one browser that nothing else drives meanwhile. `make` creates the session for a browser with
    one tab. `adopt` has the numbers of the initial tabs, which stay open when they are released."""

    def __init__(self, browser: Browser, make: Callable[[Browser], Session], adopt: Sequence[int] = ()) -> None:
        self._browser = browser
        self._make = make
        self._adopted = tuple(adopt)
        self._seen_numbers: set[int] = set()
        self._downloads: dict[str, str] | None = None

    async def begin(self) -> Sequence[Session]:
        await self._start()
        return [self._session(number) for number in self._adopted]

    async def open(self) -> Session:
        if self._is_down():
            await self._start()
        return self._session(await self._browser.blank_tab())

    async def popups(self) -> Sequence[Session]:
        numbers = [tab.number for tab in await self._browser.tabs()]
        return [self._session(number) for number in numbers if number not in self._seen_numbers]

    async def _start(self) -> None:
        await self._browser.start()
        self._seen_numbers = {tab.number for tab in await self._browser.tabs()}

    def _is_down(self) -> bool:
        try:
            self._browser.page  # noqa: B018  raises if it does not run
        except BrowserFailed:
            return True
        return self._browser.lost

    async def release(self, session: Session) -> None:
        tab = session.browser
        if isinstance(tab, SingleTabBrowser) and tab.number not in self._adopted:
            await session.close()

    def _session(self, number: int) -> Session:
        self._seen_numbers.add(number)
        session = self._make(SingleTabBrowser(self._browser, number))
        # Downloads belong to the browser, so a download that one tab's answer has reported is not reported by another.
        self._downloads = session.reported_downloads = (
            session.reported_downloads if self._downloads is None else self._downloads
        )
        return session


class TargetTabs:
    """The target tabs, oldest first; at most `limit` of them. A snapshot has at most `text_limit` characters of the
    text of its page."""

    def __init__(
        self, browser: TabProvider, limit: int, redaction: Redaction, text_limit: int, numbers: ElementIdCounter
    ) -> None:
        self._browser = browser
        self.redactor = PageRedactor(redaction, self.withheld)
        self._text_limit = text_limit
        self._sessions: list[Session] = []
        """The sessions of the targets, and of released tabs if they know values of the vault."""
        self._numbers = numbers
        self._open: list[TargetTab] = []
        self._started = False
        self.limit = limit
        self.current: TargetTab | None = None
        """The tab that was opened or used last."""

    def __iter__(self) -> Iterator[TargetTab]:
        return iter(list(self._open))

    def __len__(self) -> int:
        return len(self._open)

    def withheld(self, words: str) -> str:
        """Mask values of the vault that any target has received. A page may display in one tab what was typed in
        another."""
        for session in self._sessions:
            words = session.mask_text(words)
        return words

    async def begin(self) -> list[str]:
        """Add the initial tabs, once. Return the messages about tabs that were released because of the limit. Raises
        `OrynError`."""
        released: list[str] = []
        if self._started:
            return released
        self._started = True
        try:
            sessions = await self._browser.begin()
        except OrynError:
            self._started = False
            raise
        for session in sessions:
            released += (await self.add(session))[1]
        return released

    async def open(self) -> tuple[TargetTab, list[str]]:
        """Open a new tab. Return it and the messages about tabs that were released for it. Raises `OrynError`."""
        released = await self._make_room(None)
        target = self._add_target(await self._browser.open())
        return target, released

    async def add(self, session: Session, opener: TargetTab | None = None) -> tuple[TargetTab, list[str]]:
        """Add a tab. Return it and the messages about tabs that were released for it; the `opener` is released last."""
        released = await self._make_room(opener)
        return self._add_target(session), released

    async def popups(self) -> list[Session]:
        """The tabs that pages of targets have opened since the last call; they are not targets yet."""
        return list(await self._browser.popups())

    async def release_popup(self, session: Session) -> None:
        """Release a tab that does not become a target."""
        await self._browser.release(session)

    def _add_target(self, session: Session) -> TargetTab:
        target = TargetTab(session, self._numbers, self.redactor, self._text_limit)
        self._sessions.append(session)
        self._open.append(target)
        self.current = target
        return target

    async def _make_room(self, keep: TargetTab | None) -> list[str]:
        released = []
        while len(self._open) >= self.limit:
            oldest = next((each for each in self._open if each is not keep), self._open[0])
            released.append(tab_released(self.limit, oldest.url, oldest.redactor))
            await self.release(oldest)
        return released

    async def release(self, target: TargetTab) -> None:
        """Release a target tab."""
        self._open.remove(target)
        if self.current is target:
            self.current = self._open[-1] if self._open else None
        await self._browser.release(target.session)
        if not target.session.knows_secrets:
            self._sessions.remove(target.session)

    async def contexts(self, detail: SnapshotDetail, acted: TargetTab | None = None) -> list[str]:
        """Render the blocks of all targets. `acted` is the one that the last command was for."""
        return [await render_tab(target, detail, acted=target is acted) for target in self]

    async def picture(self) -> bytes | None:
        """Return a JPEG picture of the current tab, or None if there is none or it might show a value of the vault."""
        if self.current is None or any(session.knows_secrets for session in self._sessions):
            return None
        session = self.current.session
        try:
            async with session.turn(PICTURE_SECONDS):
                return await session.page.screenshot(
                    format="jpeg", quality=PICTURE_QUALITY, timeout=session.deadline.remaining()
                )
        except (OrynError, NotImplementedError):
            return None

    @property
    def has_updates(self) -> bool:
        """Whether the last rendered blocks of any target report a change of its page."""
        return any(target.has_update for target in self)

    def mark_sent(self) -> None:
        """Record that the last rendered blocks are in a message."""
        for target in self:
            target.mark_sent()

    def find_by_element(self, number: int) -> TargetTab | None:
        """Return the target that has an element of this number, or None."""
        return next((each for each in self._open if each.has_element(number)), None)

    def find_by_url(self, words: str) -> list[TargetTab]:
        """Return the targets whose URL equals `words`; if there are none, those whose URL contains it."""
        same = [each for each in self._open if words in (each.url, each.display_url)]
        return same or [each for each in self._open if words in each.url]
