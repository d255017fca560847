"""Two sessions and a person on the same two tabs of one browser: who acted where, and how soon a freed tab is taken.

usage: python -m benchmarks.leases [ACTS]

The sessions act, take, give back and switch tabs at random and at the same time, and a person presses in the tabs in
between. Leases are short here, so that many end by themselves. The page counts the presses that reach it. From the log
of the acts, with nothing of the leases in it: an act that was done is an offence if another's act, or the person's, was
done in the same tab shortly before, and it was not given back since. It ends with 1 after an offence, an act that a
refusal has done all the same, or a wait without end.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Literal

from benchmarks._host import OnePage
from benchmarks._session import row, run
from oryn.browsers.base.leases import LeaseHolder
from oryn.browsers.chromium import ChromiumBrowser
from oryn.browsers.common import leases as model
from oryn.engine import Options, Session
from tests.headless.attached_browser import Client, RunningChromium, client_of

LEASE_SECONDS, PERSON_SECONDS = 1.5, 0.5
CLOCK_SECONDS = 0.05
"""How exactly the log knows when a command began and ended."""
REPORT_SECONDS = 0.2
"""How long a busy page may take to report a press."""
PERSON = "person"
STUCK_SECONDS = 60.0
PAGE = """<title>Counter</title><button style="position:fixed;left:0;top:0" onclick="presses += 1">Count</button>
<script>presses = 0</script>"""


@dataclass
class Act:
    who: str
    url: str
    began: float
    ended: float


@dataclass
class Log:
    done: list[Act] = field(default_factory=list)
    given_back: list[Act] = field(default_factory=list)
    refused = 0
    other_errors: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    freed: dict[Any, float] = field(default_factory=dict)

    def offences(self) -> list[tuple[Act, Act]]:
        """Pairs of acts of which the second was done in a tab that was still somebody else's."""
        sessions = [each for each in self.done if each.who != PERSON]
        return [
            (before, act)
            for act in sessions
            for before in self.done
            if before.who != act.who and before.url == act.url and self._is_held(before, act)
        ]

    def _is_held(self, before: Act, act: Act) -> bool:
        """Whether the tab was still that of `before` when `act` began."""
        is_person = before.who == PERSON
        begin = before.ended + REPORT_SECONDS if is_person else before.began
        end = before.ended + (PERSON_SECONDS if is_person else LEASE_SECONDS) - CLOCK_SECONDS
        if not begin < act.began < end:
            return False
        given_back = any(
            each.who == before.who and each.url == act.url and before.began < each.ended < act.ended
            for each in self.given_back
        )
        # A person who has taken it, and left it since, was first.
        left = not is_person and any(
            each.who == PERSON and each.url == act.url and before.began - REPORT_SECONDS < each.ended < act.began
            for each in self.done
        )
        return not given_back and not left


class Player:
    """A session that does things at random."""

    def __init__(self, session: Session, log: Log, chance: random.Random, urls: list[str]) -> None:
        self.session = session
        self.log = log
        self.chance = chance
        self.urls = urls
        self.acts = 0

    async def number(self, url: str) -> int:
        rows = (await self.session.execute("tabs")).data
        return int(next(each["number"] for each in rows if each["url"] == url))

    async def play(self, acts: int) -> None:
        url = self.session.page.url
        while self.acts < acts:
            match self.chance.randrange(8):
                case 0:
                    url = await self._go("switch", url)
                case 1:
                    url = await self._go("take", url)
                case 2:
                    began = time.monotonic()
                    await self._run("tab release")
                    self.log.given_back.append(Act(self.session.name, url, began, time.monotonic()))
                case _:
                    self.acts += 1
                    began = time.monotonic()
                    if await self._run('click "Count"'):
                        self.log.done.append(Act(self.session.name, url, began, time.monotonic()))
            await asyncio.sleep(self.chance.uniform(0, 0.05))

    async def _go(self, how: Literal["switch", "take"], url: str) -> str:
        """Go to a tab; the one where the session is then. Who leaves a tab that they have not opened gives it back."""
        wanted, began = self.chance.choice(self.urls), time.monotonic()
        if not await self._run(f"tab {how} {await self.number(wanted)} --timeout 2s"):
            return url
        if wanted != url and not url.endswith(self.session.name):
            self.log.given_back.append(Act(self.session.name, url, began, time.monotonic()))
        return wanted

    async def _run(self, line: str) -> bool:
        answer = await self.session.execute(line)
        if answer.error is not None and answer.error.code == "TAB_HELD":
            self.log.refused += 1
        elif answer.error is not None:
            self.log.other_errors.append(f"{line}: {answer.error.message}")
        return answer.ok


