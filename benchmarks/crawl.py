"""A crawl of twenty misbehaving hosts on loopback: twice, once undisturbed and once killed again and again.

usage: python -m benchmarks.crawl [--pages N] [--delay SECONDS] [--kills N]

The hosts (`tests/research/misbehaving_hosts.py`) are this process, the crawler is one of its own. The benchmark checks
the hosts' own logs (pauses, requests at once, robots.txt, Retry-After), the crawler's memory, and its results. It exits
with 1 if a check fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks._session import row
from benchmarks.memory import held
from oryn.research.crawling import CrawlResult
from tests.research.misbehaving_hosts import HOSTS, WITHHELD, Host, Hosts

ROOT = Path(__file__).parent.parent
PER_HOST = 2
JITTER = 0.05
"""Seconds by which two requests may come closer than they left: the hosts are threads of one interpreter."""
WARM = 400
"""Results after which all code is loaded and every host's connections are there."""
LIMIT_SLOPE = 2.0
"""MB for 1,000 results."""
OPTIONS = {"depth": 12, "sitemaps": True, "pages": 0, "per_host": PER_HOST, "same_query": 20, "host_failures": 30}
WIDTHS = (18, 9, 8, 9, 10, 8, 8, 6, 8)


class Crawler:
    """The crawler's process. `memory` has its resident size by the results that it had told."""

    def __init__(self, hosts: Hosts, folder: Path, options: dict[str, Any]) -> None:
        self.folder = folder
        self.memory: list[tuple[int, float]] = []
        self.last = ""
        self.totals = ""
        self.departed = 0.0
        """The shortest time between two requests to one host, by the crawler's own clock as they leave."""
        self._asked = {"seeds": hosts.seeds, "folder": str(folder), "options": options, "processes": True}

    def run(self, kill_after: int | None = None) -> None:
        """To its end, or until it has told so many more."""
        environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
        command = [sys.executable, "-m", "tests.research.crawling.interruptible", json.dumps(self._asked)]
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            for count, line in enumerate(process.stdout, 1):
                self.last = line.strip()
                if count == kill_after:
                    process.kill()
                    return
                if count % 25 == 0 and self.last.isdigit() and process.poll() is None:
                    self.memory.append((int(self.last), held(process.pid)["Rss"]))
                if not self.last.isdigit() and "told" in self.last:
                    self.totals = self.last
        if process.returncode:
            raise SystemExit(f"the crawler ended with {process.returncode}")
        self.departed = float(self.last)

    @property
    def results(self) -> list[CrawlResult]:
        lines = (self.folder / "pages.jsonl").read_text("utf-8").splitlines()
        return [CrawlResult.read(json.loads(line)) for line in lines]


class Pulse(threading.Thread):
    """Notices when this process, and so the hosts in it, had to wait for a processor: what came meanwhile is seen late,
    and what comes next seems to come too soon after it."""

    BEAT = 0.005

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.stalls: list[tuple[float, float]] = []
        self.start()

    def run(self) -> None:
        while True:
            began = time.monotonic()
            time.sleep(self.BEAT)
            late = time.monotonic() - began - self.BEAT
            if late > self.BEAT:
                self.stalls.append((began, late))

    def late(self, at: float) -> float:
        """How late something may have been seen that was seen at that time."""
        around = (late for began, late in self.stalls if began - JITTER <= at <= began + late + 4 * JITTER)
        return JITTER + sum(around)


def faults_of(results: list[CrawlResult], hosts: Hosts) -> Iterator[str]:
    """What was lost, told twice, or told wrongly."""
    if [each.number for each in results] != list(range(1, len(results) + 1)):
        yield "numbers have gaps or come twice"
    yield from (f"twice: {url}" for url, times in Counter(each.url for each in results).items() if times > 1)
    texts = {each.url: each.article.text for each in results if each.article}
    errors = {each.url: each.error for each in results}
    for url, sentence in hosts.content.items():
        if sentence not in texts.get(url, ""):
            yield f"lost: {url} ({errors.get(url, 'never told')})"


def closest(host: Host) -> float:
    """The shortest time between the beginnings of two requests, as the host saw them."""
    return min((later.at - earlier.at for earlier, later in pairwise(host.site.requests)), default=float("inf"))


