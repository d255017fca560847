"""*Research*: text from the web with its source. The host does it (`oryn.daemon.research`), and a browser only where a
page is nothing without one; so these are no lines of the language, where `search` and `extract` are the page's.

Who writes a command may be a model, so nothing here lets research go where the user does not let it: `allow_private`,
the search provider's address, the language model and the index are settings. What stands in brackets behind an option
is its default in `oryn.research`, which this table may not import; a test holds them equal.
"""

from __future__ import annotations

from typing import Literal

from oryn.language.command import Command, argument, flag, option, overwriting
from oryn.language.kinds import COUNT, DURATION, IDENTIFIER, PATH, PATTERNS, URL, URLS, Name, OneOf, Words

__all__ = [
    "RESEARCH_COMMANDS",
    "CollectionDrop",
    "Collections",
    "Crawl",
    "Graph",
    "Investigate",
    "WebExtract",
    "WebSearch",
]

_FAMILY = "Research"

ArticleFormat = Literal["markdown", "text", "json"]
BrowserUse = Literal["auto", "always", "never"]
Scope = Literal["host", "domain", "path", "any"]
ReportFormat = Literal["markdown", "json", "html"]
GraphFormat = Literal["tree", "json", "svg", "html"]
Engine = Literal["local", "ray"]

_SOURCE = Name("source")
_ENGINE = OneOf[Engine]("local", "ray")
_ENGINE_HELP = "where the work is done: this computer, or a Ray cluster"
_COLLECTION_HELP = "the collection of the index"


class WebSearch(
    Command,
    path="search",
    family=_FAMILY,
    host=True,
    safe=True,
    help="Search the web, or what research has read",
    example='search "boston fern humidity" --limit 5',
):
    """`source`: `ddg`, another provider, `index` (the passages of earlier research) or `hybrid` (both). `timeout`: a
    minute, unless it says otherwise."""

    query: str = argument(Words("query"), "what to search for")
    source: str | None = option(_SOURCE, "ddg, index, hybrid or another provider")
    limit: int | None = option(COUNT, "at most so many results (10)")
    rerank: bool = flag("order them anew by what they mean")
    collection: str | None = option(IDENTIFIER, _COLLECTION_HELP)


class WebExtract(
    Command,
    path="extract",
    family=_FAMILY,
    host=True,
    safe=True,
    help="Read the main text of pages, with title, author and date",
    example="extract example.org/article --format text",
):
    """Of URLs, or with `tab` of the page that the session shows. A page that is only a script's shell is opened in a
    tab of the session's browser. `timeout`: two minutes, unless it says otherwise."""

    urls: tuple[str, ...] | None = argument(URL, "the pages", many=True, default=None)
    tab: bool = flag("the page that is open now")
    format: ArticleFormat | None = option(OneOf[ArticleFormat]("markdown", "text", "json"), "how to show it")
    browser: BrowserUse | None = option(
        OneOf[BrowserUse]("auto", "always", "never"), "whether the session's browser loads them"
    )
    fresh: bool = flag("ask the server, whatever the page cache has")
    links: bool = flag("with the pages' links")
    to: str | None = option(PATH, "the file to write")
    overwrite: bool = overwriting()


class Crawl(
    Command,
    path="crawl",
    family=_FAMILY,
    host=True,
    safe=True,
    help="Read pages and those that they link to",
    example="crawl example.org --depth 2 --pages 100 --to pages.jsonl",
):
    """Politely: robots.txt, a pause between two requests to a host. A JSON object for each page, which the command line
    prints as it comes, and `to` has in a file, a line each. `timeout`: an hour, unless it says otherwise; `resume`
    names a crawl, which the same name goes on with."""

    urls: tuple[str, ...] = argument(URL, "where to begin", many=True)
    depth: int | None = option(COUNT, "how many links deep (3)")
    pages: int | None = option(COUNT, "at most so many pages (1000)")
    scope: Scope | None = option(OneOf[Scope]("host", "domain", "path", "any"), "where links may lead")
    include: tuple[str, ...] | None = option(PATTERNS, "only URLs that one of these fits")
    exclude: tuple[str, ...] | None = option(PATTERNS, "no URLs that one of these fits")
    delay: float | None = option(DURATION, "at least so long between two requests to a host (the setting throttle)")
    sitemaps: bool = flag("also what the sites' sitemaps list")
    feeds: bool = flag("also what the sites' feeds list")
    resume: str | None = option(IDENTIFIER, "the crawl's name: go on with it where it was interrupted")
    to: str | None = option(PATH, "the file to write")
    overwrite: bool = overwriting()
    engine: Engine | None = option(_ENGINE, _ENGINE_HELP)


class Investigate(
    Command,
    path="research",
    family=_FAMILY,
    host=True,
    safe=True,
    help="Search, read and sum up, with a source for every sentence",
    example='research "how do ferns reproduce" --results 6',
):
    """`url`: pages to read besides those that are found; `depth` 1 also reads what these link to. `timeout`: a quarter
    of an hour, unless it says otherwise."""

    topic: str = argument(Words("topic"), "what to find out")
    results: int | None = option(COUNT, "how many results of the search to read (8)")
    depth: int | None = option(COUNT, "how many links deep (0)")
    url: tuple[str, ...] | None = option(URLS, "pages to read in any case")
    source: str | None = option(_SOURCE, "ddg, index, hybrid or another provider")
    sentences: int | None = option(COUNT, "how many sentences the summary has (6)")
    format: ReportFormat | None = option(OneOf[ReportFormat]("markdown", "json", "html"), "how to write it")
    to: str | None = option(PATH, "the file to write")
    overwrite: bool = overwriting()
    collection: str | None = option(IDENTIFIER, _COLLECTION_HELP)
    engine: Engine | None = option(_ENGINE, _ENGINE_HELP)


class Graph(
    Command,
    path="graph",
    family=_FAMILY,
    host=True,
    safe=True,
    help="Find out what there is about a thing, as a tree with sources",
    example='graph "Boston fern" --website en.wikipedia.org --no-llm',
):
    """Of what a search finds, or of one website. The settings `model` and `endpoint` say which language model reads it;
    without one, and with `no_llm`, a heuristic does. `timeout`: a quarter of an hour, unless it says otherwise."""

    entity: str = argument(Words("entity"), "the thing: a company, a person, a plant")
    website: str | None = option(URL, "only what is there")
    no_llm: bool = flag("without a language model")
    results: int | None = option(COUNT, "how many results of the search to read (3)")
    format: GraphFormat | None = option(OneOf[GraphFormat]("tree", "json", "svg", "html"), "how to show it")
    to: str | None = option(PATH, "the file to write")
    overwrite: bool = overwriting()


class Collections(
    Command, path="index", family=_FAMILY, host=True, safe=True, help="List the collections of what research has read"
):
    """Their names, passages and models."""


class CollectionDrop(
    Command, path="index drop", family=_FAMILY, host=True, help="Forget a collection", example="index drop ferns"
):
    """With all of its passages; the page cache keeps the pages."""

    name: str = argument(IDENTIFIER, "the collection")


RESEARCH_COMMANDS: tuple[type[Command], ...] = (
    WebSearch,
    WebExtract,
    Crawl,
    Investigate,
    Graph,
    Collections,
    CollectionDrop,
)
"""Every one of them."""
