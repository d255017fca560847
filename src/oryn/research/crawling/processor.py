"""Processes one URL of a crawl: whether it may be fetched, what was fetched, what follows from that; and what
failed, which is retried later, reported, or makes the crawl abandon the host."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from oryn.errors import BodyTooLarge, FetchFailed, InternalError, OrynError, ResearchError, RobotsDisallowed
from oryn.research.crawling.downloader import Downloader, redirect_target
from oryn.research.crawling.frontier import CrawlTask, Frontier, TaskKind, TaskOutcome
from oryn.research.crawling.links import PageDirectives, link_priorities, page_directives
from oryn.research.crawling.models import CrawlOptions, PageFailure
from oryn.research.crawling.robots import RobotsCache, RobotsRules
from oryn.research.crawling.scope import CrawlScope
from oryn.research.crawling.sitemap_parser import parse_listing
from oryn.research.crawling.state import CrawlState, Outbox
from oryn.research.documents import Article, FetchedPage
from oryn.research.extractor import with_markdown
from oryn.research.fetching.content_type import kind_of
from oryn.research.fetching.throttle import Clock
from oryn.research.html.js_shell import js_shell_reason
from oryn.research.urls import host_of, origin_of


class RobotsUnreachable(RobotsDisallowed):
    """A robots.txt that can't be fetched now. `cause` says why, and whether to request it again."""

    def __init__(self, cause: FetchFailed | BodyTooLarge) -> None:
        super().__init__(f"no page may be requested while robots.txt can't be read: {cause.message}")
        self.cause = cause


class RetryPolicy:
    """Decides what happens to a task that has failed."""

    def __init__(
        self,
        state: CrawlState,
        frontier: Frontier,
        outbox: Outbox,
        downloader: Downloader,
        options: CrawlOptions,
        clock: Clock,
    ) -> None:
        self._state = state
        self._frontier = frontier
        self._outbox = outbox
        self._downloader = downloader
        self._options = options
        self._clock = clock

    @contextmanager
    def robots_errors(self) -> Iterator[None]:
        """Errors within this context are errors of fetching a robots.txt, and raised as `RobotsUnreachable`. (An
        address that is not allowed concerns the page, not the file.)"""
        try:
            yield
        except (FetchFailed, BodyTooLarge) as error:
            raise RobotsUnreachable(error) from error

    def on_failure(self, task: CrawlTask, error: OrynError) -> None:
        """End `task`, or schedule it again."""
        cause = error.cause if isinstance(error, RobotsUnreachable) else error
        again, wait, status = False, None, None
        if isinstance(cause, FetchFailed):
            again, wait, status = cause.again, cause.wait, cause.status
        with self._state.change():
            if self._is_host_failure(error, again, status, task) or (wait or 0.0) > self._options.max_wait:
                left = self._frontier.abandon(task.host)
                more = f"; {task.host} is given up" + (f", and {left} more of its pages" if left else "")
                self.report_failure(task, error, status, more=more)
            elif again and task.tries < self._options.retries and not self._frontier.is_abandoned(task.host):
                pause = max(wait or 0.0, self._downloader.retry_delay(task.tries))
                self._frontier.schedule_retry(task, self._clock.wall() + pause)
            else:
                self.report_failure(task, error, status)

    def report_failure(
        self, task: CrawlTask, error: OrynError, status: int | None = None, sha256: str = "", more: str = ""
    ) -> None:
        """End `task` with an error. That of a sitemap or feed is no result: the caller has not requested it. `status`
        is the HTTP status; None without a response. `more` is appended to the error's message."""
        with self._state.change():
            if task.kind == TaskKind.LISTING:
                self._frontier.end(task, TaskOutcome.READ)
                return
            self._frontier.end(task, TaskOutcome.DELIVERED, sha256)
            self._state.count("failed")
            failure = PageFailure(code=error.code, message=error.message + more)
            self._outbox.put(task.result().replace(status=status, sha256=sha256, error=failure))

    def _is_host_failure(self, error: OrynError, again: bool, status: int | None, task: CrawlTask) -> bool:
        """Whether the host itself fails, and has now failed too often in a row."""
        silent = isinstance(error, RobotsUnreachable) or (isinstance(error, FetchFailed) and again and status is None)
        if not silent:
            self._frontier.reset_failures(task.host)
            return False
        return self._frontier.count_failure(task.host) >= self._options.host_failures


MAX_REDIRECTS = 10
"""The maximum number of redirects to a page."""
_CHUNK = 500
"""URLs of a sitemap or feed that are stored at once; other tasks run in between."""


PageRenderer = Callable[[str, str], Awaitable[FetchedPage]]
"""Loads a URL in a browser; the second argument is the reason. Raises `OrynError`."""
PageDataReader = Callable[[FetchedPage], Awaitable[dict[str, Any]]]
"""Reads the values of a schema from a page. Raises `ResearchError`."""


