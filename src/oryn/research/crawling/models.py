"""Options and results of a crawl: how far, how much and how politely it goes; a page, or why there is none; totals."""

from __future__ import annotations

from typing import Any, Literal

from oryn.core.records import Record, field
from oryn.errors import OrynError
from oryn.research.documents import Article, JsonRecord, PageLink, Source

ScopeName = Literal["host", "domain", "path", "any"]
"""The scope of links: the hosts of the seeds; all hosts of their registered domains; the paths below the folders of the
seeds; any URL."""


class CrawlOptions(Record):
    """Times are in seconds; 0 means no limit if a number is a limit."""

    scope: ScopeName = "host"
    depth: int | None = 3
    """The number of links away from a seed; 0 reads the seeds alone, None is no limit."""
    pages: int = 1_000
    """The maximum number of results, including errors."""
    pages_per_host: int = 0
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    """Patterns in which `*` stands for any text, for a whole URL, or for its path if they begin with `/`. Links that
    match no `include` or any `exclude` are not followed; seeds always are."""
    question: str = ""
    """Of the waiting URLs of a host, those whose link text, address and referring page match this best are requested
    first; empty reads breadth-first."""
    sitemaps: bool = False
    """Whether to read the sitemaps and `llms.txt` of the sites too (those in scope; with `any`, those of the seeds'
    hosts)."""
    feeds: bool = False
    """Whether to read the feeds that pages link to."""
    robots: bool = True
    agent: str = "oryn"
    """The name of the crawler in robots.txt files and robots meta tags."""
    delay: float = 1.0
    """The minimum time between the starts of two requests to one host; a robots.txt may demand more."""
    concurrency: int = 16
    """The maximum number of concurrent requests, over all hosts."""
    per_host: int = 2
    retries: int = 3
    """How often a failed request is repeated."""
    backoff: float = 1.0
    """The pause before the first retry; doubled for each further one."""
    max_wait: float = 300.0
    """A host that demands longer pauses than this (`Retry-After`, `Crawl-delay`) is given up."""
    host_failures: int = 8
    """The number of failures in a row (no response, or no robots.txt) after which a host is given up."""
    same_query: int = 200
    """The maximum number of URLs that differ only in numbers, with the same path and names of parameters: calendars and
    filters are endless."""
    same_path: int = 1_000
    """The same for URLs without parameters. URLs from sitemaps and feeds are not counted."""
    articles: bool = True
    """Whether to extract articles; without them, results only say that a page exists."""
    browser: Literal["auto", "always", "never"] = "auto"
    """When a browser loads a page, if the crawl has one: only if the page is the shell of a script, always, or
    never."""
    fresh: bool = False
    """Whether to request every page completely from its server, even if the page cache has it."""


class PageFailure(JsonRecord):
    """Why a page has no article: the `code` of an error of `oryn.errors`, and its message."""

    code: str
    message: str

    @classmethod
    def of(cls, error: OrynError) -> PageFailure:
        """The failure that `error` stands for."""
        return cls(code=error.code, message=error.message)


class CrawlResult(JsonRecord):
    """One result. `number` counts from 1 in a crawl, without gaps; a result that is delivered again has the same
    number. `url` is where the page was found, `requested` the first URL if it was redirected; `depth` is the number of
    links between a seed and the page, `referrer` the page with the link. Either `article` or `error` is there, or
    neither if `CrawlOptions.articles` is off; `data` are the values of the schema of a crawl with one
    (`structured_data.PageData`). The other fields are as in `FetchedPage`."""

    number: int
    url: str
    depth: int
    requested: str = ""
    referrer: str = ""
    status: int | None = None
    content_type: str = ""
    sha256: str = ""
    fetched_at: str = ""
    source: Source = "http"
    article: Article | None = None
    error: PageFailure | None = None
    data: dict[str, Any] = field(factory=dict)

    @classmethod
    def read(cls, form: dict[str, Any]) -> CrawlResult:
        """The result whose `form()` this is."""
        article, error = form.get("article"), form.get("error")
        if article:
            links = tuple(PageLink(**link) for link in article.get("links", ()))
            article = Article(**{**article, "links": links})
        return cls(**{**form, "article": article, "error": error and PageFailure(**error)})


class CrawlTotals(Record):
    """The figures of a crawl. `told` and `failed` are results; the others are URLs without a result of their own."""

    told: int = 0
    failed: int = 0
    unchanged: int = 0
    """How many of the delivered pages the page cache had and the server has confirmed."""
    duplicates: int = 0
    """URLs with the same body as another one, without seeds."""
    redirects: int = 0
    disallowed: int = 0
    """URLs refused by robots.txt, or by the page itself (`noindex`)."""
    trapped: int = 0
    """Links that look like ones of endlessly many."""
    listings: int = 0
    """Sitemaps and feeds that were read."""
    abandoned: int = 0
    """URLs of hosts that were given up."""
    retries: int = 0
    waiting: int = 0
    """URLs that were not requested yet."""

    def __str__(self) -> str:
        return ", ".join(f"{value} {name}" for name, value in self.values().items() if value)
