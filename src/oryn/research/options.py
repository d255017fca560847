"""What holds for all of a `Research`: where it keeps things, whom it asks, how politely, and what it refuses.

The settings of the same names (`oryn.settings.RESEARCH`) fill it for the command line and the daemon.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from oryn.records import Record

COLLECTION = "passages"
"""Where passages go that no other collection is named for."""


Engine = Literal["local", "ray"]
"""Where crawling, reading and embedding run: here, or on a Ray cluster."""


class ResearchOptions(Record):
    """The options of a `Research`, with the defaults of the settings. Times are in seconds, sizes in megabytes."""

    page_cache: Path | None = None
    """The folder of the pages that were fetched; None is `pages` in Oryn's folder for caches."""
    index: Path | str | None = None
    """A folder for the index in this process, or the `http` address of a Qdrant server; None is `index` in Oryn's
    folder for data."""
    index_key: str | None = None
    """The key of that server."""
    collection: str = COLLECTION
    embedding_model: Path | None = None
    """A folder with `model.onnx` and `tokenizer.json`; None is the installed package's model."""
    search_provider: str = "duckduckgo"
    search_url: str | None = None
    """Where `duckduckgo` is asked, in the place of its own address."""
    searxng_url: str | None = None
    """One's own SearXNG, for the provider of that name."""
    wikipedia_url: str | None = None
    """Which Wikipedia the provider of that name asks; None is the English one."""
    brave_key: str | None = None
    """The key of one's account at Brave Search, for the provider of that name."""
    throttle: float = 1.0
    """The least time between two requests to one host; a robots.txt may ask for more."""
    fetch_timeout: float = 30.0
    """The longest that one page may take, its redirects included."""
    max_body: int = 10
    allow_private: bool = False
    """Whether pages may be on this computer and in private networks."""
    allowed_domains: tuple[str, ...] | None = None
    """The only hosts that pages may be on, as the browser's setting of that name has them."""
    denied_domains: tuple[str, ...] | None = None
    browser_proxy: str | None = None
    """The proxy of the session whose browser opens pages; plain fetching heeds those of the environment."""
    browser_proxy_bypass: str | None = None
    """The hosts that it is not for."""
    user_agent: str | None = None
    """None is the fetcher's own."""
    concurrency: int = 8
    """How many pages are on their way at once."""
    engine: Engine = "local"
    ray_address: str | None = None
    """Of a Ray cluster, for `engine` `ray`: `HOST:6379`, `auto`; None starts one on this machine."""
