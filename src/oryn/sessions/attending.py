"""`Attending`: keeps one running session up to date on disk, and brings it back when its browser was started anew."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.engine import escape
from oryn.engine.saved_state import SavedState, encode, sealed, unsealed
from oryn.errors import FileError, OrynError, StateKeyWrong
from oryn.sessions.capturing import Memory
from oryn.sessions.keeping import set_aside
from oryn.sessions.kept import BLANK, Kept, Standing, standing_of, state_of
from oryn.sessions.restoring import bring_back

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.sessions.keeping import Keeper

log = logging.getLogger(__name__)

LEAST_PAUSE = 0.3
"""Seconds from a command to what is kept of it, in which others may join it."""
WORKING_PAUSE = 3.0
"""Seconds after which a session is kept that does not rest: it is looked at in the pauses of its work, where it has
some."""
SHARE = 20
"""Keeping takes at most one part in so many of the time."""
MOST_PAUSE = 10.0
LOOK_SECONDS = 15.0
LAST_LOOK_SECONDS = 4.0
"""The same when the host ends."""
LARGEST = 64_000_000
"""Bytes of a session's file."""
GENERATIONS = 1000
"""How far the generation leaps after what was kept: more than a session can count until it is kept again."""


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
        self._written: Standing | None = None
        self._dirty = False
        self._pause = LEAST_PAUSE
        self._task: asyncio.Task[None] | None = None
        self._saving: asyncio.Task[None] | None = None
        session.restore = self._restore

    # --- keeping ---

    def touch(self) -> None:
        self._dirty = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._dirty:
            await self._rest()
            begun = loop.time()
            await self._keep(LOOK_SECONDS)
            self._pause = min(MOST_PAUSE, max(LEAST_PAUSE, (loop.time() - begun) * SHARE))

    async def _rest(self) -> None:
        """Wait until the session has nothing to do, or has worked for long."""
        loop = asyncio.get_running_loop()
        latest = loop.time() + WORKING_PAUSE
        while self._dirty or self._session.is_busy:
            self._dirty = False
            await asyncio.sleep(self._pause)
            if loop.time() >= latest:
                break
        self._dirty = False

    async def _keep(self, limit: float) -> None:
        """Look at the session and write down what is another thing than before."""
        if not self._is_whole():
            return
        try:
            async with asyncio.timeout(limit):
                browser = self._session.browser
                standing = Standing() if browser.elsewhere else await self._memory.look(browser, limit)
        except (OrynError, TimeoutError) as error:
            log.info("the session %s can't be kept now: %s", self._session.name, error)
            return
        if self._is_whole():
            # Once begun it is done to its end: half of it would be of another moment than the rest.
            self._saving = asyncio.create_task(self._write(standing))
            await asyncio.shield(self._saving)

    def _is_whole(self) -> bool:
        session = self._session
        at_home = session.aside is None  # else another browser stands in for its own
        return self._ready and at_home and session.has_started and not session.browser.lost

    async def _write(self, standing: Standing) -> None:
        await self._keeper.put(self._row(standing))
        if standing == self._written or self._session.browser.elsewhere:
            return
        session, sealing = self._session, self._session.sealing() if self._session.sealing else None
        state = state_of(standing, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
        try:
            content = await sealed(state, sealing) if sealing and sealing.on else await asyncio.to_thread(encode, state)
        except StateKeyWrong as error:
            self._keeper.complain(f"the session {session.name} can't be kept: {error}")
            return
        if len(content) > LARGEST:
            self._keeper.complain(f"the session {session.name} is too large to be kept: {len(content)} bytes")
        elif await self._keeper.write(self._keeper.state_file(session.name), content.decode()):
            self._written = standing

    def _row(self, standing: Standing) -> Kept:
        browser = self._session.browser
        return Kept(
            self._session.name,
            browser.mode,
            browser.place.profile,
            browser.place.headful,
            dict(self._settings),
            self._started,
            tuple(tab.url for tab in standing.tabs),
            standing.current,
            self._session.generation,
            time.time(),
            self._session.secrets.names if self._session.knows_secrets else (),
        )

    async def stop(self) -> None:
        """Keep nothing more. What is being written is written to its end."""
        self._session.restore = None
        self._ready = False
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
            self._begun = self._ready = True
            return
        notes: list[str] = []
        if left is not None:
            session.view.generation = max(session.view.generation, left.generation + GENERATIONS)
            self._memory.recall(standing_of(left, await self._state(left, notes)), ())
            if left.secrets:
                await session.secrets.hide(left.secrets)
        standing = self._memory.standing
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
        self._memory.recall(standing, restored.numbers)
        self._left, self._begun, self._ready = None, True, True
        session.news += [self._told(left is None, load), *notes, *restored.notes]

    async def _go_on(self, left: Kept | None) -> None:
        """In a browser that is another's there is nothing to put back. That the session is there is kept at once: its
        name must not become another's."""
        if left is not None:
            self._session.view.generation = max(self._session.view.generation, left.generation + GENERATIONS)
            self._session.news.append("the session goes on in the browser as it is now; numbers from before are void")
        self._left, self._begun, self._ready = None, True, True
        await self._keeper.put(self._row(Standing()))

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

    async def _state(self, kept: Kept, notes: list[str]) -> SavedState | None:
        """What the session's own file says; what is damaged is set aside. Raises `StateKeyWrong`."""
        session, file = self._session, self._keeper.state_file(kept.name)
        if self._profile_gone:
            notes.append(f"the profile {kept.profile} is gone: a new one has what was kept of the session")
        try:
            content = await asyncio.to_thread(file.read_bytes)
            return await unsealed(content, session.sealing() if session.sealing else None)
        except StateKeyWrong:
            raise
        except FileNotFoundError:
            notes.append("its cookies and storage were not kept")
        except (FileError, OSError) as error:
            set_aside(file, str(error))
            notes.append("its cookies and storage are lost: the file that they were kept in is damaged")
        return None


def _is_gone(folder: Path) -> bool:
    """Whether there is no profile; an empty folder is one that is about to begin."""
    try:
        return not any(folder.iterdir())
    except OSError:
        return True