class PageProcessor:
    """Processes one task after the other: downloads the URL, extracts the page, adds its links. `read` extracts the
    article of a page, `render` loads a URL in a browser (the second argument is the reason), `read_data` reads the
    values of a schema."""

    def __init__(
        self,
        state: CrawlState,
        frontier: Frontier,
        outbox: Outbox,
        downloader: Downloader,
        scope: CrawlScope,
        options: CrawlOptions,
        clock: Clock,
        read: Callable[[FetchedPage], Awaitable[Article]],
        render: PageRenderer | None = None,
        read_data: PageDataReader | None = None,
    ) -> None:
        self._render = render
        self._read_data = read_data
        self._state = state
        self._frontier = frontier
        self._outbox = outbox
        self._downloader = downloader
        self._scope = scope
        self._options = options
        self._read = read
        self._retry = RetryPolicy(state, frontier, outbox, downloader, options, clock)
        self._robots = RobotsCache(state, options.agent, downloader.follow, clock, self._on_new_origin)

    async def process(self, task: CrawlTask) -> None:
        """Request a URL and store the outcome; the task has then ended or waits to be requested again. Raises no errors
        that a site is to blame for."""
        try:
            if await self._is_allowed(task):
                async with self._downloader.download(task.url) as page:
                    self._frontier.reset_failures(task.host)
                    await self._handle_page(task, page)
        except OrynError as error:
            self._retry.on_failure(task, error)
        except sqlite3.Error:
            raise
        except Exception as error:  # noqa: BLE001 - one odd page must not end a crawl of hours, nor each try to go on
            self._retry.on_failure(task, InternalError(f"{task.url}: {type(error).__name__}: {error}"))

    # --- whether it may be asked for

    async def _is_allowed(self, task: CrawlTask) -> bool:
        if not self._options.robots:
            return True
        with self._retry.robots_errors():
            rules = await self._robots.rules(origin_of(task.url))
        if rules.pause > self._options.max_wait:
            raise FetchFailed(f"{task.host} asks for pauses of {rules.pause:g} s", wait=rules.pause)
        await self._downloader.pace(task.host, rules.pause)
        # A sitemap that the file itself names is there for programs.
        if rules.allow(task.url) or (task.kind == TaskKind.LISTING and task.url in rules.sitemaps):
            return True
        self._refuse(task, f"robots.txt of {task.host} does not allow programs to request {task.url}")
        return False

    def _refuse(self, task: CrawlTask, why: str, sha256: str = "") -> None:
        """A seed that is refused is a result, since the caller has named it; other URLs are only counted."""
        if task.depth == 0 and task.kind == TaskKind.PAGE:
            self._retry.report_failure(task, RobotsDisallowed(why), sha256=sha256)
            return
        with self._state.change():
            self._state.count("disallowed")
            self._frontier.end(task, TaskOutcome.REFUSED, sha256)

    def _on_new_origin(self, origin: str, rules: RobotsRules) -> None:
        """The rules of an origin were read for the first time: add its sitemaps."""
        host = host_of(origin)
        if self._options.sitemaps and self._may_go_deeper(0) and self._scope.covers_host(host):
            listings = (*(rules.sitemaps or (f"{origin}/sitemap.xml",)), f"{origin}/llms.txt")
            self._frontier.add(listings, depth=0, kind=TaskKind.LISTING)

    # --- what came

    async def _handle_page(self, task: CrawlTask, page: FetchedPage) -> None:
        if 300 <= page.status < 400:
            self._redirect(task, page)
        elif task.kind == TaskKind.LISTING:
            await self._process_listing(task, page)
        else:
            await self._process_page(task, page)

    def _redirect(self, task: CrawlTask, page: FetchedPage) -> None:
        target = redirect_target(page)
        if not target:
            raise FetchFailed(f"{task.url} redirects to an address that is not a web page", status=page.status)
        if task.hops >= MAX_REDIRECTS:
            raise FetchFailed(
                f"{task.requested} leads on and on: more than {MAX_REDIRECTS} redirects", status=page.status
            )
        is_wanted = self._scope.contains if task.kind == TaskKind.LISTING else self._scope.accepts
        with self._state.change():
            if task.depth == 0 and task.kind == TaskKind.PAGE:
                self._scope.widen(target)
                self._state.execute("INSERT OR IGNORE INTO root VALUES (?)", (target,))
            elif not is_wanted(target):
                self._frontier.end(task, TaskOutcome.REFUSED)
                return
            if why := self._frontier.redirect(task, target):
                raise FetchFailed(f"{task.url} leads nowhere: {why}", status=page.status)

    async def _process_listing(self, task: CrawlTask, page: FetchedPage) -> None:
        """Sitemaps may list further sitemaps; the pages that they list count as linked."""
        found = await asyncio.to_thread(parse_listing, page.body, page.url)
        await self._add_all([url for url in found.pages if self._scope.accepts(url)], task)
        maps = [url for url in found.sitemaps if self._scope.contains(url) or host_of(url) == task.host]
        with self._state.change():
            self._frontier.add(maps, depth=task.depth, kind=TaskKind.LISTING, referrer=task.id)
            self._state.count("listings")
            self._frontier.end(task, TaskOutcome.READ)

    async def _add_all(self, urls: list[str], task: CrawlTask) -> None:
        """Add URLs in chunks. After an interruption it runs again, and finds most of them in the frontier."""
        if not self._may_go_deeper(task.depth):
            return
        for begin in range(0, len(urls), _CHUNK):
            chunk = urls[begin : begin + _CHUNK]
            priorities = link_priorities(self._options.question, chunk)
            self._frontier.add(chunk, depth=task.depth + 1, referrer=task.id, limited=False, priorities=priorities)
            await asyncio.sleep(0)

    async def _process_page(self, task: CrawlTask, page: FetchedPage) -> None:
        """Deliver a page once, under the first of its URLs and those of seeds."""
        # Before the comparison: all pages of an application have the same shell.
        page = await self._rendered(page)
        if self._duplicate(task, page):
            return
        directives = await asyncio.to_thread(page_directives, page, self._options.agent)
        if not directives.index:
            with self._state.change():
                self._follow(task, directives)
                self._refuse(task, f"{task.url} asks not to be kept (noindex)", page.sha256)
            return
        article, error = await self._article(page)
        data: dict[str, Any] = {}
        if self._read_data is not None and error is None:
            try:
                data = await self._read_data(page)
            except ResearchError as failure:
                error = failure
        with self._state.change():
            if self._duplicate(task, page):  # by one that was read meanwhile
                return
            if not self._frontier.has_followed(page.sha256):
                self._follow(task, directives, article)
            self._deliver(task, page, article, error, data)

    async def _rendered(self, page: FetchedPage) -> FetchedPage:
        """The page as a browser has it, if it is nothing without its scripts; links, text and digest come from
        there."""
        if self._render is None or self._options.browser == "never":
            return page
        if kind_of(page.content_type, page.body) != "html" or page.status >= 400:
            return page
        why = await asyncio.to_thread(js_shell_reason, page.body, page.charset)
        if self._options.browser == "always":
            why = why or "it was requested"
        if not why:
            return page
        rendered = await self._render(page.url, why)
        return rendered.replace(requested=page.requested, status=page.status, headers=page.headers)

    def _duplicate(self, task: CrawlTask, page: FetchedPage) -> bool:
        """Whether the page was delivered under another URL, which ends the task. A seed is delivered in any case: the
        caller has named it, and which of two copies comes first is chance."""
        if task.depth == 0 or not self._frontier.has_body(page.sha256):
            return False
        with self._state.change():
            self._state.count("duplicates")
            self._frontier.end(task, TaskOutcome.DUPLICATE)
        return True

    async def _article(self, page: FetchedPage) -> tuple[Article | None, ResearchError | None]:
        if not self._options.articles:
            return None, None
        try:
            article = await with_markdown(page, await self._read(page), self._download_allowed)
        except ResearchError as error:
            return None, error
        # Links are what the crawl has followed; with them, a result would be twice as long.
        return article.replace(links=()), None

    async def _download_allowed(self, url: str) -> FetchedPage:
        """A file that belongs to a page. Raises `RobotsDisallowed`, and what `Downloader.download` does."""
        if self._options.robots and not (await self._robots.rules(origin_of(url))).allow(url):
            raise RobotsDisallowed(f"robots.txt does not allow programs to request {url}")
        return await self._downloader.download_beside(url)

    def _follow(self, task: CrawlTask, directives: PageDirectives, article: Article | None = None) -> None:
        if not (directives.follow and self._may_go_deeper(task.depth)):
            return
        links = [url for url in directives.links if self._scope.accepts(url)]
        priorities = link_priorities(self._options.question, links, directives.texts, article.text if article else "")
        self._frontier.add(links, depth=task.depth + 1, referrer=task.id, priorities=priorities)
        if self._options.feeds:
            feeds = (url for url in directives.feeds if self._scope.contains(url))
            self._frontier.add(feeds, depth=task.depth, kind=TaskKind.LISTING, referrer=task.id)

    def _may_go_deeper(self, depth: int) -> bool:
        return self._options.depth is None or depth < self._options.depth

    def _deliver(
        self,
        task: CrawlTask,
        page: FetchedPage,
        article: Article | None,
        error: ResearchError | None,
        data: dict[str, Any],
    ) -> None:
        self._frontier.end(task, TaskOutcome.UNREAD if error else TaskOutcome.DELIVERED, page.sha256)
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
                error=PageFailure.of(error) if error else None,
                data=data,
            )
        )
