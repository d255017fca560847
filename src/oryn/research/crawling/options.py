"""What a crawl may do: how far, how much, how politely."""

from __future__ import annotations

from typing import Literal

from oryn.records import Record

Scope = Literal["host", "domain", "path", "any"]
"""Where links may lead: to the hosts of the seeds; to all hosts of their registered domains; to what is below the
seeds' folders; anywhere."""


class CrawlOptions(Record):
    """Times are in seconds; 0 is no limit where a number limits."""

    scope: Scope = "host"
    depth: int | None = 3
    """How many links away from a seed; 0 reads the seeds alone, None is no limit."""
    pages: int = 1_000
    """At most so many results, errors among them."""
    pages_per_host: int = 0
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    """Patterns with `*` over a whole URL, or over its path when they begin with `/`. Links that no `include` fits, or
    an `exclude` does, are left; seeds never are."""
    sitemaps: bool = False
    """Also what the sites' sitemaps list (of the seeds' scope; with `any`, of the seeds' hosts)."""
    feeds: bool = False
    """Also what the feeds list that pages name."""
    robots: bool = True
    agent: str = "oryn"
    """The name that robots.txt files and robots' meta tags know the crawler by."""
    delay: float = 1.0
    """The least time between the beginnings of two requests to one host; a robots.txt may ask for more."""
    concurrency: int = 16
    """Pages on their way at once, over all hosts."""
    per_host: int = 2
    retries: int = 3
    """How often a page is asked for again that did not come."""
    backoff: float = 1.0
    """The pause before a page is asked for again; each further one is twice as long."""
    max_wait: float = 300.0
    """A host that asks for longer pauses than this (`Retry-After`, `Crawl-delay`) is given up."""
    host_failures: int = 8
    """A host is given up that failed so often one after the other: no answer, or a robots.txt that does not come."""
    same_query: int = 200
    """At most so many URLs with one path and the same names of parameters, numbers taken for one another: calendars and
    filters have no end."""
    same_path: int = 1_000
    """The same for URLs without parameters. What a sitemap or feed lists is not counted."""
    articles: bool = True
    """Whether pages are read; without it, results say only that a page is there."""
    fresh: bool = False
    """Ask the servers for the whole of every page, whatever the page cache has."""