def impolite(host: Host, delay: float, kills: int, pulse: Pulse) -> Iterator[str]:
    """What a host has to complain of. After a kill, requests of the dead process may still be there."""
    pause = max(delay, host.hosts.crawl_delay) if host.number == 13 else delay
    near = [b.at - a.at for a, b in pairwise(host.site.requests) if b.at - a.at < pause - pulse.late(a.at)]
    if near:
        yield f"host {host.number}: {len(near)} requests too soon, {min(near):.3f} s after another"
    if host.site.most_answering > PER_HOST * (2 if kills else 1):
        yield f"host {host.number}: {host.site.most_answering} requests at once"
    for at, seconds in host.refused_at:
        slack = pulse.late(at)
        early = [each for each in host.site.requests if at + slack < each.at < at + seconds - slack]
        if len(early) >= PER_HOST:
            yield f"host {host.number}: {len(early)} requests before Retry-After was over"
    targets = {each.target for each in host.site.requests}
    if forbidden := targets & {"/private", "/private/1", "/x.cgi", "/never/1"}:
        yield f"host {host.number}: asked for {', '.join(sorted(forbidden))}"
    if host.number in WITHHELD and targets != {"/robots.txt"}:
        yield f"host {host.number}: asked for pages without a robots.txt"


def slope(memory: list[tuple[int, float]]) -> float:
    """MB for 1,000 results, by least squares over what comes after the beginning."""
    points = [(count / 1000, size) for count, size in memory if count > WARM]
    if len(points) < 2:
        return 0.0
    x, y = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    return float(sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points))


class Measured:
    """One of the two crawls."""

    def __init__(self, chosen: argparse.Namespace, kills: int, pulse: Pulse) -> None:
        size = -(-chosen.pages // (HOSTS - len(WITHHELD)))
        options = OPTIONS | {"delay": chosen.delay, "backoff": chosen.delay, "same_path": size + 20}
        with tempfile.TemporaryDirectory() as folder, Hosts(size, 3 * chosen.delay, 2.5 * chosen.delay) as hosts:
            crawler = Crawler(hosts, Path(folder), options)
            began = time.monotonic()
            for kill in range(kills):
                # Early, late, and at moments that nothing singles out.
                crawler.run(kill_after=1 + (kill * 7919) % max(2, chosen.pages // (kills + 1)))
            crawler.run()
            self.seconds = time.monotonic() - began
            results = crawler.results
            rude = (each for host in hosts.all for each in impolite(host, chosen.delay, kills, pulse))
            self.faults = [*faults_of(results, hosts), *rude]
            if crawler.departed < chosen.delay:
                self.faults.append(f"two requests to a host left within {crawler.departed:.4f} s")
            self.departed = crawler.departed
            self.content = len(hosts.content)
            self.requests = sum(len(host.site.requests) for host in hosts.all)
            self.closest = min(closest(host) for host in hosts.all)
        self.results = len(results)
        self.errors = sum(each.error is not None for each in results)
        self.totals = crawler.totals
        self.size = crawler.memory[-1][1] if crawler.memory else 0.0
        self.slope = slope(crawler.memory)

    def print_row(self, name: str) -> None:
        apart = f"{self.departed:.3f}", f"{self.closest:.3f}"
        cells = (self.results, self.errors, f"{self.seconds:.0f}", self.requests, *apart)
        row(name, *cells, f"{self.size:.0f}", f"{self.slope:+.1f}", widths=WIDTHS)
        print(f"    {self.totals}")
        for fault in self.faults:
            print(f"    {fault}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="not used: every benchmark is given the folder of the page set")
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--kills", type=int, default=8)
    chosen = parser.parse_args()
    sys.setswitchinterval(0.0005)
    row("", "results", "errors", "seconds", "requests", "left s", "came s", "MB", "MB/1000", widths=WIDTHS)
    pulse = Pulse()
    calm = Measured(chosen, 0, pulse)
    calm.print_row("undisturbed")
    killed = Measured(chosen, chosen.kills, pulse)
    killed.print_row(f"killed {chosen.kills} times")
    faults = len(calm.faults) + len(killed.faults) + (calm.slope > LIMIT_SLOPE)
    if pulse.stalls:
        print(f"the hosts stalled {len(pulse.stalls)} times, up to {max(late for _, late in pulse.stalls):.2f} s")
    print(
        f"{calm.content} pages of content on {HOSTS} hosts in {calm.seconds:.0f} s, requests {calm.departed:.3f} s"
        f" apart at least ({chosen.delay:g} asked), memory {calm.slope:+.1f} MB per 1,000 results,"
        f" {chosen.kills} kills, {faults} faults"
    )
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
