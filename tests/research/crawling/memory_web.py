"""A web in memory, and time that passes when everybody waits."""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import itertools
import re
from collections import Counter
from collections.abc import Awaitable, Callable

from oryn.errors import FetchFailed, NeedsBrowser, NoText, OrynError
from oryn.research.documents import Article, FetchedPage
from oryn.research.fetching.throttle import Clock as Time
from oryn.research.fetching.throttle import LocalThrottle

START = 1_800_000_000.0
ROUNDS = 30
"""Turns of the loop in which everybody has got to where they wait."""


def page(
    url: str,
    body: str | bytes = "",
    status: int = 200,
    content_type: str = "text/html",
    headers: dict[str, str] | None = None,
) -> FetchedPage:
    raw = body.encode() if isinstance(body, str) else body
    return FetchedPage(
        url=url,
        requested=url,
        status=status,
        content_type=content_type,
        body=raw,
        sha256=hashlib.sha256(raw).hexdigest(),
        fetched_at="2026-11-22T12:00:00+00:00",
        charset="utf-8",
        headers=tuple((headers or {}).items()),
    )


class Clock:
    """Goes on by itself to where the first of the sleepers wakes."""

    def __init__(self) -> None:
        self.at = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Event]] = []
        self._numbers = itertools.count()

    def now(self) -> float:
        return self.at

    def wall(self) -> float:
        return START + self.at

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        heapq.heappush(self._sleepers, (self.at + seconds, next(self._numbers), woken))
        asyncio.get_running_loop().call_soon(self._later, ROUNDS)
        await woken.wait()

    def _later(self, rounds: int) -> None:
        if rounds:
            asyncio.get_running_loop().call_soon(self._later, rounds - 1)
        elif self._sleepers:
            at, _, woken = heapq.heappop(self._sleepers)
            self.at = max(self.at, at)
            woken.set()


Found = str | FetchedPage | OrynError
Route = Found | Callable[[str], Found]


class Web:
    """Pages by URL: HTML, a page, an error, or what makes one of these. robots.txt files are not there unless given.
    `asked` has every URL that was asked for, in order."""

    def __init__(self, pages: dict[str, Route]) -> None:
        self.pages = pages
        self.requests: list[str] = []

    async def fetch(
        self,
        url: str,
        *,
        fresh: bool = False,
        conditional: bool = True,
        follow: bool = True,
        sent: Callable[[], Awaitable[None]] | None = None,
    ) -> FetchedPage:
        assert not follow, "a crawl looks at each step of a redirect"
        if sent is not None:
            await sent()
        self.requests.append(url)
        await asyncio.sleep(0)
        found = self.pages.get(url, FetchFailed(f"{url} is not there", status=404))
        found = found(url) if callable(found) else found
        if isinstance(found, OrynError):
            raise found
        return page(url, found) if isinstance(found, str) else found

    async def article(self, found: FetchedPage) -> Article:
        if b"id=app" in found.body:
            raise NeedsBrowser(f"{found.url} is only a script's shell")
        text = re.sub(r"<[^>]*>", "", found.body.decode()).strip()
        if not text:
            raise NoText(f"{found.url} has no text")
        return Article(url=found.url, title="", text=text, markdown=text)

    def count(self, url: str) -> int:
        return self.requests.count(url)

    @property
    def pages_requested(self) -> Counter[str]:
        return Counter(url for url in self.requests if not url.endswith("/robots.txt"))


def redirect(to: str, status: int = 302) -> Callable[[str], FetchedPage]:
    return lambda url: page(url, status=status, headers={"location": to})


class RecordingThrottle(LocalThrottle):
    """Remembers when requests began, and how many a host had at once."""

    def __init__(self, delay: float, per_host: int, clock: Time) -> None:
        super().__init__(delay, per_host, clock)
        self.begun_at: list[tuple[str, float]] = []
        self.slowed: list[tuple[str, float, float]] = []
        self.most: Counter[str] = Counter()
        self._now: Counter[str] = Counter()
        self._time = clock

    def of(self, host: str) -> list[float]:
        return [at for name, at in self.begun_at if name == host]

    @property
    def closest(self) -> float:
        """The shortest time between the beginnings of two requests to one host."""
        hosts = {name for name, _ in self.begun_at}
        pairs = ((one, other) for host in hosts for one, other in itertools.pairwise(self.of(host)))
        return min((other - one for one, other in pairs), default=float("inf"))

    async def begun(self, host: str) -> None:
        self.begun_at.append((host, self._time.now()))
        self._now[host] += 1
        self.most[host] = max(self.most[host], self._now[host])
        await super().begun(host)

    async def done(self, host: str) -> None:
        self._now[host] -= 1
        await super().done(host)

    async def slow(self, host: str, seconds: float) -> None:
        self.slowed.append((host, self._time.now(), seconds))
        await super().slow(host, seconds)
