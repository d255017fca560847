"""What a fleet costs: a command through HAProxy, and through the relay of another daemon, against the daemon that has
the session; the memory of its parts, and commands a second.

usage: python -m benchmarks.fleet [--rounds N]

It starts the whole of `scripts.fleet.fleet`: the Grid, the daemons, HAProxy."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path

import httpx

from benchmarks._session import paired, row
from benchmarks.memory import held
from scripts.fleet.clients import OK, FleetClient, connections_to
from scripts.fleet.daemons import FleetDaemon
from scripts.fleet.fleet import Fleet
from scripts.fleet.haproxy import Proxy, proxy_of_daemons

LIMIT_ADDED_MS = 5.0
LINES = ("title", "url", "observe", 'exists "Sign out"')
SLOTS = 4
BUSY_SECONDS = 15.0
SESSION = "measured"


class FleetBenchmark:
    """Measurements over one fleet that runs."""

    def __init__(self, fleet: Fleet, connections: httpx.AsyncClient, rounds: int) -> None:
        self._fleet = fleet
        self._connections = connections
        self._rounds = rounds

    def client(self, url: str, session: str = SESSION) -> FleetClient:
        return FleetClient(session, self._connections, url, self._fleet.shop.url)

    async def latency(self) -> bool:
        """Print what proxy and relay add; whether both together stay below the limit."""
        holder, *others = self._fleet.daemons
        await self.client(holder.url).sign_in()
        row("ms in the median", "local", "added by", "", widths=(20, 10, 12, 12))
        row("", "", "proxy", "and relay", widths=(20, 10, 12, 12))
        is_below = True
        with ExitStack() as ends:
            proxies = [ends.enter_context(self._proxy_of(each)) for each in (holder, *others)]
            for line in LINES:
                pairs = [await self._compare(line, holder.url, each.url) for each in proxies]
                added = [through - local for local, through in pairs]
                is_below = is_below and max(added) <= LIMIT_ADDED_MS
                cells = (f"{each:+.2f}" for each in added)
                row(line, f"{pairs[0][0]:.2f}", *cells, widths=(20, 10, 12, 12))
        return is_below

    def _proxy_of(self, daemon: FleetDaemon) -> Proxy:
        """The proxy, both of whose daemons are this one."""
        folder = self._fleet.folder / f"only-{daemon.name}"
        folder.mkdir()
        return proxy_of_daemons(folder, [daemon.url.partition("//")[2]] * 2)

    async def _compare(self, line: str, first: str, second: str) -> tuple[float, float]:
        """The medians in milliseconds of a line at two addresses."""
        medians = await paired(self._sends(line, first), self._sends(line, second), rounds=self._rounds)
        return medians[0] * 1000, medians[1] * 1000

    def _sends(self, line: str, url: str) -> Callable[[], Awaitable[None]]:
        client = self.client(url)

        async def send() -> None:
            await must(client, line)

        return send

    async def sizes(self) -> None:
        """Print the memory of the parts, and the commands a second while all slots are busy."""
        names = [f"sized-{number}" for number in range(1, SLOTS)]
        clients = [self.client(self._fleet.proxy.url, name) for name in names]
        before = [resident(each) for each in self._fleet.daemons]
        await asyncio.gather(*(client.sign_in() for client in clients))
        clients.append(self.client(self._fleet.proxy.url))
        ended = await asyncio.gather(*map(busy, clients))
        after = [resident(each) for each in self._fleet.daemons]
        row("commands a second, 4 sessions", f"{sum(ended) / BUSY_SECONDS:.0f}")
        row("a daemon, resident MB", f"{max(before):.0f}")
        row("after these sessions", f"{max(after):.0f}")
        row("a browser with a page, MB", f"{browsers_memory(self._fleet) / SLOTS:.0f}")


async def busy(client: FleetClient) -> int:
    """Send commands without a pause; how many ended."""
    end = time.monotonic() + BUSY_SECONDS
    count = 0
    while time.monotonic() < end:
        await must(client, LINES[count % len(LINES)])
        count += 1
    return count


async def must(client: FleetClient, line: str) -> None:
    """Send a command; the benchmark ends if it fails, since a figure over failures is none."""
    attempt = await client.run(line)
    if attempt.outcome != OK:
        raise SystemExit(str(attempt))


def resident(daemon: FleetDaemon) -> float:
    """The resident memory of a daemon's own process, in MB."""
    assert daemon.pid is not None
    return held(daemon.pid)["Rss"]


def browsers_memory(fleet: Fleet) -> float:
    """The memory of all browsers of the Grid in MB; what they share is counted once."""
    browsers = [pid for pid in fleet.grid.processes() if is_browser(Path(f"/proc/{pid}/cmdline").read_bytes())]
    return sum(held(pid)["Pss"] for pid in browsers)


def is_browser(command: bytes) -> bool:
    """Whether this is the command line of a browser, or of one of its processes."""
    return b"--headless" in command or b"--type=" in command


async def measure(fleet: Fleet, rounds: int) -> bool:
    async with connections_to(fleet.token) as connections:
        benchmark = FleetBenchmark(fleet, connections, rounds)
        is_below = await benchmark.latency()
        await benchmark.sizes()
        return is_below


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="not used: every benchmark is given the folder of the page set")
    parser.add_argument("--rounds", type=int, default=60)
    with Fleet() as fleet:
        if not asyncio.run(measure(fleet, parser.parse_args().rounds)):
            raise SystemExit(f"proxy and relay add more than {LIMIT_ADDED_MS:g} ms")


if __name__ == "__main__":
    main()
