"""A run of many sessions over a fleet whose parts are killed, and what became of all commands.

usage: python -m scripts.fleet.soak [--minutes 3] [--sessions 24] [--daemons 2]

It ends with 1 if a promise was broken: a command that ended neither in success nor soon in a true error, a row of the
history that is lost or there twice, a session that does not answer afterwards at its page, signed in."""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from oryn.core.records import Record
from oryn.errors import OrynError, error_class_of
from scripts.fleet.clients import LIMIT_SECONDS, OK, Attempt, FleetClient, connections_to
from scripts.fleet.fleet import DAEMONS, Fleet

Result = TypeVar("Result")

SETTLED_SECONDS = 5.0
"""Within this, a command ends after what broke it, or after its time limit."""
SESSION_TIMEOUT_SECONDS = 20.0
"""Of the Grid: a third of the pause."""
CUT_SECONDS = 60.0
ANSWERS_SECONDS = 20.0
"""The most that a fault waits for clients to go on, before it occurs and before it is mended."""
RELEASE_SECONDS = 1.0
"""A session that has had no command for this gives its slot to one that waits."""
THINKING_SECONDS = 2.0
"""The most that a client waits between two of its commands, as a model does."""
LAST_COMMANDS = 6
"""How many commands of a lost session are reported."""
OF_A_LIMIT = frozenset({"timeout", "queue_timed_out", "too_many_commands", "rate_limited"})
"""Errors of commands that waited until their limit."""


class Fault(Record):
    """What is broken, and what mends it."""

    name: str
    breaks: Callable[[], object]
    mends: Callable[[], object] | None = None


class Occurrence(Record):
    """A fault that occurred, with its times of `time.monotonic`."""

    name: str
    broken: float
    mended: float


class LostSession(Record):
    """A session that does not answer in the end at its page, signed in: its last commands, and what each daemon says of
    it."""

    name: str
    last: tuple[Attempt, ...]
    places: Mapping[str, str]

    def __str__(self) -> str:
        commands = "".join(f"\n  {each.daemon or 'no daemon'}: {each}" for each in self.last)
        return f"{self.name}, last{commands}\n  " + "\n  ".join(f"{name}: {said}" for name, said in self.places.items())


