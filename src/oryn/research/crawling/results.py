"""What a crawl tells: a page, or why there is none."""

from __future__ import annotations

from typing import Any

from oryn.errors import OrynError
from oryn.records import Record
from oryn.research.documents import Article, Document, Link, Source


class Failure(Document):
    """Why there is no text: the `code` of an error of `oryn.errors` or `oryn.research.failures`, and its words."""

    code: str
    message: str

    @classmethod
    def of(cls, error: OrynError) -> Failure:
        return cls(code=error.code, message=error.message)


class Crawled(Document):
    """One result. `number` counts from 1 in a crawl, without gaps, and stays with its result when that is told again.
    `url` is where the page was found, `requested` what was asked for first where that is another; `depth` is how many
    links it is away from a seed, `referrer` the page with the link. `article` or `error` is there; neither where
    `CrawlOptions.articles` is off. The rest is as in `Page`."""

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
    error: Failure | None = None

    @classmethod
    def read(cls, form: dict[str, Any]) -> Crawled:
        """What `form` had."""
        article, error = form.get("article"), form.get("error")
        return cls(**{**form, "article": article and _article(article), "error": error and Failure(**error)})


class Totals(Record):
    """A crawl in figures. `told` and `failed` are results; the others are URLs that gave none of their own."""

    told: int = 0
    failed: int = 0
    unchanged: int = 0
    """Of those told, how many the page cache had and the server confirmed."""
    duplicates: int = 0
    """Another URL had the same body."""
    redirects: int = 0
    disallowed: int = 0
    """By robots.txt, or by the page itself (`noindex`)."""
    trapped: int = 0
    """Links that look as if they had no end."""
    listings: int = 0
    """Sitemaps and feeds that were read."""
    abandoned: int = 0
    """What was left of hosts that were given up."""
    retries: int = 0
    waiting: int = 0
    """Not asked for yet."""

    def __str__(self) -> str:
        return ", ".join(f"{value} {name}" for name, value in self.values().items() if value)


def _article(form: dict[str, Any]) -> Article:
    return Article(**{**form, "links": tuple(Link(**link) for link in form.get("links", ()))})
