"""One address of a crawl: may it be asked for, what comes, and what follows from that."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterable

from oryn.errors import InternalError, OrynError, ResearchError
from oryn.research.crawling.asking import Asker, redirected
from oryn.research.crawling.clock import Clock
from oryn.research.crawling.failing import Failing
from oryn.research.crawling.frontier import End, Frontier, Kind, Task
from oryn.research.crawling.links import Directions, directions
from oryn.research.crawling.listings import listing
from oryn.research.crawling.options import CrawlOptions
from oryn.research.crawling.outbox import Outbox
from oryn.research.crawling.results import Failure
from oryn.research.crawling.robots import Robots, Rules
from oryn.research.crawling.scope import Scope
from oryn.research.crawling.state import State
from oryn.research.documents import Article, Page
from oryn.research.failures import FetchFailed, RobotsDisallowed
from oryn.research.urls import host_of, origin_of

HOPS = 10
"""Redirects that lead to a page, at most."""
_CHUNK = 500
"""So many addresses of a listing are written at once; others have their turn in between."""


class Visits:
    """What a crawl does with each address. `read` makes an article of a page."""

    def __init__(
        self,
        state: State,
        frontier: Frontier,
        outbox: Outbox,
        asker: Asker,
        scope: Scope,
        options: CrawlOptions,
        clock: Clock,
        read: Callable[[Page], Awaitable[Article]],
    ) -> None:
        self._state = state
        self._frontier = frontier
        self._outbox = outbox
        self._asker = asker
        self._scope = scope
        self._options = options
        self._read = read
        self._failing = Failing(state, frontier, outbox, asker, options, clock)
        self._robots = Robots(state, options.agent, asker.follow, clock, self._met)

    async def visit(self, task: Task) -> None:
        """Ask for an address and write down what came of it; afterwards it has ended, or waits to be asked for again.
        Raises nothing that a site is to blame for."""
        try:
            if await self._may(task):
                async with self._asker.asking(task.url) as page:
                    self._frontier.answered(task.host)
                    await self._came(task, page)
        except OrynError as error:
            self._failing.failed(task, error)
        except sqlite3.Error:
            raise
        except Exception as error:  # noqa: BLE001 - one odd page must not end a crawl of hours, nor each try to go on
            self._failing.failed(task, InternalError(f"{task.url}: {type(error).__name__}: {error}"))

    # --- whether it may be asked for

    async def _may(self, task: Task) -> bool:
        if not self._options.robots:
            return True
        with self._failing.of_robots():
            rules = await self._robots.rules(origin_of(task.url))
        if rules.pause > self._options.max_wait:
            raise FetchFailed(f"{task.host} asks for pauses of {rules.pause:g} s", wait=rules.pause)
        await self._asker.pace(task.host, rules.pause)
        # A sitemap that the file itself names is there for programs.
        if rules.allow(task.url) or (task.kind == Kind.LISTING and task.url in rules.sitemaps):
            return True
        self._refuse(task, f"robots.txt of {task.host} does not let programs ask for {task.url}")
        return False

    def _refuse(self, task: Task, why: str, sha256: str = "") -> None:
        """Seeds are told of: somebody named them."""
        if task.depth == 0 and task.kind == Kind.PAGE:
            self._failing.tell(task, RobotsDisallowed(why), sha256=sha256)
            return
        with self._state.change():
            self._state.count("disallowed")
            self._frontier.end(task, End.REFUSED, sha256)

    def _met(self, origin: str, rules: Rules) -> None:
        """An origin's rules were read for the first time: are there sitemaps to read?"""
        host = host_of(origin)
        if self._options.sitemaps and self._deeper(0) and self._scope.around(host):
            self._frontier.add(rules.sitemaps or (f"{origin}/sitemap.xml",), depth=0, kind=Kind.LISTING)

    # --- what came

    async def _came(self, task: Task, page: Page) -> None:
        if 300 <= page.status < 400:
            self._redirect(task, page)
        elif task.kind == Kind.LISTING:
            await self._list(task, page)
        else:
            await self._take(task, page)

    def _redirect(self, task: Task, page: Page) -> None:
        target = redirected(page)
        if not target:
            raise FetchFailed(f"{task.url} redirects to what is no page of the web", status=page.status)
        if task.hops >= HOPS:
            raise FetchFailed(f"{task.requested} leads on and on: more than {HOPS} redirects", status=page.status)
        with self._state.change():
            if task.depth == 0 and task.kind == Kind.PAGE:
                self._scope.widen(target)
                self._state.execute("INSERT OR IGNORE INTO root VALUES (?)", (target,))
            elif not self._wanted(task, target):
                self._frontier.end(task, End.REFUSED)
                return
            if why := self._frontier.redirect(task, target):
                raise FetchFailed(f"{task.url} leads nowhere: {why}", status=page.status)

    def _wanted(self, task: Task, url: str) -> bool:
        return self._scope.holds(url) if task.kind == Kind.LISTING else self._scope.wants(url)

    async def _list(self, task: Task, page: Page) -> None:
        """Sitemaps list more of the same; what they list of pages is linked, so to speak."""
        found = await asyncio.to_thread(listing, page.body, page.url)
        await self._add_all([url for url in found.pages if self._scope.wants(url)], task)
        maps = [url for url in found.sitemaps if self._scope.holds(url) or host_of(url) == task.host]
        with self._state.change():
            self._frontier.add(maps, depth=task.depth, kind=Kind.LISTING, referrer=task.id)
            self._state.count("listings")
            self._frontier.end(task, End.READ)

    async def _add_all(self, urls: list[str], task: Task) -> None:
        """In pieces. When it is interrupted, it is done again and finds most of them known."""
        if not self._deeper(task.depth):
            return
        for begin in range(0, len(urls), _CHUNK):
            chunk = urls[begin : begin + _CHUNK]
            self._frontier.add(chunk, depth=task.depth + 1, referrer=task.id, limited=False)
            await asyncio.sleep(0)

    async def _take(self, task: Task, page: Page) -> None:
        """A page: told once, whichever of its URLs comes first."""
        if self._duplicate(task, page):
            return
        said = await asyncio.to_thread(directions, page, self._options.agent)
        if not said.index:
            with self._state.change():
                self._follow(task, said)
                self._refuse(task, f"{task.url} asks not to be kept (noindex)", page.sha256)
            return
        article, error = await self._article(page)
        with self._state.change():
            if self._duplicate(task, page):  # by one that was read meanwhile
                return
            if not self._frontier.followed(page.sha256):
                self._follow(task, said)
            self._tell(task, page, article, error)

    def _duplicate(self, task: Task, page: Page) -> bool:
        if not self._frontier.known(page.sha256):
            return False
        with self._state.change():
            self._state.count("duplicates")
            self._frontier.end(task, End.DUPLICATE)
        return True

    async def _article(self, page: Page) -> tuple[Article | None, ResearchError | None]:
        if not self._options.articles:
            return None, None
        try:
            article = await self._read(page)
        except ResearchError as error:
            return None, error
        # Links are what the crawl has followed; with them, a result would be twice as long.
        return article.replace(links=()), None

    def _follow(self, task: Task, said: Directions) -> None:
        if not (said.follow and self._deeper(task.depth)):
            return
        self._frontier.add(self._ours(said.links), depth=task.depth + 1, referrer=task.id)
        if self._options.feeds:
            feeds = (url for url in said.feeds if self._scope.holds(url))
            self._frontier.add(feeds, depth=task.depth, kind=Kind.LISTING, referrer=task.id)

    def _ours(self, urls: Iterable[str]) -> Iterable[str]:
        return (url for url in urls if self._scope.wants(url))

    def _deeper(self, depth: int) -> bool:
        return self._options.depth is None or depth < self._options.depth

    def _tell(self, task: Task, page: Page, article: Article | None, error: ResearchError | None) -> None:
        self._frontier.end(task, End.UNREAD if error else End.TOLD, page.sha256)
        self._state.count("failed" if error else "told")
        if page.source == "cache":
            self._state.count("unchanged")
        self._outbox.put(
            task.result().replace(
                status=page.status,
                content_type=page.content_type,
                sha256=page.sha256,
                fetched_at=page.fetched_at,
                source=page.source,
                article=article,
                error=Failure.of(error) if error else None,
            )
        )
