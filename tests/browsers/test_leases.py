"""The rules of leases, with a clock that stands until a test moves it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Hashable

import pytest

from oryn.browsers.base.leases import LeaseHolder
from oryn.browsers.common.input_watch import LATE_SECONDS, InputKind, InputWatch
from oryn.browsers.common.leases import PERSON_SECONDS, SharedTabs, TabLeases
from oryn.errors import TabHeld, TabNotFound

SHOP, CART = "shop", "cart"


class Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def leases(clock: Clock) -> TabLeases:
    return TabLeases(clock, lambda: 1_800_000_000 + clock.time)


ann, bob = LeaseHolder("ann", 60), LeaseHolder("bob", 60)
TABS: dict[int | None, Hashable] = {None: SHOP, 1: SHOP, 2: CART}


def tabs_of(leases: TabLeases, holder: LeaseHolder, current: int = 1) -> SharedTabs:
    numbers = {SHOP: 1, CART: 2}

    def tab_of(number: int | None) -> Hashable:
        if number not in (None, 1, 2):
            raise TabNotFound("tab not found")
        return TABS[current if number is None else number]

    return SharedTabs(leases, holder, tab_of, lambda tab: numbers.get(str(tab)))


def holder_of(leases: TabLeases, tab: str) -> str:
    lease = leases.lease(tab)
    return lease.holder.name if lease else ""


# --- who holds what ---


def test_first_act_takes_a_free_tab(leases: TabLeases) -> None:
    assert holder_of(leases, SHOP) == ""
    assert leases.begin_act(SHOP, ann)
    assert holder_of(leases, SHOP) == "ann"
    assert leases.begin_act(SHOP, ann)


def test_act_on_a_held_tab_is_refused_and_changes_nothing(leases: TabLeases) -> None:
    leases.begin_act(SHOP, ann)
    serial = leases.serial
    assert not leases.begin_act(SHOP, bob)
    assert holder_of(leases, SHOP) == "ann"
    assert leases.serial == serial
    assert leases.begin_act(CART, bob)


def test_refusal_names_the_holder_and_since_when(leases: TabLeases, clock: Clock) -> None:
    tabs_of(leases, ann).begin_act()
    tabs_of(leases, ann).end_command()
    leases.end_act(SHOP, ann)
    clock.time += 12
    with pytest.raises(TabHeld) as refused:
        tabs_of(leases, bob).begin_act()
    assert refused.value.message == "tab 1 belongs to session ann since 2027-01-15T08:16:40Z (last used 12 s ago)"
    assert "tab take 1" in str(refused.value.hint)


def test_holders_of_one_name_are_not_the_same(leases: TabLeases) -> None:
    leases.begin_act(SHOP, ann)
    assert not leases.begin_act(SHOP, LeaseHolder("ann", 60))


def test_lease_ends_after_a_time_without_a_command(leases: TabLeases, clock: Clock) -> None:
    leases.begin_act(SHOP, ann)
    clock.time += 600
    assert not leases.begin_act(SHOP, bob), "a command still runs"
    leases.end_act(SHOP, ann)
    clock.time += 59
    assert not leases.begin_act(SHOP, bob)
    leases.renew(SHOP, ann)
    leases.renew(SHOP, bob)
    clock.time += 59.5
    assert not leases.begin_act(SHOP, bob), "ann has looked at it"
    clock.time += 0.5
    assert leases.begin_act(SHOP, bob)


def test_lease_ends_with_its_session(leases: TabLeases) -> None:
    session = tabs_of(leases, ann)
    session.begin_act()
    session.begin_act(2)
    session.close()
    session.close()
    assert (holder_of(leases, SHOP), holder_of(leases, CART)) == ("", "")


def test_only_the_holder_releases(leases: TabLeases) -> None:
    leases.begin_act(SHOP, ann)
    assert not leases.release(SHOP, bob)
    assert holder_of(leases, SHOP) == "ann"
    assert leases.release(SHOP, ann)
    assert not leases.release(SHOP, ann)


def test_end_of_an_act_does_not_renew_what_is_somebody_elses(leases: TabLeases, clock: Clock) -> None:
    leases.begin_act(SHOP, ann)
    leases.note_person(SHOP)
    clock.time += 5
    leases.end_act(SHOP, ann)
    assert holder_of(leases, SHOP) == "the person"
    clock.time += PERSON_SECONDS - 5
    assert holder_of(leases, SHOP) == ""


# --- persons ---


def test_person_takes_a_tab_even_from_a_running_act(leases: TabLeases, clock: Clock) -> None:
    leases.begin_act(SHOP, ann)
    leases.note_person(SHOP)
    assert not leases.begin_act(SHOP, ann)
    clock.time += PERSON_SECONDS - 1
    leases.note_person(SHOP)
    clock.time += PERSON_SECONDS - 1
    assert not leases.begin_act(SHOP, ann), "the person goes on"
    clock.time += 1
    assert leases.begin_act(SHOP, ann)


def test_takeover_lasts_until_it_is_given_back(leases: TabLeases, clock: Clock) -> None:
    person = LeaseHolder("the person", float("inf"), is_person=True)
    taken = tabs_of(leases, ann)
    leases.begin_act(SHOP, bob)
    taken.hand_over(person)
    clock.time += 10_000
    leases.note_person(SHOP)  # the same person, with their own mouse
    clock.time += 10_000
    assert not leases.begin_act(SHOP, bob)
    taken.hand_back(person)
    assert leases.begin_act(SHOP, bob)


def test_takeover_follows_a_person_at_the_window(leases: TabLeases, clock: Clock) -> None:
    leases.note_person(SHOP)
    person = LeaseHolder("the person", float("inf"), is_person=True)
    leases.note_person(SHOP, person)
    clock.time += 10_000
    assert leases.is_held_by(SHOP, person)


# --- acts of others ---


def test_foreign_acts_are_told_once(leases: TabLeases) -> None:
    mine, other = tabs_of(leases, ann), tabs_of(leases, bob)
    assert mine.take_foreign_act() is None
    mine.begin_act()
    mine.end_command()
    assert mine.take_foreign_act() is None, "one's own acts"
    mine.release()
    other.begin_act()
    act = mine.take_foreign_act()
    assert act is not None
    assert act.actor is bob
    assert mine.take_foreign_act() is None
    other.end_command()
    assert mine.take_foreign_act() is not None, "the act went on after that look"


def test_foreign_acts_before_the_first_look_are_no_change(leases: TabLeases) -> None:
    tabs_of(leases, bob).begin_act()
    mine = tabs_of(leases, ann)
    assert mine.take_foreign_act() is None
    leases.note_person(SHOP)
    act = mine.take_foreign_act()
    assert act is not None
    assert act.actor.is_person


def test_act_on_another_tab_is_none_on_this(leases: TabLeases) -> None:
    mine = tabs_of(leases, ann)
    mine.take_foreign_act()
    tabs_of(leases, bob).begin_act(2)
    assert mine.take_foreign_act() is None


# --- waiting ---


def test_freed_lease_is_taken_at_once() -> None:
    async def run() -> float:
        leases = TabLeases()
        mine, other = tabs_of(leases, ann), tabs_of(leases, bob)
        other.begin_act()
        other.end_command()
        taking = asyncio.create_task(mine.take(1, timeout=5))
        await asyncio.sleep(0)
        assert other.take_requests() == [(1, ann)]
        assert other.take_requests() == [], "told already"
        freed = time.perf_counter()
        other.release()
        await taking
        assert leases.is_held_by(SHOP, ann)
        return time.perf_counter() - freed

    assert asyncio.run(run()) < 0.1


def test_lease_that_expires_is_taken() -> None:
    async def run() -> float:
        leases = TabLeases()
        hasty = LeaseHolder("hasty", 0.2)
        leases.begin_act(SHOP, hasty)
        leases.end_act(SHOP, hasty)
        began = time.perf_counter()
        await tabs_of(leases, ann).take(1, timeout=5)
        return time.perf_counter() - began

    assert 0.15 < asyncio.run(run()) < 1


def test_waiter_notices_that_a_person_has_the_tab_for_a_shorter_time() -> None:
    async def run() -> float:
        leases = TabLeases()
        leases.person.seconds = 0.1
        leases.take(SHOP, bob)
        taking = asyncio.create_task(tabs_of(leases, ann).take(1, timeout=5))
        await asyncio.sleep(0)
        leases.note_person(SHOP)
        began = time.perf_counter()
        await taking
        return time.perf_counter() - began

    assert 0.05 < asyncio.run(run()) < 1


def test_taking_gives_up_at_the_time_limit() -> None:
    async def run() -> None:
        leases = TabLeases()
        leases.begin_act(SHOP, bob)
        with pytest.raises(TabHeld):
            await tabs_of(leases, ann).take(1, timeout=0.05)
        leases.release(SHOP, bob)
        assert leases.lease(SHOP) is None, "nobody waits any more"

    asyncio.run(run())


def test_waiters_are_served_in_order() -> None:
    async def run() -> list[str]:
        leases = TabLeases()
        leases.begin_act(SHOP, bob)
        served: list[str] = []

        async def wait(name: str) -> None:
            tabs = tabs_of(leases, LeaseHolder(name, 60))
            await tabs.take(1, timeout=5)
            served.append(name)
            tabs.release()

        waiting = [asyncio.create_task(wait(name)) for name in ("a", "b", "c")]
        await asyncio.sleep(0)
        leases.release(SHOP, bob)
        await asyncio.gather(*waiting)
        return served

    assert asyncio.run(run()) == ["a", "b", "c"]


def test_cancelled_waiter_leaves_the_tab_free() -> None:
    async def run() -> None:
        leases = TabLeases()
        leases.begin_act(SHOP, bob)
        taking = asyncio.create_task(tabs_of(leases, ann).take(1, timeout=5))
        await asyncio.sleep(0)
        leases.release(SHOP, bob)  # granted, and cancelled before it runs
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
        assert leases.lease(SHOP) is None

    asyncio.run(run())


def test_closing_the_tab_ends_the_wait() -> None:
    async def run() -> None:
        leases = TabLeases()
        leases.begin_act(SHOP, bob)
        taking = asyncio.create_task(tabs_of(leases, ann).take(1, timeout=5))
        await asyncio.sleep(0)
        leases.forget(SHOP)
        with pytest.raises(TabNotFound):
            await taking

    asyncio.run(run())


def test_circle_of_waiters_is_refused_at_once() -> None:
    async def run() -> None:
        leases = TabLeases()
        mine, other = tabs_of(leases, ann), tabs_of(leases, bob)
        mine.begin_act(1)
        other.begin_act(2)
        taking = asyncio.create_task(mine.take(2, timeout=5))
        await asyncio.sleep(0)
        with pytest.raises(TabHeld) as refused:
            await other.take(1, timeout=5)
        assert "tab release" in str(refused.value.hint)
        other.release(2)
        await taking

    asyncio.run(run())


def test_circle_over_three_is_found() -> None:
    async def run() -> None:
        leases = TabLeases()
        holders = [LeaseHolder(name, 60) for name in "abc"]
        for number, holder in enumerate(holders):
            leases.begin_act(number, holder)
        leases.request(1, holders[0])
        leases.request(2, holders[1])
        assert leases.waits_for(holders[0], holders[2])
        assert not leases.waits_for(holders[2], holders[0])

    asyncio.run(run())


def test_renamed_tab_keeps_lease_and_waiters() -> None:
    async def run() -> None:
        leases = TabLeases()
        leases.begin_act(SHOP, bob)
        taking = asyncio.create_task(tabs_of(leases, ann).take(1, timeout=5))
        await asyncio.sleep(0)
        leases.rename(SHOP, "shop again")
        leases.release("shop again", bob)
        await taking
        assert leases.is_held_by("shop again", ann)

    asyncio.run(run())


def test_random_histories_keep_one_holder_a_tab(clock: Clock) -> None:
    """500 steps of two sessions and a person: whoever acts holds the tab, and the others are refused."""
    chance = random.Random(46)
    leases = TabLeases(clock)
    acting: list[tuple[LeaseHolder, str]] = []
    refused = 0
    for _ in range(500):
        holder, tab = chance.choice((ann, bob)), chance.choice((SHOP, CART))
        match chance.randrange(6):
            case 0:
                leases.note_person(tab)
                acting = [each for each in acting if each[1] != tab]
            case 1:
                leases.release(tab, holder)
                acting = [each for each in acting if each != (holder, tab)]
            case 2:
                clock.time += chance.uniform(0, 40)
            case _:
                others = {each for each, where in acting if where == tab and each is not holder}
                if leases.begin_act(tab, holder):
                    assert not others
                    acting.append((holder, tab))
                    if chance.random() < 0.7:
                        leases.end_act(tab, holder)
                        acting.remove((holder, tab))
                else:
                    refused += 1
                    lease = leases.lease(tab)
                    assert lease is not None
                    assert lease.holder is not holder
    assert refused > 50


# --- whose input it is ---


class Inputs:
    """A watch, with what a person has done and input that is acknowledged when a test says so."""

    def __init__(self, clock: Clock) -> None:
        self.persons = 0
        self.watch = InputWatch(self._on_person, clock)

    def _on_person(self) -> None:
        self.persons += 1

    def send(self, kind: InputKind = "press") -> asyncio.Future[None]:
        sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.watch.announce(kind, sent)
        return sent


async def acknowledge(*sent: asyncio.Future[None]) -> None:
    for each in sent:
        each.set_result(None)
    await asyncio.sleep(0)  # their callbacks run


def test_announced_input_is_no_persons(clock: Clock) -> None:
    async def run() -> None:
        inputs = Inputs(clock)
        await acknowledge(*(inputs.send("key") for _ in range(3)))
        inputs.watch.on_reported("key", 2, "page")
        inputs.watch.on_reported("key", 1, "page")
        assert inputs.persons == 0
        inputs.watch.on_reported("key", 1, "page")
        assert inputs.persons == 1

    asyncio.run(run())


def test_one_input_too_many_is_a_persons(clock: Clock) -> None:
    async def run() -> None:
        inputs = Inputs(clock)
        inputs.send()
        inputs.watch.on_reported("press", 2, "page")
        assert inputs.persons == 1

    asyncio.run(run())


def test_kinds_are_counted_apart(clock: Clock) -> None:
    async def run() -> None:
        inputs = Inputs(clock)
        inputs.send("press")
        inputs.watch.on_reported("key", 1, "page")
        assert inputs.persons == 1

    asyncio.run(run())


def test_input_that_the_page_never_heard_hides_no_later_one(clock: Clock) -> None:
    async def run() -> None:
        inputs = Inputs(clock)
        await acknowledge(inputs.send())
        clock.time += LATE_SECONDS + 0.1
        inputs.watch.on_reported("press", 1, "page")
        assert inputs.persons == 1

    asyncio.run(run())


def test_input_without_acknowledgement_may_be_reported_late(clock: Clock) -> None:
    async def run() -> None:
        inputs = Inputs(clock)
        inputs.send()
        clock.time += 10
        inputs.watch.on_reported("press", 1, "page")
        assert inputs.persons == 0

    asyncio.run(run())


def test_one_script_of_a_tab_counts_until_it_leaves(clock: Clock) -> None:
    async def run() -> None:
        inputs = Inputs(clock)
        inputs.send()
        inputs.watch.on_reported("press", 1, "ann's")
        inputs.watch.on_reported("press", 1, "bob's")
        assert inputs.persons == 0
        inputs.watch.leave("ann's")
        inputs.watch.on_reported("press", 1, "bob's")
        assert inputs.persons == 1

    asyncio.run(run())


def test_input_of_a_person_takes_the_tab(leases: TabLeases) -> None:
    leases.begin_act(SHOP, ann)
    leases.input_watch(SHOP).on_reported("scroll", 1, "page")
    assert leases.is_held_by(SHOP, ann), "no such kind"
    leases.input_watch(SHOP)._clock = lambda: 0.0
    leases.input_watch(SHOP).on_reported("press", 1, "page")
    assert leases.is_held_by(SHOP, leases.person)
