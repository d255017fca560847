"""Who holds which tab of a shared browser: `TabLeases`, one for each browser, and what a session asks of it.

The rules and their clock are here and nothing else: whoever shares a browser reports to it (`browsers.base.leases`)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from oryn.browsers.base.leases import ForeignAct, LeaseHolder, SessionLeases, TabLease
from oryn.browsers.common.input_watch import InputWatch
from oryn.core.records import Record
from oryn.errors import TabHeld, TabNotFound

PERSON_SECONDS = 10.0
"""How long a tab stays a person's after their last input: they often go on after a moment of reading."""

_MAX_WAIT_SECONDS = 3600.0
_MAX_SEEN = 64
"""The tabs of which a session's last look is remembered, those it was in last."""

Tab = Hashable
"""What identifies a tab for all sessions of its browser."""


class _Lease(Record, frozen=False):
    holder: LeaseHolder
    since: float
    last: float
    """When the last command ended, of the clock."""
    acts: int = 0
    """Acts that go on."""


class _Act(Record):
    serial: int
    at: float


class LeaseRequest:
    """Somebody waits for a tab, until it is theirs (`is_granted`), or there is no such tab any more."""

    def __init__(self, tab: Tab, holder: LeaseHolder) -> None:
        self.tab = tab
        self.holder = holder
        self.is_announced = False
        """Whether the holder of the tab knows."""
        self.is_granted = False
        self.has_ended = False
        self.changed = asyncio.Event()
        """Set when it ends, and when somebody else has the tab, who may have it for a shorter time."""

    def end(self, *, granted: bool) -> None:
        """The tab is granted, or there is nothing to wait for."""
        self.is_granted, self.has_ended = granted, True
        self.changed.set()


