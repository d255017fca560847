"""`Extensions`: the user's browsers that are or were connected to a server, each with a name that stays."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Iterator

from oryn.errors import BackendUnavailable, OrynError
from oryn.remote.peer import REPLACED, Peer

log = logging.getLogger(__name__)

COMING_BACK_SECONDS = 40.0
"""Within how long an extension is back that has lost its connection, where it can be: it tries every 30 s at least."""


class Extension:
    """One browser."""

    def __init__(self, name: str, among: Extensions) -> None:
        self.name = name
        self._among = among
        self.key: str | None = None
        """The id of the key by which it is known again."""
        self.peer: Peer | None = None
        """The conversation with it, while it is connected."""
        self.refusal: OrynError | None = None
        """Why a browser that came last was not let in."""
        self._left: float | None = None
        self._there = asyncio.Event()

    @property
    def browser(self) -> str | None:
        """As `Peer.browser`, while it is connected."""
        return self.peer.browser if self.peer else None

    async def reached(self, seconds: float) -> Peer:
        """The conversation, for which `seconds` are waited where it may come. Raises `BackendUnavailable`."""
        if self.peer is None and self._may_come():
            try:
                async with asyncio.timeout(seconds):
                    await self._there.wait()
            except TimeoutError:
                pass
        if self.peer is None:
            raise BackendUnavailable(f"no browser is connected{self._why()}", self._among.advice)
        return self.peer

    def _why(self) -> str:
        return f"; the last one that came: {self.refusal.message}" if self.refusal else ""

    def _may_come(self) -> bool:
        return self._among.waits or (self._left is not None and time.monotonic() - self._left < COMING_BACK_SECONDS)

    def come(self, peer: Peer) -> None:
        before, self.peer, self.key, self.refusal = self.peer, peer, peer.key, None
        self._there.set()
        if before is not None:
            before.end(REPLACED, "the browser has connected again")

    def gone(self) -> None:
        for_good = self.peer is not None and self.peer.left_for_good
        self.peer, self._left = None, None if for_good else time.monotonic()
        self._there.clear()


Told = Callable[[Extension], None]


def _nobody(extension: Extension) -> None:
    return


class Extensions:
    """Those of one server: the `Home` of its conversations. The first one has a name from the start, and is waited for;
    another one is called after its browser. A browser that is known by its key gets its place again; one that is not
    gets the first place that nobody is at."""

    def __init__(self, first: str = "default", *, waits: bool = False, advice: str | None = None) -> None:
        self.waits = waits
        """Whoever asks for a browser waits even if it has not been there lately."""
        self.advice = advice
        """What to do that one comes."""
        self._known = [Extension(first, self)]
        self.connected: Told = _nobody
        self.disconnected: Told = _nobody

    def __iter__(self) -> Iterator[Extension]:
        return iter(self._known)

    @property
    def any_connected(self) -> bool:
        return any(each.peer is not None for each in self._known)

    def named(self, name: str) -> Extension:
        """The one of this name, else the first that is connected, else the first."""
        found = next((each for each in self._known if each.name == name), None)
        return found or next((each for each in self._known if each.peer is not None), self._known[0])

    def arrived(self, peer: Peer) -> None:
        place = self._place(peer)
        place.come(peer)
        log.info("connected: %s as %s", place.browser, place.name)
        self.connected(place)

    def refused(self, error: OrynError) -> None:
        if str(error) != str(self._known[0].refusal):  # one that waits for its code asks again and again
            log.warning("a browser was not let in: %s", error)
        for each in self._known:
            each.refusal = error

    def left(self, peer: Peer) -> None:
        for place in self._known:
            if place.peer is peer:
                place.gone()
                log.info("disconnected: %s", place.name)
                self.disconnected(place)

    def _place(self, peer: Peer) -> Extension:
        known = [each for each in self._known if each.key is not None and each.key == peer.key]
        free = [each for each in self._known if each.peer is None]
        if found := [*known, *free]:
            return found[0]
        self._known.append(Extension(self._name(peer.browser), self))
        return self._known[-1]

    def _name(self, browser: str) -> str:
        """`chrome`, `chrome-2` …: a name that a session may have."""
        word = re.sub(r"[^a-z0-9]+", "-", browser.partition("/")[0].lower()).strip("-")[:30]
        name = word if word[:1].isalpha() else "browser"
        taken = {each.name for each in self._known}
        return next(each for each in (name, *(f"{name}-{n}" for n in range(2, 1000))) if each not in taken)

    def end(self) -> None:
        """Close every connection."""
        for each in self._known:
            if each.peer is not None:
                each.peer.end()
