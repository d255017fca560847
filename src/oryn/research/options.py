"""Options of a `Research`: where it stores data, which providers it uses, how politely it fetches, what it refuses.

The settings of the same names (`oryn.settings.RESEARCH`) fill it for the command line and the daemon."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from oryn.core.records import Record

DEFAULT_COLLECTION = "passages"
"""The collection for passages if no other is named."""


Engine = Literal["local", "ray"]
"""Where crawling, extraction and embedding run: on this machine, or on a Ray cluster."""


class ResearchOptions(Record):
    """The options of a `Research`, with the defaults of the settings. Times are in seconds, sizes in megabytes."""

    page_cache: Path | None = None
    """The folder of the page cache; None is `pages` in Oryn's folder for caches."""
    index: Path | str | None = None
    """A folder for the embedded index, or the `http` address of a Qdrant server; None is `index` in Oryn's folder for
    data."""
    index_key: str | None = None
    """The API key of the Qdrant server."""
    collection: str = DEFAULT_COLLECTION
    embedding_model: Path | None = None
    """A folder with `model.onnx` and `tokenizer.json`; None is the model of the installed package."""
    search_provider: str = "duckduckgo"
    search_url: str | None = None
    """The address for `duckduckgo`, instead of its own."""
    searxng_url: str | None = None
    """The address of your SearXNG, for the provider of that name."""
    wikipedia_url: str | None = None
    """The address of a Wikipedia, for the provider of that name; None is the English one."""
    brave_key: str | None = None
    """Your API key for Brave Search, for the provider of that name."""
    search_limit: int = 10
    """The maximum number of hits of a search."""
    rerank_threshold: float = 0.0
    """The cosine with the query below which a hit that is ranked again is left out."""
    research_results: int = 8
    """The number of hits that research reads."""
    research_depth: int = 0
    """How many links research follows in depth."""
    summary_sentences: int = 6
    """The maximum number of sentences of a summary."""
    throttle: float = 1.0
    """The minimum time between two requests to one host; a robots.txt may demand more."""
    fetch_timeout: float = 30.0
    """The maximum time for one page, its redirects included."""
    max_body: int = 10
    allow_private: bool = False
    """Whether pages may be on this computer and in private networks."""
    allowed_domains: tuple[str, ...] | None = None
    """The only hosts that pages may be on; the same as the setting of that name for browsers."""
    denied_domains: tuple[str, ...] | None = None
    browser_proxy: str | None = None
    """The proxy of the session whose browser renders pages; plain fetching uses those of the environment."""
    browser_proxy_bypass: str | None = None
    """The hosts that this proxy is not used for."""
    user_agent: str | None = None
    """None is that of the fetcher (`oryn/VERSION`)."""
    concurrency: int = 8
    """The maximum number of concurrent requests."""
    engine: Engine = "local"
    ray_address: str | None = None
    """The address of a Ray cluster, for the engine `ray`: `HOST:6379`, `auto`; None starts one on this machine."""
