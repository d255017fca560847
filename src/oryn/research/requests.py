"""What a worker does for each kind of request, with a `Research`: outcomes are plain JSON."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from oryn.errors import OrynError
from oryn.research.asked import Asked
from oryn.research.failures import BodyTooLarge
from oryn.research.wire import Message, error_form

if TYPE_CHECKING:
    from oryn.models import Model
    from oryn.research import Research
    from oryn.research.begun import Crawling
    from oryn.research.crawling import Crawled, Journal

SHOWN = 20
"""Pages of a crawl that are told of when a file has all."""

Performer = Callable[["Research", Asked], Awaitable[Message]]

_performers: dict[str, Performer] = {}


def performer_of(do: str) -> Performer:
    """Raises `KeyError`."""
    return _performers[do]


def _does(performer: Performer) -> Performer:
    _performers[performer.__name__.strip("_")] = performer
    return performer


@_does
async def _search(research: Research, asked: Asked) -> Message:
    options = asked.some("source", "limit", "rerank", "collection")
    hits = await research.search(asked.given["query"], **options, progress=asked.progress)
    return {"hits": [hit.form() for hit in hits]}


@_does
async def _extract(research: Research, asked: Asked) -> Message:
    """An item for each URL, in their order: `{"url", "article"}` or `{"url", "error"}`."""
    free = asyncio.Semaphore(asked.options.concurrency)

    async def read(url: str) -> Message:
        async with free:
            try:
                article = await research.extract(url, **asked.some("browser", "fresh"), progress=asked.progress)
            except OrynError as error:
                return {"url": url, "error": error_form(error)}
            return {"url": url, "article": article.form()}

    async with asyncio.TaskGroup() as tasks:
        for reading in [tasks.create_task(read(url)) for url in asked.given["urls"]]:
            item = await reading
            try:
                await asked.item(item)
            except BodyTooLarge as error:
                await asked.item({"url": item["url"], "error": error_form(error)})
    return {}


@_does
async def _read(research: Research, asked: Asked) -> Message:
    """A page that a browser shows: its URL and its HTML."""
    from oryn.research.extracting import page_of_html

    page = page_of_html(asked.given["html"], asked.given["url"], source="tab")
    article = await (await research.workers()).article(page)
    await asked.item({"url": page.url, "article": article.form()})
    return {}


_crawls: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
"""By the crawl's state: who goes on with one waits for whoever is about to give it up."""


@_does
async def _crawl(research: Research, asked: Asked) -> Message:
    """An item for each page; those that go into a `file` are there, and only the first are told of."""
    from oryn.research.crawling import CrawlOptions

    chosen = asked.some("depth", "pages", "scope", "sitemaps", "feeds", "delay")
    patterns = {name: tuple(values) for name, values in asked.some("include", "exclude").items()}
    options = CrawlOptions(**{"delay": asked.options.throttle, **chosen, **patterns})
    state = Path(asked.given["state"]) if "state" in asked.given else None
    begin = partial(research.crawl, asked.given["urls"], options, state=state, progress=asked.progress)
    async with _crawls.setdefault(asked.given.get("state", str(asked.id)), asyncio.Lock()):
        return await (_into_file(begin, asked) if "file" in asked.given else _handed_over(begin, asked))


async def _handed_over(begin: Callable[[], Crawling], asked: Asked) -> Message:
    from oryn.research.crawling import Failure

    async with aclosing(begin()) as crawl:
        async for crawled in crawl:
            try:
                await asked.item(crawled)
            except BodyTooLarge as error:
                await asked.item(crawled.replace(article=None, error=Failure.of(error)))
    return {"totals": crawl.totals.values()}


async def _into_file(begin: Callable[..., Crawling], asked: Asked) -> Message:
    """Every page once, however often it was interrupted: what is in the file counts as told."""
    shown = list[Message]()
    with _journal(Path(asked.given["file"]), anew=asked.given["anew"]) as journal:
        async with aclosing(begin(after=journal.last)) as crawl:
            async for crawled in crawl:
                await asyncio.to_thread(journal.write, crawled)
                if len(shown) < SHOWN:
                    shown.append(_shown(crawled))
    return {"totals": crawl.totals.values(), "shown": shown}


def _journal(file: Path, *, anew: bool) -> Journal:
    from oryn.research.crawling import Journal

    if anew:
        with suppress(FileNotFoundError):
            os.truncate(file, 0)  # it stays the file that the host has made for us
    return Journal(file)


def _shown(crawled: Crawled) -> Message:
    """What is told of a page that is in a file."""
    if crawled.error is not None:
        return {"url": crawled.url, "error": crawled.error.form()}
    return {"url": crawled.url, "title": crawled.article.title if crawled.article else ""}


@_does
async def _research(research: Research, asked: Asked) -> Message:
    options = asked.some("results", "depth", "source", "sentences", "collection")
    seeds = tuple(asked.given.get("url", ()))
    report = await research.research(asked.given["topic"], **options, seeds=seeds, progress=asked.progress)
    form = asked.given.get("format", "markdown")
    return {"report": report.form()} | ({} if form == "json" else {"text": getattr(report, form)})


@_does
async def _graph(research: Research, asked: Asked) -> Message:
    graph = await research.graph(
        asked.given["entity"], **asked.some("website", "results"), model=_model(asked), progress=asked.progress
    )
    form = asked.given.get("format", "tree")
    return {"graph": graph.form()} | ({} if form == "json" else {"text": getattr(graph, form)})


@_does
async def _index(research: Research, asked: Asked) -> Message:
    return {"collections": [each.form() for each in await research.collections()]}


@_does
async def _drop(research: Research, asked: Asked) -> Message:
    await research.drop(asked.given["name"])
    return {}


def _model(asked: Asked) -> Model | None:
    told = asked.given.get("model")
    if told is None:
        return None
    from oryn.extras import needed
    from oryn.models.endpoint import Endpoint

    with needed("research", "a graph by a language model"):
        from oryn.models import Model

    async def key() -> str | None:
        key: str | None = told.get("key")
        return key

    return Model(Endpoint(told["url"], told["name"], key))
