"""Twenty misbehaving hosts, on loopback: all that may be told is told, and every host is treated as it asks."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from oryn.research.crawling import CrawlOptions, CrawlResult, CrawlTotals, crawl
from oryn.research.fetching import Fetcher
from oryn.research.fetching.throttle import SystemClock
from oryn.research.urls import host_of
from tests.research.crawling.interruptible import FETCHING
from tests.research.crawling.memory_web import RecordingThrottle
from tests.research.misbehaving_hosts import Hosts

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[3]
SLACK = 1e-6

OPTIONS: dict[str, Any] = {
    "delay": 0.02,
    "backoff": 0.05,
    "depth": 8,
    "sitemaps": True,
    "pages": 0,
    "same_query": 8,
    "same_path": 30,
}


def check(results: list[CrawlResult], hosts: Hosts) -> None:
    """Every page that is there to be told is told, once, with what it says."""
    assert [each.number for each in results] == list(range(1, len(results) + 1))
    assert [url for url, times in Counter(each.url for each in results).items() if times > 1] == []
    found = {each.url: each for each in results}
    for url, sentence in hosts.content.items():
        assert url in found, url
        article = found[url].article
        assert article is not None and sentence in article.text, found[url]


class MisbehavingCrawl:
    """One crawl of all of them, that the tests below look at."""

    def __init__(self) -> None:
        self.results: list[CrawlResult] = []
        self.totals = CrawlTotals()
        self.throttle = RecordingThrottle(OPTIONS["delay"], 2, SystemClock())

    async def run(self, hosts: Hosts) -> None:
        async with Fetcher(FETCHING) as fetcher:
            crawling = crawl(hosts.seeds, CrawlOptions(**OPTIONS), fetcher=fetcher, throttle=self.throttle)
            self.results = [each async for each in crawling]
            self.totals = crawling.totals


@pytest.mark.slow
def test_twenty_misbehaving_hosts() -> None:
    with Hosts(size=6, slow=0.05) as hosts:
        crawling = MisbehavingCrawl()
        asyncio.run(crawling.run(hosts))
        check(crawling.results, hosts)
        _check_delays(crawling.throttle, hosts)
        _check_requests(hosts)
        _errors(crawling.results, hosts)
        assert crawling.totals.trapped > 20 and crawling.totals.duplicates >= 12


def _check_delays(throttle: RecordingThrottle, hosts: Hosts) -> None:
    pauses = {host_of(host.site.url()): OPTIONS["delay"] for host in hosts.all}
    patient = host_of(hosts.all[12].site.url())
    for host, pause in pauses.items():
        times = throttle.of(host)
        assert min((later - earlier for earlier, later in pairwise(times)), default=pause) >= pause - SLACK, host
    # Its robots.txt asks for more, from the second request on.
    assert min(later - earlier for earlier, later in pairwise(throttle.of(patient))) >= hosts.crawl_delay - SLACK
    assert max(throttle.most.values()) <= 2
    assert throttle.slowed
    for host, at, seconds in throttle.slowed:
        early = [begun for begun in throttle.of(host) if at + SLACK < begun < at + seconds - SLACK]
        assert len(early) <= 1, "one may have had its turn already, on its way to a connection"


def _check_requests(hosts: Hosts) -> None:
    """What the hosts themselves have seen."""
    asked = {host.number: Counter(each.target for each in host.site.requests) for host in hosts.all}
    assert all(counts["/robots.txt"] == 1 for number, counts in asked.items() if number not in (11, 17))
    assert set(asked[11]) == {"/robots.txt"} == set(asked[17])
    assert not set(asked[13]) & {"/private", "/private/1", "/x.cgi"}
    assert asked[14]["/index.xml"] == asked[14]["/pages.xml.gz"] == 1
    assert not any(target.startswith("/never") for target in asked[19])
    assert max(asked[1].values()) == max(asked[12].values()) == max(asked[16].values()) == 1
    assert all(asked[3][f"/p/{number}"] == 3 for number in (1, 4)), "it drops each of them twice"


def _errors(results: list[CrawlResult], hosts: Hosts) -> None:
    codes = {each.url: each.error.code for each in results if each.error}
    expected = {
        (4, "/ring/2"): "FETCH_FAILED",
        (4, "/on/10"): "FETCH_FAILED",
        (4, "/self"): "FETCH_FAILED",
        (9, "/endless"): "BODY_TOO_LARGE",
        (9, "/long"): "BODY_TOO_LARGE",
        (9, "/bomb"): "BODY_TOO_LARGE",
        (10, "/garbled"): "FETCH_FAILED",
        (10, "/torn"): "FETCH_FAILED",
        (11, "/"): "ROBOTS_DISALLOWED",
        (17, "/"): "ROBOTS_DISALLOWED",
        (18, "/empty"): "NO_TEXT",
    }
    assert {where: codes.get(hosts.all[where[0] - 1].site.url(where[1])) for where in expected} == expected


@pytest.mark.slow
@pytest.mark.parametrize("moments", [(1, 12, 60)])
def test_a_crawler_that_is_killed_goes_on(moments: tuple[int, ...], tmp_path: Path) -> None:
    """`kill -9` after so many results, each time of a process of its own."""
    with Hosts(size=4, slow=0.02) as hosts:
        asked = json.dumps({"seeds": hosts.seeds, "folder": str(tmp_path), "options": OPTIONS})
        for moment in moments:
            _crawler(asked, moment)
        _crawler(asked, None)
        lines = (tmp_path / "pages.jsonl").read_text("utf-8").splitlines()
        check([CrawlResult.read(json.loads(line)) for line in lines], hosts)


def _crawler(asked: str, results: int | None) -> None:
    """Let one run until it has told so many; None is to its end."""
    command = [sys.executable, "-m", "tests.research.crawling.interruptible", asked]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout
        for count, _ in enumerate(process.stdout, 1):
            if count == results:
                process.kill()
                break
    assert process.returncode in ((0,) if results is None else (0, -9))
