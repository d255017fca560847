"""`Attending`: keeps one running session up to date on disk, and brings it back when its browser was started anew.

What an answer tells of the tabs is written down before the answer leaves, from what events have told of them: nobody is
asked. Cookies and storage are looked at a moment later.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.engine import escape
from oryn.engine.saved_state import SavedState, encode, sealed, unsealed
from oryn.errors import FileError, NotSupported, OrynError, StateKeyWrong
from oryn.language import Check, Clear, Command, FillForm, Login, Run, Select, Type, Uncheck, Upload
from oryn.sessions.capturing import Memory
from oryn.sessions.keeping import set_aside
from oryn.sessions.kept import BLANK, Kept, Standing, standing_of, state_of
from oryn.sessions.restoring import bring_back, not_kept
from oryn.sessions.rhythm import Rhythm

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.sessions.keeping import Keeper

log = logging.getLogger(__name__)

QUICK_SECONDS = 0.4
"""What the first look after an answer takes at most, and"""
LOOK_SECONDS = 15.0
"""the one after it, where a page did not say in time what it stores."""
LAST_LOOK_SECONDS = 4.0
"""The same when the host ends."""
LARGEST = 64_000_000
"""Bytes of a session's file."""
GENERATIONS = 1000
"""How far the generation leaps after what was kept: more than a session can count until it is kept again."""
CLOSING_SECONDS = 1.0
"""How long a tab has been gone by itself until that is kept: a browser that ends closes its tabs first."""

_ENTERING = (Type, Clear, Select, Check, Uncheck, Upload, FillForm, Login, Run)
"""Commands that put something into a page that its URL does not bring back."""


