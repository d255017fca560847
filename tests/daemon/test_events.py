"""The event bus: in order, to whom it concerns, and nobody waits for a slow listener."""

from __future__ import annotations

from itertools import pairwise

from oryn.daemon.event_bus import MAX_QUEUED_EVENTS, EventBus, Subscription


async def collect(subscription: Subscription) -> list[int]:
    return [event.data["number"] async for event in subscription]


async def test_subscribers_receive_events_of_their_types_in_order() -> None:
    events = EventBus()
    with events.subscribe() as every, events.subscribe(["session.closed"]) as some:
        events.publish("action.start", number=1)
        events.publish("session.closed", number=2)
        events.close()
        assert await collect(every) == [1, 2]
        assert await collect(some) == [2]


async def test_a_slow_listener_loses_its_oldest_and_is_told_how_many() -> None:
    events = EventBus()
    with events.subscribe() as slow:
        for number in range(MAX_QUEUED_EVENTS + 7):
            events.publish("action.start", number=number)
        events.close()
        found = [event.form() async for event in slow]
    assert found[0]["lost"] == 7
    assert all("lost" not in event for event in found[1:])
    assert [event["data"]["number"] for event in found] == list(range(7, MAX_QUEUED_EVENTS + 7))
    assert all(earlier["ts"] <= later["ts"] for earlier, later in pairwise(found))


async def test_ended_subscription_receives_no_events() -> None:
    events = EventBus()
    with events.subscribe() as gone:
        pass
    events.publish("action.start", number=1)
    gone.end()
    assert await collect(gone) == []
