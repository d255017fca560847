"""Handlers of the process's requests, each with a `Research`; results are plain JSON.

A handler's name without `_` is the name of its request on the wire."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from oryn.errors import BodyTooLarge, OrynError, SchemaInvalid
from oryn.research.process.protocol import Message, error_form
from oryn.research.process.request import ResearchRequest

if TYPE_CHECKING:
    from oryn.models import ChatModel
    from oryn.research import Research
    from oryn.research.crawling import CrawlJournal, CrawlResult
    from oryn.research.operations import LazyCrawl

MAX_PREVIEWS = 20
"""Pages of a crawl in the result if a file has all of them."""

RequestHandler = Callable[["Research", ResearchRequest], Awaitable[Message]]

_handlers: dict[str, RequestHandler] = {}


def handler_of(do: str) -> RequestHandler:
    """The handler of a request. Raises `KeyError`."""
    return _handlers[do]


def _handles(performer: RequestHandler) -> RequestHandler:
    _handlers[performer.__name__.strip("_")] = performer
    return performer


@_handles
async def _search(research: Research, request: ResearchRequest) -> Message:
    options = request.select_arguments("source", "limit", "rerank", "collection")
    hits = await research.search(request.arguments["query"], **options, progress=request.progress)
    return {"hits": [hit.form() for hit in hits], "left_out": [each.form() for each in hits.left_out]}


@_handles
async def _extract(research: Research, request: ResearchRequest) -> Message:
    """Sends an item for each URL, in their order: `{"url", "article"}` or `{"url", "error"}`."""
    free = asyncio.Semaphore(request.options.concurrency)

    async def read(url: str) -> Message:
        async with free:
            try:
                article = await research.extract(
                    url, **request.select_arguments("browser", "fresh"), progress=request.progress
                )
            except OrynError as error:
                return {"url": url, "error": error_form(error)}
            return {"url": url, "article": article.form()}

    async with asyncio.TaskGroup() as tasks:
        for reading in [tasks.create_task(read(url)) for url in request.arguments["urls"]]:
            item = await reading
            try:
                await request.item(item)
            except BodyTooLarge as error:
                await request.item({"url": item["url"], "error": error_form(error)})
    return {}


@_handles
async def _data(research: Research, request: ResearchRequest) -> Message:
    """Sends an item for each URL, in their order: `{"url", "data", "places", "missing", "doubts"}` or
    `{"url", "error"}`."""
    schema, model = request.arguments["schema"], _model(request)
    options = request.select_arguments("browser", "fresh", "pages")
    if "next" in request.arguments:
        options["follow_next"] = True

    async def read(url: str) -> Message:
        try:
            data = await research.extract_data(url, schema, **options, model=model, progress=request.progress)
        except SchemaInvalid:
            raise
        except OrynError as error:
            return {"url": url, "error": error_form(error)}
        return data.form()

    for url in request.arguments["urls"]:
        item = await read(url)
        try:
            await request.item(item)
        except BodyTooLarge as error:
            await request.item({"url": url, "error": error_form(error)})
    return {}


@_handles
async def _read_data(research: Research, request: ResearchRequest) -> Message:
    """Reads data by a schema from the URL and the HTML of a page, as a browser has them."""
    from oryn.research.extractor import page_of_html
    from oryn.research.page_data import read_page
    from oryn.research.structured_data.schema import read_schema

    schema = request.arguments["schema"]
    page = page_of_html(request.arguments["html"], request.arguments["url"], source="tab")
    data = await read_page(research.context, page, schema, read_schema(schema), _model(request))
    await request.item(data.form())
    return {}


@_handles
async def _read(research: Research, request: ResearchRequest) -> Message:
    """Extracts a page from its URL and its HTML, as a browser has them."""
    from oryn.research.extractor import page_of_html

    page = page_of_html(request.arguments["html"], request.arguments["url"], source="tab")
    article = await (await research.context.workers()).article(page)
    await request.item({"url": page.url, "article": article.form()})
    return {}


_crawls: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
"""Locks by the state of a crawl: a request that goes on with a crawl waits until another one has released it."""


@_handles
async def _crawl(research: Research, request: ResearchRequest) -> Message:
    """Sends an item for each page; with a `file` the pages are written to it, and the result previews the first
    ones."""
    from oryn.research.crawling import CrawlOptions

    chosen = request.select_arguments("depth", "pages", "scope", "question", "sitemaps", "feeds", "delay", "browser")
    patterns = {name: tuple(values) for name, values in request.select_arguments("include", "exclude").items()}
    options = CrawlOptions(**{"delay": request.options.throttle, **chosen, **patterns})
    state = Path(request.arguments["state"]) if "state" in request.arguments else None
    begin = partial(
        research.crawl,
        request.arguments["urls"],
        options,
        state=state,
        **request.select_arguments("schema"),
        progress=request.progress,
    )
    async with _crawls.setdefault(request.arguments.get("state", str(request.id)), asyncio.Lock()):
        return await (_crawl_to_file(begin, request) if "file" in request.arguments else _crawl_to_host(begin, request))


@_handles
async def _map(research: Research, request: ResearchRequest) -> Message:
    from oryn.research.crawling import CrawlOptions

    patterns = {name: tuple(values) for name, values in request.select_arguments("include", "exclude").items()}
    options = CrawlOptions(**{**request.select_arguments("scope"), **patterns})
    limit = request.select_arguments("limit")
    return {"map": (await research.map(request.arguments["url"], options, **limit, progress=request.progress)).form()}


async def _crawl_to_host(begin: Callable[[], LazyCrawl], request: ResearchRequest) -> Message:
    from oryn.research.crawling import PageFailure

    async with aclosing(begin()) as crawl:
        async for crawled in crawl:
            try:
                await request.item(crawled)
            except BodyTooLarge as error:
                await request.item(crawled.replace(article=None, data={}, error=PageFailure.of(error)))
    return {"totals": crawl.totals.values()}


async def _crawl_to_file(begin: Callable[..., LazyCrawl], request: ResearchRequest) -> Message:
    """Writes every page once, however often the crawl is interrupted: what is in the file counts as delivered."""
    previews = list[Message]()
    with _open_journal(Path(request.arguments["file"]), anew=request.arguments["anew"]) as journal:
        async with aclosing(begin(after=journal.last)) as crawl:
            async for crawled in crawl:
                await asyncio.to_thread(journal.write, crawled)
                if len(previews) < MAX_PREVIEWS:
                    previews.append(_preview(crawled))
    return {"totals": crawl.totals.values(), "shown": previews}


def _open_journal(file: Path, *, anew: bool) -> CrawlJournal:
    from oryn.research.crawling import CrawlJournal

    if anew:
        with suppress(FileNotFoundError):
            os.truncate(file, 0)  # it stays the file that the host has made for us
    return CrawlJournal(file)


def _preview(crawled: CrawlResult) -> Message:
    """A short form of a page that is in the file."""
    if crawled.error is not None:
        return {"url": crawled.url, "error": crawled.error.form()}
    title = crawled.article.title if crawled.article else crawled.data.get("title", "")
    return {"url": crawled.url, "title": title}


@_handles
async def _research(research: Research, request: ResearchRequest) -> Message:
    from oryn.research.report import REPORT_RENDERERS

    options = request.select_arguments("results", "depth", "source", "sentences", "collection", "questions", "write")
    options |= {"model": _model(request)}
    options |= {"seeds": tuple(request.arguments.get("url", ())), "files": request.arguments.get("files", ())}
    report = await research.research(request.arguments["topic"], **options, progress=request.progress)
    form = request.arguments.get("format", "markdown")
    return {"report": report.form()} | ({} if form == "json" else {"text": REPORT_RENDERERS[form](report)})


@_handles
async def _graph(research: Research, request: ResearchRequest) -> Message:
    from oryn.research.graph import GRAPH_RENDERERS

    graph = await research.graph(
        request.arguments["entity"],
        **request.select_arguments("website", "results"),
        model=_model(request),
        progress=request.progress,
    )
    form = request.arguments.get("format", "tree")
    return {"graph": graph.form()} | ({} if form == "json" else {"text": GRAPH_RENDERERS[form](graph)})


@_handles
async def _index(research: Research, request: ResearchRequest) -> Message:
    return {"collections": [each.form() for each in await research.collections()]}


@_handles
async def _drop(research: Research, request: ResearchRequest) -> Message:
    await research.drop(request.arguments["name"])
    return {}


def _model(request: ResearchRequest) -> ChatModel | None:
    model = request.arguments.get("model")
    if model is None:
        return None
    from oryn.models.endpoint import ModelEndpoint
    from oryn.system.optional_dependencies import require_extra

    with require_extra("research", "a language model"):
        from oryn.models import ChatModel

    async def key() -> str | None:
        key: str | None = model.get("key")
        return key

    return ChatModel(ModelEndpoint(model["url"], model["name"], key))