class Attending:
    """`kept` is what an earlier host has left of the session, which its browser's first start brings back."""

    def __init__(
        self, keeper: Keeper, session: Session, settings: Mapping[str, Any], started: str, kept: Kept | None
    ) -> None:
        self._keeper = keeper
        self._session = session
        self._settings = settings
        self._started = started
        self._left = kept
        self._profile_gone = bool(kept and kept.profile and _is_gone(keeper.profiles / kept.profile))
        self._memory = Memory()
        self._ready = False
        """What the browser holds is the session's, all of it, and may be kept."""
        self._begun = False
        self._written: tuple[Standing, tuple[int, ...]] | None = None
        """What the session's own file says, and of which tabs."""
        self._entered: set[str] = set()
        """The documents that something was entered into."""
        self._dirty = False
        self._behind = False
        self._rhythm = Rhythm()
        self._closing: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._saving: asyncio.Task[None] | None = None
        session.restore = self._restore
        session.answered = self._answered
        session.browser.on_moved(self._moved)

    @property
    def is_new(self) -> bool:
        """Whether its browser never ran, here or before: closed, it leaves nothing."""
        return self._left is None and not self._begun

    # --- what is kept at once ---

    def _answered(self, command: Command | None) -> None:
        """What the answer that is about to leave tells of the tabs is on disk before it does; the rest is kept soon."""
        if isinstance(command, _ENTERING):
            self._enter()
        if self.is_new:
            self._keeper.note(self._row())
        self._behind = self._behind or self._is_whole()
        self._note(counted=True)
        self._dirty = True
        self._rhythm.answered()
        self._stir()

    def _enter(self) -> None:
        with suppress(OrynError):  # there is no page any more
            self._entered.add(self._session.page.document)

    def _moved(self) -> None:
        """A tab has come, gone, or shows another URL, whoever caused it."""
        if not self._note(counted=False):
            return
        self._dirty = True
        self._rhythm.moved()
        self._stir()

    def _note(self, *, counted: bool) -> bool:
        """Write down which tabs there are and what they show, as far as that is known without asking. Whether it is.
        A tab that has gone without a command (`counted`) stays for a moment."""
        session = self._session
        if not self._is_whole():
            return False
        if not session.browser.elsewhere:
            try:
                rows = session.browser.open_tabs()
            except NotSupported:  # the next look tells
                return False
            if not rows:  # another is about to come
                return False
            self._memory.place(rows, stay=not counted)
            if self._memory.misses(rows) and self._closing is None:
                self._closing = asyncio.get_running_loop().call_later(CLOSING_SECONDS, self._closed)
        self._keeper.note(self._row(counted=counted))
        return True

    def _closed(self) -> None:
        self._closing = None
        if self._is_whole() and (rows := self._session.browser.open_tabs()):
            self._memory.place(rows)
            self._keeper.note(self._row())

    def _is_whole(self) -> bool:
        session = self._session
        at_home = session.aside is None  # else another browser stands in for its own
        return self._ready and at_home and session.has_started and not session.browser.lost

    def _row(self, *, counted: bool = False) -> Kept:
        """`counted`: a document that has come since the last command counts as a generation of its own."""
        session, memory = self._session, self._memory
        browser = session.browser
        return Kept(
            session.name,
            browser.mode,
            browser.place.profile,
            browser.place.headful,
            dict(self._settings),
            self._started,
            memory.urls,
            memory.current,
            session.generation if counted else session.view.generation,
            time.time(),
            session.secrets.names if session.knows_secrets else (),
            memory.ids,
            self._entered_tabs() if self._entered else (),
            memory.shown,
            self._behind,
        )

    def _entered_tabs(self) -> tuple[int, ...]:
        """The positions of the tabs that still show a document something was entered into."""
        documents: dict[int, str] = {}
        for number in self._memory.numbers:
            with suppress(OrynError):
                documents[number] = self._session.browser.page_of(number).document
        self._entered &= set(documents.values())
        return tuple(
            position for position, number in enumerate(self._memory.numbers) if documents.get(number) in self._entered
        )

    # --- what is kept soon ---

    def _stir(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def write_anew(self) -> None:
        """The session's own file was another's, and is gone."""
        self._written = None
        self._dirty = True
        self._rhythm.answered()
        self._stir()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._dirty:
            await self._rhythm.pause(lambda: self._session.is_busy)
            self._dirty = False
            begun = loop.time()
            await self._keep(QUICK_SECONDS)
            self._rhythm.took(loop.time() - begun, self._memory.size)
            if not self._memory.is_whole and not self._dirty:
                await self._rhythm.unless_answered(self._keep(LOOK_SECONDS))

    async def _keep(self, limit: float) -> None:
        """Look at the session and write down what is another thing than before."""
        if not self._is_whole():
            return
        try:
            async with asyncio.timeout(max(limit, LAST_LOOK_SECONDS)):
                browser = self._session.browser
                standing = Standing() if browser.elsewhere else await self._memory.look(browser, limit)
        except (OrynError, TimeoutError) as error:
            log.info("the session %s can't be kept now: %s", self._session.name, error)
            return
        if self._is_whole():
            # Once begun it is done to its end: half of it would be of another moment than the rest.
            self._saving = asyncio.create_task(self._write(standing, self._memory.ids))
            await asyncio.shield(self._saving)

    async def _write(self, standing: Standing, ids: tuple[int, ...]) -> None:
        await self._keeper.put(self._row(counted=True))
        kept = standing, ids
        if kept == self._written or self._session.browser.elsewhere or await self._write_state(standing, ids):
            self._written = kept
            self._behind = self._dirty or not self._memory.is_whole
            if self._is_whole():
                self._keeper.note(self._row(counted=True))

    async def _write_state(self, standing: Standing, ids: tuple[int, ...]) -> bool:
        """Replace the session's own file. Whether it could be."""
        session, sealing = self._session, self._session.sealing() if self._session.sealing else None
        state = state_of(standing, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), ids)
        file = self._keeper.state_file(session.name)
        try:
            content = await sealed(state, sealing) if sealing and sealing.on else await asyncio.to_thread(encode, state)
        except StateKeyWrong as error:
            self._keeper.complain(file, f"the session {session.name} can't be kept: {error}")
            return False
        if len(content) > LARGEST:
            self._keeper.complain(file, f"the session {session.name} is too large to be kept: {len(content)} bytes")
            return False
        return await self._keeper.write(file, content.decode())

    async def stop(self) -> None:
        """Keep nothing more. What is being written is written to its end."""
        self._session.restore = self._session.answered = None
        self._ready = False
        if self._closing is not None:
            self._closing.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._saving is not None:
            await asyncio.wait([self._saving])

    async def finish(self) -> None:
        """Keep the session as it is now, and nothing more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._dirty = False
        await self._keep(LAST_LOOK_SECONDS)
        await self.stop()

    # --- bringing back ---

    async def _restore(self) -> None:
        """The browser was started: for the first time, or again after its death. Raises `StateKeyWrong`, and
        `VaultKeyWrong` where what it must not show is not known; and what the browser does when it dies again."""
        self._ready = False
        left, session = self._left, self._session
        if session.browser.elsewhere:
            await self._go_on(left)
            return
        if left is None and not self._begun:
            self._begin()
            return
        missing: list[str] = []
        if left is not None:
            session.view.generation = max(session.view.generation, left.generation + GENERATIONS)
            self._memory.recall(standing_of(left, await self._state(left, missing)), ids=left.ids)
            if left.secrets:
                await session.secrets.hide(left.secrets)
        last = left or self._keeper.get(session.name)
        standing, ids = self._memory.standing, self._memory.ids
        session.frame = None
        session.view.forget()
        fill = left is not None and left.profile is not None and not self._profile_gone
        load = session.name not in self._keeper.fatal
        self._keeper.fatal.discard(session.name)
        try:
            restored = await bring_back(session, standing, fill=fill, load=load)
        except OrynError:
            if session.browser.lost:
                self._keeper.fatal.add(session.name)
            raise
        self._memory.recall(standing, restored.numbers, ids, loaded=load)
        self._begin()
        if last is not None:
            missing += not_kept(last, restored.numbers, stored=not missing)
        session.news += [self._told(left is None, load), *missing, *restored.notes]

    def _begin(self) -> None:
        """From now on what the browser holds is kept: at once that the session is there."""
        self._left, self._begun, self._ready = None, True, True
        self._entered.clear()
        browser = self._session.browser
        if not browser.elsewhere:
            try:
                self._memory.place(browser.open_tabs())
            except NotSupported:  # the next look tells
                return
        self._keeper.note(self._row())

    async def _go_on(self, left: Kept | None) -> None:
        """In a browser that is another's there is nothing to put back. That the session is there is kept at once: its
        name must not become another's."""
        if left is not None:
            self._session.view.generation = max(self._session.view.generation, left.generation + GENERATIONS)
            self._session.news.append("the session goes on in the browser as it is now; numbers from before are void")
        self._begin()
        await self._keeper.put(self._row())

    def _told(self, died: bool, load: bool) -> str:
        session, standing = self._session, self._memory.standing
        url, tabs = session.page.url, len(standing.tabs)
        place = "shows no page" if url == BLANK else f"stands at {escape.url(url)}"
        if tabs > 1:
            place += f", one of {tabs} tabs"
        if not load:
            place += ", for the browser died of what it showed before"
        why = "the browser died, and the session was restored" if died else "the session was restored"
        return f"{why}: it {place}; numbers and references from before are void"

    async def _state(self, kept: Kept, missing: list[str]) -> SavedState | None:
        """What the session's own file says; what is damaged is set aside. Raises `StateKeyWrong`."""
        session, file = self._session, self._keeper.state_file(kept.name)
        if self._profile_gone:
            missing.append(f"the profile {kept.profile} is gone: a new one has what was kept of the session")
        try:
            content = await asyncio.to_thread(file.read_bytes)
            return await unsealed(content, session.sealing() if session.sealing else None)
        except StateKeyWrong:
            raise
        except FileNotFoundError:
            if kept.tabs:  # else there was no browser yet that could have any
                missing.append("its cookies and storage were not kept")
        except (FileError, OSError) as error:
            set_aside(file, str(error))
            missing.append("its cookies and storage are lost: the file that they were kept in is damaged")
        return None


def _is_gone(folder: Path) -> bool:
    """Whether there is no profile; an empty folder is one that is about to begin."""
    try:
        return not any(folder.iterdir())
    except OSError:
        return True
