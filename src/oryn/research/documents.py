"""The values that pipeline stages exchange: a search hit, a fetched page, its article, its passages.

All of them are plain JSON (`form`) on wires and in files. Only the base of value classes is imported here:
processes that only forward these import neither NumPy nor lxml."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

from oryn.core.records import Record, field

Source = Literal["http", "cache", "browser", "tab", "file"]
"""Where a page came from: its server, the page cache (also after a 304), a browser that ran its scripts, an open tab,
or a file of this computer."""


class JsonRecord(Record):
    """Base of the values that are exchanged as JSON."""

    def form(self) -> dict[str, Any]:
        """The record as plain JSON, without bytes, and without optional fields that are None or empty."""
        fields = type(self).__fields__
        return {
            name: _plain(value)
            for name, value in self.values().items()
            if not isinstance(value, bytes) and (fields[name].required or value not in (None, "", (), {}))
        }


def _plain(value: Any) -> Any:
    if isinstance(value, JsonRecord):
        return value.form()
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value


class Hit(JsonRecord):
    """One result of a search. `rank` counts from 1 within its provider; `score` is there if the hit was reranked or
    came from the index (larger is better)."""

    url: str
    title: str
    snippet: str = ""
    provider: str = ""
    rank: int = 0
    score: float | None = None


class Hits(list[Hit]):
    """The hits of a search. `left_out` says why a source has none, if the hits are those of another one."""

    def __init__(self, hits: Iterable[Hit] = (), left_out: Sequence[LeftOut] = ()) -> None:
        super().__init__(hits)
        self.left_out = tuple(left_out)


class FetchedPage(JsonRecord):
    """A page as it was fetched. `url` is its final URL, `requested` the first one. `sha256` is the digest of the body,
    in hexadecimal digits. `fetched_at` is in UTC, ISO 8601. `source` says who has fetched it and `why` the reason, if
    that was a browser. `charset` is the encoding of the body; empty if it is no text."""

    url: str
    requested: str
    status: int
    content_type: str
    body: bytes
    sha256: str
    fetched_at: str
    charset: str = ""
    source: Source = "http"
    why: str = ""
    headers: tuple[tuple[str, str], ...] = ()


class PageLink(JsonRecord):
    """A link of a page; its URL is absolute."""

    url: str
    text: str = ""


class Article(JsonRecord):
    """The content of a page. `text` is its main text with a line for each block, `markdown` the same as Markdown;
    `date` is a day (`2026-11-22`), `language` a code (`en`). `page_kind` is what the page was taken for (`article`,
    `documentation`, `service`, `forum`, `product`, `listing`, `collection`; of pages without content `search`, `login`,
    `error`, `consent`), and `confidence` the probability of that; `share` is the share of the page's prose that the
    text has, from 0 to 1. `data` is what the page has for programs: a `product` (name, price, availability,
    properties), the `items` of a list, the `posts` of a thread with author and date. `rows` are the labelled values of
    the page that are no lines of its text, each a line: `Length | 388 m`, or in a table of several things
    `Heron Bridge | Length | 388 m`. `headers` are the lines of the text that only label the columns of tables."""

    url: str
    title: str
    text: str
    markdown: str
    author: str = ""
    date: str = ""
    language: str = ""
    site: str = ""
    description: str = ""
    links: tuple[PageLink, ...] = ()
    kind: Literal["html", "pdf", "docx", "epub", "text"] = "html"
    source: Source = "http"
    why: str = ""
    sha256: str = ""
    fetched_at: str = ""
    page_kind: str = ""
    confidence: float | None = None
    share: float | None = None
    data: dict[str, Any] = field(factory=dict)
    rows: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()


NO_CONTENT = {
    "search": "a search page without results",
    "login": "a login page",
    "error": "an error page",
    "consent": "a consent wall",
}
"""The kinds of pages without content, and what they are called."""

LOW_SHARE = 0.25
"""A text with less of its page's prose is doubtful: it may be one post of a thread."""

LOW_CONFIDENCE = 0.6
"""A kind that is less probable is doubtful."""


def doubts(page_kind: str, confidence: float | None, share: float | None) -> Iterator[str]:
    """What a reader should know of how a page was read: its kind unless it is plainly an article, and whether little of
    its prose was kept."""
    if page_kind in NO_CONTENT:
        yield NO_CONTENT[page_kind]
        return
    if page_kind and page_kind != "article":
        yield f"{page_kind} page" if (confidence or 0) >= LOW_CONFIDENCE else f"perhaps {page_kind} page"
    if share is not None and share < LOW_SHARE:
        yield f"only {share:.0%} of the page's prose"


class TextRow(JsonRecord):
    """A labelled value in a text: it is at `begin` to `end`. `subject` is what it is about, if its table has several
    things."""

    label: str
    begin: int
    end: int
    subject: str = ""


class Passage(JsonRecord):
    """A part of an article. `id` is derived from the URL and the text, so it is stable; `begin` and `end` are offsets
    in the article's `text`, `number` counts from 0 in the article. `rows` are the labelled values in the text, and
    `headers` the lines of it that only label the columns of tables."""

    id: str
    url: str
    title: str
    text: str
    number: int = 0
    begin: int = 0
    end: int = 0
    date: str = ""
    rows: tuple[TextRow, ...] = ()
    headers: tuple[str, ...] = ()


class RankedPassage(JsonRecord):
    """A passage that was found, and its score (larger is better; only comparable within one result)."""

    passage: Passage
    score: float


class ResearchProgress(JsonRecord):
    """The progress of a pipeline: `stage` is a word (`search`, `crawl`, `extract`, `embed`, `index`, `rank`,
    `summarize` …), `total` is None while it is not determined."""

    stage: str
    done: int
    total: int | None = None
    detail: str = ""


ProgressCallback = Callable[[ResearchProgress], None]
"""Called with each step of progress of a pipeline."""


class LeftOut(JsonRecord):
    """A page (or without a URL, a search) that a report or a graph does without. `code` is that of the error."""

    code: str
    message: str
    url: str = ""

    def __str__(self) -> str:
        """The message, preceded by the URL if it does not contain it."""
        return self.message if self.url in self.message else f"{self.url}: {self.message}"