class SoakReport(Record):
    """What a run has found. Each list is empty if the promise holds."""

    attempts: tuple[Attempt, ...]
    occurrences: tuple[Occurrence, ...]
    late: tuple[Attempt, ...]
    """Commands that ended in an error, and not soon after what broke them."""
    untrue: tuple[Attempt, ...]
    """Commands whose error is none of Oryn's."""
    failed_after_pause: tuple[Attempt, ...]
    """The first commands after the pause in which nothing was broken."""
    lost_rows: tuple[str, ...]
    double_rows: tuple[str, ...]
    lost_sessions: tuple[LostSession, ...]

    @property
    def broken_promises(self) -> list[str]:
        found = [f"late: {each}" for each in self.late] + [f"not an error of Oryn: {each}" for each in self.untrue]
        found += [f"failed after the pause: {each}" for each in self.failed_after_pause]
        found += [f"row lost: {each}" for each in self.lost_rows] + [f"row twice: {each}" for each in self.double_rows]
        return found + [f"session lost: {each}" for each in self.lost_sessions]

    def summary(self) -> str:
        counts = Counter(each.outcome for each in self.attempts)
        took = sorted(each.seconds for each in self.attempts if each.outcome == OK)
        outcomes = ", ".join(f"{name} {count}" for name, count in counts.most_common())
        middle, slow = took[len(took) // 2], took[int(len(took) * 0.95)]
        lines = [f"{len(self.attempts)} commands: {outcomes}", f"success took {middle:.2f} s, 95 % below {slow:.2f} s"]
        lines += [f"{each.name}: mended after {each.mended - each.broken:.1f} s" for each in self.occurrences]
        return "\n".join(lines)


def faults_of(fleet: Fleet) -> list[Fault]:
    """Every fault, each of which leaves the fleet whole once it is mended."""
    grid, database, daemons = fleet.grid, fleet.database, fleet.daemons
    found = [
        Fault("node killed", lambda: grid.kill_node(1), lambda: grid.start_node(1)),
        Fault("daemon killed", daemons[-1].kill, daemons[-1].start),
        Fault("hub killed", grid.kill_hub, grid.start_hub),
    ]
    return found if database is None else [*found, Fault("PostgreSQL restarted", database.restart)]


class SoakRun:
    """One run. `report` says what it has found.

    sessions: how many, each with a client of its own; more than the Grid has slots.
    minutes: how long, about; the faults repeat until then.
    seed: of the clients' choices."""

    def __init__(self, fleet: Fleet, sessions: int, minutes: float, seed: int = 1) -> None:
        self._fleet = fleet
        self._end = time.monotonic() + minutes * 60
        self._random = random.Random(seed)
        self._connections = connections_to(fleet.token)
        names = [f"session-{number:02}" for number in range(1, sessions + 1)]
        self._clients = [FleetClient(each, self._connections, fleet.proxy.url, fleet.shop.url) for each in names]
        self._occurrences: list[Occurrence] = []
        self._stopped = asyncio.Event()
        self._answered = asyncio.Semaphore(0)

    async def run(self) -> SoakReport:
        """Do all of it: sign in, work while parts are killed, pause, work again, and look where every session is."""
        async with self._connections:
            await self._each(lambda client: client.sign_in(attempts=3))
            working = [asyncio.create_task(self._work(client)) for client in self._clients]
            try:
                for fault in self._faults():
                    await self._occur(fault)
            finally:
                self._stopped.set()
                await asyncio.gather(*working)
            await self._clients[0].wait_until_ready()
            await self._pause()
            after_pause = await self._each(lambda client: client.run('exists "Sign out"'))
            at_home = await self._each(lambda client: client.is_at_home())
            away = [client for client, is_home in zip(self._clients, at_home, strict=True) if not is_home]
            lost = [await self._lost(client) for client in away]
        return self._report(after_pause, lost)

    async def _lost(self, client: FleetClient) -> LostSession:
        places = {}
        for daemon in self._fleet.daemons:
            status: dict[str, Any] = (await self._connections.get(f"{daemon.url}/status")).json()
            said = [each for each in status["sessions"] if each["name"] == client.session]
            places[daemon.name] = json.dumps(said[0]) if said else "knows nothing of it"
        return LostSession(client.session, tuple(client.attempts[-LAST_COMMANDS:]), places)

    async def _each(self, step: Callable[[FleetClient], Awaitable[Result]]) -> list[Result]:
        """Do something with each session, with twice as many at once as there are slots."""
        room = asyncio.Semaphore(2 * self._fleet.slots)

        async def in_turn(client: FleetClient) -> Result:
            async with room:
                return await step(client)

        return await asyncio.gather(*map(in_turn, self._clients))

    def _faults(self) -> Iterator[Fault]:
        """All faults once, and again until the time for the pause has come."""
        faults = faults_of(self._fleet)
        yield from faults
        for fault in itertools.cycle(faults):
            if time.monotonic() > self._end - self._pause_seconds():
                return
            yield fault

    @staticmethod
    def _pause_seconds() -> float:
        return max(3 * SESSION_TIMEOUT_SECONDS, CUT_SECONDS) + 1

    async def _occur(self, fault: Fault) -> None:
        """Let a fault occur while clients work, and mend it once some of them have noticed it or gone on without."""
        await self._answers(len(self._clients))
        broken = time.monotonic()
        await asyncio.to_thread(fault.breaks)
        await self._answers(len(self._clients) // 2)
        if fault.mends is not None:
            await asyncio.to_thread(fault.mends)
        self._occurrences.append(Occurrence(fault.name, broken, time.monotonic()))
        print(f"{fault.name}: mended after {time.monotonic() - broken:.1f} s", file=sys.stderr, flush=True)

    async def _answers(self, number: int) -> None:
        """Wait until so many commands more have ended, for a limited time."""
        self._answered = asyncio.Semaphore(0)
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWERS_SECONDS):
                for _ in range(number):
                    await self._answered.acquire()

    async def _work(self, client: FleetClient) -> None:
        """Send commands with pauses, as a model does, until the run stops. The last leaves the session at its page."""
        lines = (f"goto {client.page}", "observe", "title", 'exists "Sign out"', "url")
        for line in itertools.cycle(lines):
            if self._stopped.is_set() and line != lines[0]:
                continue
            await client.run(line)
            self._answered.release()
            if self._stopped.is_set():
                return
            await asyncio.sleep(self._random.random() * THINKING_SECONDS)

    async def _pause(self) -> None:
        """Nobody sends anything for longer than the Grid's time-out, and than connections are left alone."""
        await asyncio.sleep(self._pause_seconds())

    def _report(self, after_pause: Sequence[Attempt], lost_sessions: Sequence[LostSession]) -> SoakReport:
        attempts = [attempt for client in self._clients for attempt in client.attempts]
        failed = [each for each in attempts if each.outcome != OK]
        counts = Counter(self._fleet.rows())
        answered = {each.action_id for each in attempts if each.action_id is not None}
        return SoakReport(
            attempts=tuple(attempts),
            occurrences=tuple(self._occurrences),
            late=tuple(each for each in failed if not self._is_timely(each)),
            untrue=tuple(each for each in failed if error_class_of(each.outcome.upper()) is OrynError),
            failed_after_pause=tuple(each for each in after_pause if each.outcome != OK),
            lost_rows=tuple(sorted(answered - set(counts))),
            double_rows=tuple(sorted(id for id, count in counts.items() if count > 1)),
            lost_sessions=tuple(lost_sessions),
        )

    def _is_timely(self, attempt: Attempt) -> bool:
        """Whether a failed command ended soon after it began, after what was broken meanwhile, or after its limit."""
        if attempt.outcome in OF_A_LIMIT:
            return attempt.seconds <= LIMIT_SECONDS + SETTLED_SECONDS
        broken = [each.broken for each in self._occurrences if attempt.began <= each.broken <= attempt.ended]
        return attempt.ended - max([attempt.began, *broken]) <= SETTLED_SECONDS


def soak(sessions: int, minutes: float, daemons: int) -> SoakReport:
    """Start a fleet, run over it, and end it."""
    with Fleet(
        daemons=daemons, session_timeout=SESSION_TIMEOUT_SECONDS, cut_after=CUT_SECONDS, release_after=RELEASE_SECONDS
    ) as fleet:
        report = asyncio.run(SoakRun(fleet, sessions, minutes).run())
        if report.broken_promises:
            print(fleet.logs(), file=sys.stderr)
        return report


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left running
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--sessions", type=int, default=24)
    parser.add_argument("--daemons", type=int, default=DAEMONS, choices=(1, 2))
    chosen = parser.parse_args()
    report = soak(chosen.sessions, chosen.minutes, chosen.daemons)
    print(report.summary())
    print("\n".join(report.broken_promises))
    return 1 if report.broken_promises else 0


if __name__ == "__main__":
    sys.exit(main())
