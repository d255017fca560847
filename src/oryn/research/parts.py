"""What a `Research` is made of, as its options have it."""

from __future__ import annotations

from pathlib import Path

from oryn import paths
from oryn.domains import Domains
from oryn.research.fetching import USER_AGENT, Fetcher, FetchOptions, PageCache
from oryn.research.options import ResearchOptions
from oryn.research.search import Asker

MEGABYTE = 2**20


def open_fetcher(options: ResearchOptions) -> Fetcher:
    """With the page cache, which is made where it is missing."""
    return Fetcher(
        FetchOptions(
            user_agent=options.user_agent or USER_AGENT,
            allow_private=options.allow_private,
            max_body=options.max_body * MEGABYTE,
            timeout=options.fetch_timeout,
        ),
        cache=PageCache(paths.private_folder(options.page_cache or paths.find().pages)),
        domains=Domains.of(options.allowed_domains, options.denied_domains),
    )


def open_asker(options: ResearchOptions) -> Asker:
    return Asker(timeout=options.fetch_timeout, throttle=options.throttle, user_agent=options.user_agent or USER_AGENT)


def index_place(options: ResearchOptions) -> Path | str:
    """A folder, or the address of a server."""
    return options.index or paths.find().index