async def person(client: Client, log: Log, chance: random.Random, urls: list[str]) -> None:
    """Presses beside the button, until it is cancelled."""
    tabs = (await client("Target.getTargets"))["targetInfos"]
    sessions = {}
    for tab in tabs:
        if tab["url"] in urls:
            to = {"targetId": tab["targetId"], "flatten": True}
            sessions[tab["url"]] = (await client("Target.attachToTarget", to))["sessionId"]
    while True:
        await asyncio.sleep(chance.uniform(0.2, 1.5))
        url, where = chance.choice(urls), {"x": 500, "y": 400, "button": "left", "clickCount": 1}
        began = time.monotonic()
        await client("Input.dispatchMouseEvent", {"type": "mousePressed", **where}, sessions[url])
        log.done.append(Act(PERSON, url, began, time.monotonic()))
        await client("Input.dispatchMouseEvent", {"type": "mouseReleased", **where}, sessions[url])


def measure_waits(log: Log) -> None:
    """Note how long after a tab was free whoever waited for it has gone on."""
    free, take = model.TabLeases._free, model.SharedTabs.take

    def noted_free(self: model.TabLeases, tab: Any) -> None:
        lease = self._leases[tab]
        end = lease.last + lease.holder.seconds
        log.freed[tab] = end if not lease.acts and end < time.monotonic() else time.monotonic()
        free(self, tab)

    async def noted_take(self: model.SharedTabs, number: int, *, timeout: float) -> None:
        tab, waits = self._tab_of(number), self.lease(number)
        await take(self, number, timeout=timeout)
        if waits is not None and waits.holder is not self.holder:
            log.waits.append(time.monotonic() - log.freed[tab])

    model.TabLeases._free, model.SharedTabs.take = noted_free, noted_take  # type: ignore[method-assign]


async def main() -> None:
    acts = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    log, chance = Log(), random.Random(46)
    measure_waits(log)
    with OnePage(PAGE) as page, tempfile.TemporaryDirectory() as folder:
        chromium = RunningChromium(Path(folder))
        await chromium.ready()
        urls = [f"{page.url}?{name}" for name in ("ann", "bob")]
        options = Options(tab_lease=LEASE_SECONDS, settle_grace=0.05, action_wait=1)
        place = {"runtime_dir": Path(folder) / "run", "endpoint": chromium.endpoint, "shares_context": True}
        first = ChromiumBrowser(**place)  # type: ignore[arg-type]
        second = ChromiumBrowser(**place, shared_with=first)  # type: ignore[arg-type]
        first._shared.leases.person = LeaseHolder("the person", PERSON_SECONDS, is_person=True)
        sessions = [Session(first, "ann", options), Session(second, "bob", options)]
        players = [Player(each, log, random.Random(number), urls) for number, each in enumerate(sessions)]
        stuck = False
        async with client_of(chromium.endpoint) as client:
            for each, url in zip(sessions, urls, strict=True):
                assert (await each.execute(f"goto {url}")).ok
            presses = asyncio.create_task(person(client, log, chance, urls))
            try:
                async with asyncio.timeout(STUCK_SECONDS + acts * 0.5):
                    await asyncio.gather(*(each.play(acts // 2) for each in players))
            except TimeoutError:
                stuck = True
            presses.cancel()
            counted = 0
            for session, url in zip(sessions, urls, strict=True):
                await session.execute(f"tab switch {await Player(session, log, chance, urls).number(url)}")
                counted += int(await session.page.evaluate("presses"))
        for each in sessions:
            await each.close()
        chromium.end()
    report(log, sum(each.acts for each in players), counted, stuck)


def report(log: Log, acts: int, counted: int, stuck: bool) -> None:
    done = [each for each in log.done if each.who != PERSON]
    offences = log.offences()
    row("acts tried, done, refused commands", acts, len(done), log.refused)
    row("presses of the person", len(log.done) - len(done))
    row("presses that the pages counted", counted)
    row("acts on a tab of another", len(offences))
    row("waits without end", int(stuck))
    if log.waits:
        row("freed tab taken after, ms", f"{median(log.waits) * 1000:.1f}", f"max {max(log.waits) * 1000:.1f}")
    for before, act in offences[:5]:
        print(f"  {before} then {act}")
    for error in sorted(set(log.other_errors))[:5]:
        print(f"  {error}")
    if offences or stuck or counted != len(done):
        raise SystemExit(1)


if __name__ == "__main__":
    run(main)
