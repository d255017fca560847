"""Oryn's own queue, and the limit by memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from oryn.errors import ProviderUnavailable
from oryn.providers.addresses import AddressProvider, BrowserAddress
from oryn.providers.local import LocalProvider, free_memory
from oryn.providers.places import Places
from oryn.providers.provider import BrowserRequest


async def test_requests_are_served_in_their_order() -> None:
    places, served, reports = Places(1), [], {}

    async def take(name: str) -> None:
        await places.take(lambda place, length: reports.__setitem__(name, (place, length)))
        served.append(name)

    await take("first")
    waiting = [asyncio.create_task(take(name)) for name in ("second", "third", "fourth")]
    await asyncio.sleep(0)
    assert reports == {"second": (1, 3), "third": (2, 3), "fourth": (3, 3)}
    waiting[1].cancel()
    await asyncio.wait([waiting[1]])
    assert reports["fourth"] == (2, 2)
    for _ in range(2):
        places.leave()
        await asyncio.sleep(0)
    await asyncio.gather(waiting[0], waiting[2])
    assert served == ["first", "second", "fourth"]
    assert (places.used, places.queued) == (1, 0)


async def test_a_request_that_is_cancelled_when_it_is_served_gives_its_place_on() -> None:
    places = Places(1)
    await places.take(lambda *_: None)
    first, second = (asyncio.create_task(places.take(lambda *_: None)) for _ in range(2))
    await asyncio.sleep(0)
    places.leave()  # the first one has the place, and has not run since
    first.cancel()
    await asyncio.wait([first])
    assert first.cancelled()
    await second
    assert (places.used, places.queued) == (1, 0)


async def test_the_address_with_the_fewest_sessions_is_taken() -> None:
    provider = AddressProvider("few", [BrowserAddress("ws://a/", 2), BrowserAddress("ws://b/", 1)])
    found = [await provider.open(BrowserRequest()) for _ in range(3)]
    assert sorted(str(each.address) for each in found) == ["ws://a/", "ws://a/", "ws://b/"]
    waiting = asyncio.create_task(provider.open(BrowserRequest()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (await provider.health()).replace(error=None).values() | {"labels": {}} == {
        "name": "few",
        "kind": "cdp",
        "labels": {},
        "capacity": 3,
        "used": 3,
        "queue": 1,
        "state": "up",
        "error": None,
    }
    of_b = next(each for each in found if each.address == "ws://b/")
    await provider.close(of_b.reference)
    assert (await waiting).address == "ws://b/"


async def test_an_address_that_failed_comes_last() -> None:
    provider = AddressProvider("few", [BrowserAddress("ws://a/"), BrowserAddress("ws://b/")])
    first = await provider.open(BrowserRequest())
    provider.note_attach(first.reference, ProviderUnavailable("it does not answer"))
    await provider.close(first.reference)
    assert (await provider.open(BrowserRequest())).address != first.address
    assert (await provider.health()).error == "it does not answer"


async def test_another_session_waits_until_there_is_memory() -> None:
    free = [1_000_000_000]
    provider = LocalProvider("here", min_free_memory=500_000_000, free=lambda: free[0])
    first = await provider.open(BrowserRequest())
    free[0] = 900_000_000  # it has taken 100 MB
    await provider.open(BrowserRequest())
    free[0] = 600_000_000  # 200 MB each, and another one would leave 400 MB
    waiting = asyncio.create_task(provider.open(BrowserRequest()))
    await asyncio.sleep(0)
    assert provider.queued == 1
    free[0] = 800_000_000
    await provider.close(first.reference)
    await waiting
    await provider.stop()


async def test_the_first_session_opens_without_memory() -> None:
    provider = LocalProvider("here", min_free_memory=500_000_000, free=lambda: 1)
    await provider.open(BrowserRequest())
    assert provider.is_full


def test_the_limit_of_a_container_counts(tmp_path: Path) -> None:
    group = tmp_path / "sys/fs/cgroup/pod/oryn"
    group.mkdir(parents=True)
    proc = tmp_path / "proc/self"
    proc.mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text("MemTotal: 9000 kB\nMemAvailable: 8000 kB\n")
    (proc / "cgroup").write_text("0::/pod/oryn\n")
    assert free_memory(tmp_path) == 8_192_000
    (group / "memory.max").write_text("max\n")
    limits = {"memory.max": "3000000", "memory.current": "2000000", "memory.stat": "anon 1\ninactive_file 500000\n"}
    for name, text in limits.items():
        (group.parent / name).write_text(text)
    assert free_memory(tmp_path) == 1_500_000


def test_without_the_files_of_linux_nothing_is_known(tmp_path: Path) -> None:
    assert free_memory(tmp_path) is None


@pytest.mark.parametrize("name", ["cdp", "local"])
async def test_a_drained_provider_gives_no_browsers(name: str) -> None:
    provider = LocalProvider("here") if name == "local" else AddressProvider("few", [BrowserAddress("ws://a/")])
    provider.draining = True
    with pytest.raises(ProviderUnavailable, match="is drained"):
        await provider.open(BrowserRequest())
    assert (await provider.health()).state == "draining"
