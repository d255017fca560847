"""What the parts of a pipeline hand to each other: a hit, a page as it was fetched, its text, the passages of that.

All of them are values, and plain JSON (`Document.form`) is what goes over wires and into files. Nothing is imported
here but the base of value classes: processes that only hand these on import neither NumPy nor lxml.
"""

from __future__ import annotations

from typing import Any, Literal

from oryn.records import Record

Source = Literal["http", "cache", "browser", "tab"]
"""Where a page came from: its server, the page cache (also when the server said 304), a browser that ran its scripts,
or the tab that was open."""


class Document(Record):
    """Base of these values."""

    def form(self) -> dict[str, Any]:
        """As plain JSON: what is None, or empty where that is the default, is left out; bytes never stand in it."""
        fields = type(self).__fields__
        return {
            name: _plain(value)
            for name, value in self.values().items()
            if not isinstance(value, bytes) and (fields[name].required or value not in (None, "", ()))
        }


def _plain(value: Any) -> Any:
    if isinstance(value, Document):
        return value.form()
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value


class Hit(Document):
    """One result of a search. `rank` counts from 1 within its provider; `score` is there where it was ranked again, or
    came from the index (larger is better)."""

    url: str
    title: str
    snippet: str = ""
    provider: str = ""
    rank: int = 0
    score: float | None = None


class Page(Document):
    """A page as it was fetched. `url` is where it was found in the end, `requested` what was asked for. `sha256` is the
    body's, in hexadecimal digits. `fetched_at` is in UTC, ISO 8601. `source` and `why` say who fetched it and, where
    that was a browser, why. `charset` is what the body is to be read in; empty for what is no text."""

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


class Link(Document):
    """A link of a page, its URL absolute."""

    url: str
    text: str = ""


class Article(Document):
    """What a page says. `text` is its main text with a line for each block, `markdown` the same with its marks; `date`
    is of the day (`2026-11-22`), `language` a code (`en`)."""

    url: str
    title: str
    text: str
    markdown: str
    author: str = ""
    date: str = ""
    language: str = ""
    site: str = ""
    description: str = ""
    links: tuple[Link, ...] = ()
    kind: Literal["html", "pdf", "text"] = "html"
    source: Source = "http"
    why: str = ""
    sha256: str = ""
    fetched_at: str = ""


class Passage(Document):
    """A piece of an article. `id` is made of the URL and the text and so is the same whenever the same is found;
    `begin` and `end` are offsets of `text` in the article's `text`, `number` counts from 0 in the article."""

    id: str
    url: str
    title: str
    text: str
    number: int = 0
    begin: int = 0
    end: int = 0
    date: str = ""


class Ranked(Document):
    """A passage that was found, and how well it fits (larger is better; only comparable within one answer)."""

    passage: Passage
    score: float


class Progress(Document):
    """How far a pipeline has come: `stage` is a word (`search`, `crawl`, `extract`, `embed`, `index`, `rank`,
    `summarize` …), `total` is None while nobody knows it."""

    stage: str
    done: int
    total: int | None = None
    detail: str = ""


class LeftOut(Document):
    """What a report or a graph does without: a page, or (without a URL) a search. `code` is that of the error."""

    code: str
    message: str
    url: str = ""

    def __str__(self) -> str:
        """The message, with the URL where that does not stand in it."""
        return self.message if self.url in self.message else f"{self.url}: {self.message}"
