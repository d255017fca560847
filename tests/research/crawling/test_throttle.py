"""When a host may be asked."""

from __future__ import annotations

import asyncio

import pytest

from oryn.research.fetching.throttle import RETRY_SECONDS, LocalThrottle
from tests.research.crawling.memory_web import Clock

HOST = "example.org"


def test_the_pause_is_between_the_beginnings_of_requests() -> None:
    async def ask() -> None:
        clock = Clock()
        throttle = LocalThrottle(1.0, 2, clock)
        assert await throttle.ask(HOST) == 0
        assert await throttle.ask("other.example") == 0, "each host has its own"
        clock.at = 5.0
        await throttle.begun(HOST)
        clock.at = 5.4
        assert abs(await throttle.ask(HOST) - 0.6) < 1e-9
        clock.at = 6.0
        assert await throttle.ask(HOST) == 0

    asyncio.run(ask())


def test_one_request_at_a_time_is_about_to_be_sent() -> None:
    async def ask() -> None:
        clock = Clock()
        throttle = LocalThrottle(0.0, 5, clock)
        assert await throttle.ask(HOST) == 0
        assert await throttle.ask(HOST) == RETRY_SECONDS
        await throttle.begun(HOST)
        assert await throttle.ask(HOST) == 0

    asyncio.run(ask())


def test_a_host_has_so_many_at_once() -> None:
    async def ask() -> None:
        clock = Clock()
        throttle = LocalThrottle(0.0, 2, clock)
        for _ in range(2):
            assert await throttle.ask(HOST) == 0
            await throttle.begun(HOST)
        assert await throttle.ask(HOST) == RETRY_SECONDS
        await throttle.done(HOST)
        assert await throttle.ask(HOST) == 0

    asyncio.run(ask())


def test_slow_postpones_requests_to_a_host() -> None:
    async def ask() -> None:
        clock = Clock()
        throttle = LocalThrottle(1.0, 2, clock)
        await throttle.slow(HOST, 30)
        clock.at = 10.0
        await throttle.slow(HOST, 5)
        assert await throttle.ask(HOST) == 20
        clock.at = 30.0
        assert await throttle.ask(HOST) == 0

    asyncio.run(ask())


def test_the_longer_pause_holds() -> None:
    async def ask() -> None:
        clock = Clock()
        throttle = LocalThrottle(2.0, 2, clock)
        await throttle.pace("slow.example", 10)
        await throttle.pace("quick.example", 0.1)
        for host, pause in (("slow.example", 10), ("quick.example", 2)):
            assert await throttle.ask(host) == 0
            assert await throttle.ask(host) == pause

    asyncio.run(ask())


def test_hosts_of_which_there_is_nothing_to_remember_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oryn.research.fetching.throttle.REMEMBERED", 3)

    async def ask() -> None:
        clock = Clock()
        throttle = LocalThrottle(1.0, 1, clock)
        for host in ("done.example", "busy.example", "closed.example"):
            assert await throttle.ask(host) == 0
            await throttle.begun(host)
        await throttle.done("done.example")
        await throttle.done("closed.example")
        await throttle.slow("closed.example", 60)
        clock.at = 5.0
        assert await throttle.ask("new.example") == 0
        assert set(throttle._hosts) == {"busy.example", "closed.example", "new.example"}
        assert await throttle.ask("busy.example") == RETRY_SECONDS and await throttle.ask("closed.example") == 55

    asyncio.run(ask())