class TabLeases:
    """The leases of one browser's tabs. `clock` is monotonic, in seconds; `now` is the time of day since the epoch."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, now: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._now = now
        self._leases: dict[Tab, _Lease] = {}
        self._requests: dict[Tab, list[LeaseRequest]] = {}
        self._acts: dict[Tab, dict[LeaseHolder, _Act]] = {}
        """The last act of each holder."""
        self._watches: dict[Tab, InputWatch] = {}
        self._serial = 0
        self.person = LeaseHolder("the person", PERSON_SECONDS, is_person=True)
        """Whoever uses the browser's own window."""

    # --- who holds what ---

    def lease(self, tab: Tab) -> TabLease | None:
        """Who holds a tab now; None if it is free."""
        lease = self._current(tab)
        if lease is None:
            return None
        return TabLease(lease.holder, lease.since, 0.0 if lease.acts else self._clock() - lease.last)

    def _current(self, tab: Tab) -> _Lease | None:
        lease = self._leases.get(tab)
        if lease is not None and not lease.acts and self._clock() - lease.last >= lease.holder.seconds:
            self._free(tab)
            return self._leases.get(tab)  # somebody has waited for it
        return lease

    def is_held_by(self, tab: Tab, holder: LeaseHolder) -> bool:
        """Whether the tab is this holder's now."""
        lease = self._current(tab)
        return lease is not None and lease.holder is holder

    def seconds_left(self, tab: Tab) -> float:
        """How long a tab stays held at least, if nothing happens; 0 if it is free."""
        lease = self._current(tab)
        if lease is None:
            return 0.0
        return lease.holder.seconds - (0.0 if lease.acts else self._clock() - lease.last)

    def take(self, tab: Tab, holder: LeaseHolder) -> bool:
        """Take a tab unless somebody else holds it; whether it is the holder's now."""
        lease = self._current(tab)
        if lease is None:
            self._grant(tab, holder)
            return True
        if lease.holder is holder:
            lease.last = self._clock()
            return True
        return False

    def _grant(self, tab: Tab, holder: LeaseHolder) -> None:
        self._leases[tab] = _Lease(holder, self._now(), self._clock())

    def renew(self, tab: Tab, holder: LeaseHolder) -> None:
        """The holder has used the tab, if it is theirs."""
        if self.is_held_by(tab, holder):
            self._leases[tab].last = self._clock()

    def release(self, tab: Tab, holder: LeaseHolder) -> bool:
        """Give a tab back; whether it was the holder's."""
        is_theirs = self.is_held_by(tab, holder)
        if is_theirs:
            self._free(tab)
        return is_theirs

    def release_all(self, holder: LeaseHolder) -> None:
        """Give back all tabs of a holder, who waits for none any more."""
        for request in [each for waiting in self._requests.values() for each in waiting if each.holder is holder]:
            self.withdraw(request)
            request.end(granted=False)
        for tab in [tab for tab, lease in self._leases.items() if lease.holder is holder]:
            self._free(tab)

    def forget(self, tab: Tab) -> None:
        """The tab has closed."""
        self._leases.pop(tab, None)
        self._acts.pop(tab, None)
        self._watches.pop(tab, None)
        for request in self._requests.pop(tab, ()):
            request.end(granted=False)

    def rename(self, old: Tab, new: Tab) -> None:
        """The tab is identified otherwise from now on."""
        tables: tuple[dict[Tab, Any], ...] = (self._leases, self._requests, self._acts)
        for table in tables:
            if old in table:
                table[new] = table.pop(old)
        for request in self._requests.get(new, ()):
            request.tab = new

    def _free(self, tab: Tab) -> None:
        """End a lease; whoever has waited longest has the tab."""
        del self._leases[tab]
        if waiting := self._requests.get(tab):
            request = waiting[0]
            self.withdraw(request)
            self._grant(tab, request.holder)
            request.end(granted=True)

    # --- acts ---

    def begin_act(self, tab: Tab, holder: LeaseHolder) -> bool:
        """An act begins: take the tab until the end of the act at least. Whether it is the holder's now."""
        if not self.take(tab, holder):
            return False
        self._leases[tab].acts += 1
        self._note_act(tab, holder)
        return True

    def end_act(self, tab: Tab, holder: LeaseHolder) -> None:
        """The act has ended, whoever holds the tab now."""
        self._note_act(tab, holder)
        lease = self._leases.get(tab)
        if lease is not None and lease.holder is holder and lease.acts:
            lease.acts -= 1
            lease.last = self._clock()

    def note_person(self, tab: Tab, person: LeaseHolder | None = None) -> None:
        """A person uses the tab: it is theirs, whoever had it. `person`: default `self.person`."""
        actor, lease = person or self.person, self._leases.get(tab)
        if lease is not None and lease.holder.is_person and person in (None, lease.holder):
            actor, lease.last = lease.holder, self._clock()
        else:
            self._grant(tab, actor)
            for request in self._requests.get(tab, ()):
                request.changed.set()
        self._note_act(tab, actor)

    def input_watch(self, tab: Tab) -> InputWatch:
        """What tells a person's input in a tab from that of the sessions, which report to it."""
        if tab not in self._watches:
            self._watches[tab] = InputWatch(lambda: self.note_person(tab))
        return self._watches[tab]

    def _note_act(self, tab: Tab, actor: LeaseHolder) -> None:
        self._serial += 1
        self._acts.setdefault(tab, {})[actor] = _Act(self._serial, self._now())

    @property
    def serial(self) -> int:
        """The number of the last act on any tab."""
        return self._serial

    def foreign_act(self, tab: Tab, holder: LeaseHolder, since: int) -> ForeignAct | None:
        """The last act of somebody else on a tab, if it has come after the one with the number `since`."""
        others = [(act.serial, actor, act.at) for actor, act in self._acts.get(tab, {}).items() if actor is not holder]
        serial, actor, at = max(others, key=lambda each: each[0], default=(0, holder, 0.0))
        return ForeignAct(actor, at) if serial > since else None

    # --- waiting ---

    def request(self, tab: Tab, holder: LeaseHolder) -> LeaseRequest:
        """Wait for a tab that somebody else holds, until `withdraw`."""
        request = LeaseRequest(tab, holder)
        self._requests.setdefault(tab, []).append(request)
        return request

    def withdraw(self, request: LeaseRequest) -> None:
        """Wait no longer. A tab that was granted stays so."""
        waiting = self._requests.get(request.tab, [])
        if request in waiting:
            waiting.remove(request)
        if not waiting:
            self._requests.pop(request.tab, None)

    def requests_to(self, holder: LeaseHolder) -> Iterator[LeaseRequest]:
        """Who waits for tabs of a holder."""
        for tab, waiting in self._requests.items():
            if (lease := self._leases.get(tab)) is not None and lease.holder is holder:
                yield from waiting

    def waits_for(self, one: LeaseHolder, other: LeaseHolder) -> bool:
        """Whether `one` waits for a tab of `other`, or of somebody who does."""
        reached: set[LeaseHolder] = set()
        found = {one}
        while found:
            reached |= found
            held = [self._leases[tab].holder for tab, waiting in self._requests.items()
                    if tab in self._leases and any(each.holder in found for each in waiting)]  # fmt: skip
            if other in held:
                return True
            found = set(held) - reached
        return False


class SharedTabs(SessionLeases):
    """What one session asks of the leases of its browser.

    leases: those of the browser.
    tab_of: what identifies the tab with a number, or the current one; None if there is no current one. Raises
        `TabNotFound` for a number.
    number_of: the number of a tab; None if the session does not list it."""

    def __init__(
        self,
        leases: TabLeases,
        holder: LeaseHolder,
        tab_of: Callable[[int | None], Tab],
        number_of: Callable[[Tab], int | None],
    ) -> None:
        self.leases = leases
        self.holder = holder
        self._tab_of = tab_of
        self._number_of = number_of
        self._acting: list[Tab] = []
        """The tabs of the acts of the current command."""
        self._seen: dict[Tab, int] = {}
        """The number of the last act that `take_foreign_act` knew, by tab."""

    def lease(self, number: int | None = None) -> TabLease | None:
        return self.leases.lease(self._tab_of(number))

    def begin_act(self, number: int | None = None) -> None:
        tab = self._tab_of(number)
        if tab is None or (tab in self._acting and self.leases.is_held_by(tab, self.holder)):
            return
        if not self.leases.begin_act(tab, self.holder):
            raise self._held(tab)
        self._acting.append(tab)

    def end_command(self) -> None:
        acting, self._acting = self._acting, []
        for tab in acting:
            self.leases.end_act(tab, self.holder)

    def note_look(self) -> None:
        self.leases.renew(self._tab_of(None), self.holder)

    def take_foreign_act(self) -> ForeignAct | None:
        tab = self._tab_of(None)
        since = self._seen.pop(tab, None)
        self._seen[tab] = self.leases.serial
        while len(self._seen) > _MAX_SEEN:
            del self._seen[next(iter(self._seen))]
        # What was before the session's first command about the tab, it has never seen otherwise.
        return None if since is None else self.leases.foreign_act(tab, self.holder, since)

    async def take(self, number: int, *, timeout: float) -> None:
        tab = self._tab_of(number)
        if self.leases.take(tab, self.holder):
            return
        lease = self.leases.lease(tab)
        if lease is not None and self.leases.waits_for(lease.holder, self.holder):
            error = self._held(tab)
            error.hint = f"It waits for a tab of yours: 'tab release' that one first. {error.hint}"
            raise error
        request = self.leases.request(tab, self.holder)
        try:
            async with asyncio.timeout(timeout):
                await self._await(request)
        except TimeoutError:
            if not request.is_granted:
                raise self._held(request.tab) from None
        except asyncio.CancelledError:
            if request.is_granted:
                self.leases.release(request.tab, self.holder)
            raise
        finally:
            self.leases.withdraw(request)
        if not request.is_granted:
            raise TabNotFound("the tab is closed", "Run 'tabs' to see which are open.")

    async def _await(self, request: LeaseRequest) -> None:
        """Wait until a request has ended. A release is an event; that a lease expires is a matter of time."""
        while not request.has_ended:
            request.changed.clear()
            left = self.leases.seconds_left(request.tab)
            if request.has_ended:  # it has just expired
                return
            try:
                async with asyncio.timeout(min(left, _MAX_WAIT_SECONDS)):
                    await request.changed.wait()
            except TimeoutError:
                continue

    def release(self, number: int | None = None) -> bool:
        return self.leases.release(self._tab_of(number), self.holder)

    def take_requests(self) -> list[tuple[int | None, LeaseHolder]]:
        found = [request for request in self.leases.requests_to(self.holder) if not request.is_announced]
        for request in found:
            request.is_announced = True
        return [(self._number_of(request.tab), request.holder) for request in found]

    def hand_over(self, person: LeaseHolder) -> None:
        if (tab := self._tab_of(None)) is not None:
            self.leases.note_person(tab, person)

    def hand_back(self, person: LeaseHolder) -> None:
        self.leases.release_all(person)

    def close(self) -> None:
        self.end_command()
        self.leases.release_all(self.holder)

    def _held(self, tab: Tab) -> TabHeld:
        """The error for a tab of somebody else."""
        lease, number = self.leases.lease(tab), self._number_of(tab)
        if lease is None:  # it was released just now
            return TabHeld(f"tab {number} was somebody else's until now", "Run it again.")
        last = "it is being used" if lease.idle < 1 else f"last used {lease.idle:.0f} s ago"
        return TabHeld(
            f"tab {number} belongs to {lease.holder} since {lease.since_text} ({last})",
            f"Use another tab ('tab new <url>'), or 'tab take {number}' to wait until it is free.",
        )
