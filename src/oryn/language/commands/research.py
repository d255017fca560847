"""*Research*: text from the web with its source. The host does it (`oryn.daemon.research.commands`), and a browser only
where a page is nothing without one; so these are no lines of the language, where `search` and `extract` are the page's.

Who writes a command may be a model, so nothing here lets research go where the user does not let it: `allow_private`,
the search provider's address, the language model and the index are settings. What stands in brackets behind an option
is its default in `oryn.research`, which this table may not import; a test holds them equal.
"""

from __future__ import annotations

from typing import Literal

from oryn.language.command import Command, argument, flag, option, output_option, overwrite_flag
from oryn.language.kinds import (
    COUNT,
    DURATION,
    IDENTIFIER,
    JSON_OR_FILE,
    PATH,
    PATTERNS,
    URL,
    URLS,
    ChoiceKind,
    NameKind,
    WordsKind,
)

__all__ = [
    "RESEARCH_COMMANDS",
    "CollectionDrop",
    "Collections",
    "Crawl",
    "Graph",
    "Investigate",
    "MapSite",
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

_SOURCE = NameKind("source")
_ENGINE = ChoiceKind[Engine]("local", "ray")
_ENGINE_HELP = "where the work runs: this computer, or a Ray cluster"
_COLLECTION_HELP = "the collection of the index"


class WebSearch(
    Command,
    path="search",
    family=_FAMILY,
    result="list[SearchHit]",
    scope="research",
    safe=True,
    help="Search the web, or pages that research has read",
    example='search "boston fern humidity" --limit 5',
):
    """`source`: `ddg`, another provider, `index` (the passages of earlier research) or `hybrid` (both). `timeout`: a
    minute, unless it says otherwise."""

    query: str = argument(WordsKind("query"), "what to search for")
    source: str | None = option(_SOURCE, "ddg, index, hybrid or another provider")
    limit: int | None = option(COUNT, "maximum number of results (the setting search_limit)")
    rerank: bool = flag("rank the results again by meaning")
    collection: str | None = option(IDENTIFIER, _COLLECTION_HELP)


class WebExtract(
    Command,
    path="extract",
    family=_FAMILY,
    result="list[dict[str, Any]] | dict[str, Any]",
    scope="research",
    safe=True,
    help="Read the main text of pages, with title, author and date",
    either=("urls", "tab"),
    example="extract example.org/article --format text",
):
    """Of URLs, or with `tab` of the page that the session shows. With `schema` the result is data: each value has its
    place on the page, or is null. A page that is only a script's shell is opened in a
    tab of the session's browser. `timeout`: two minutes, unless it says otherwise."""

    urls: tuple[str, ...] | None = argument(URL, "the pages", many=True, default=None)
    tab: bool = flag("read the open page instead")
    format: ArticleFormat | None = option(ChoiceKind[ArticleFormat]("markdown", "text", "json"), "the output format")
    browser: BrowserUse | None = option(
        ChoiceKind[BrowserUse]("auto", "always", "never"),
        "when to load them in the session's browser; auto, the default: if a page needs JavaScript",
    )
    schema: str | None = option(JSON_OR_FILE, "read the values of this JSON Schema instead of the text")
    next: bool = flag("with a schema: read the following pages of a list too")
    pages: int | None = option(COUNT, "maximum number of pages of a list (10)")
    no_llm: bool = flag("don't use a language model for values that the schema's rules don't find")
    fresh: bool = flag("bypass the page cache")
    links: bool = flag("include the pages' links")
    output: str | None = output_option()
    overwrite: bool = overwrite_flag()


class Crawl(
    Command,
    path="crawl",
    family=_FAMILY,
    result="CrawlFigures",
    scope="research",
    safe=True,
    help="Read pages and the pages that they link to",
    example="crawl example.org --depth 2 --pages 100 --output pages.jsonl",
):
    """Politely: robots.txt, a pause between two requests to a host. A JSON object for each page, which the command line
    prints as it comes, and `to` has in a file, a line each. `timeout`: an hour, unless it says otherwise; `resume`
    names a crawl, which the same name goes on with."""

    urls: tuple[str, ...] = argument(URL, "the first pages", many=True)
    depth: int | None = option(COUNT, "how many levels of links to follow (3)")
    pages: int | None = option(COUNT, "maximum number of pages (1000)")
    scope: Scope | None = option(ChoiceKind[Scope]("host", "domain", "path", "any"), "where links may lead")
    include: tuple[str, ...] | None = option(PATTERNS, "only URLs that match one of these")
    exclude: tuple[str, ...] | None = option(PATTERNS, "no URLs that match one of these")
    delay: float | None = option(DURATION, "minimum time between two requests to a host (the setting throttle)")
    question: str | None = option(WordsKind("question"), "read the pages most likely to answer this question first")
    schema: str | None = option(JSON_OR_FILE, "read the values of this JSON Schema instead of articles")
    sitemaps: bool = flag("include the pages in the sites' sitemaps and llms.txt")
    feeds: bool = flag("include the pages in the sites' feeds")
    browser: BrowserUse | None = option(
        ChoiceKind[BrowserUse]("auto", "always", "never"),
        "when to load pages in a browser; auto, the default: if a page needs JavaScript",
    )
    resume: str | None = option(IDENTIFIER, "the crawl's name; continue it where it was interrupted")
    output: str | None = output_option()
    overwrite: bool = overwrite_flag()
    engine: Engine | None = option(_ENGINE, _ENGINE_HELP)


class MapSite(
    Command,
    path="map",
    family=_FAMILY,
    result="SiteAddresses",
    scope="research",
    safe=True,
    help="List the URLs of a site, from its sitemaps and links",
    example='map example.org --include "/docs/*" --limit 1000',
):
    """Without reading the pages: robots.txt, sitemaps, `llms.txt` and the page itself. `timeout`: two minutes, unless
    it says otherwise."""

    url: str = argument(URL, "a page of the site")
    limit: int | None = option(COUNT, "maximum number of addresses (5000)")
    scope: Scope | None = option(ChoiceKind[Scope]("host", "domain", "path", "any"), "where addresses may lead")
    include: tuple[str, ...] | None = option(PATTERNS, "only URLs that match one of these")
    exclude: tuple[str, ...] | None = option(PATTERNS, "no URLs that match one of these")
    output: str | None = output_option("the file to write, a line for each address")
    overwrite: bool = overwrite_flag()


class Investigate(
    Command,
    path="research",
    family=_FAMILY,
    result="dict[str, Any]",
    scope="research",
    safe=True,
    help="Search, read and summarise, with a source for every sentence",
    example='research "how do ferns reproduce" --results 6',
):
    """`url`: pages to read besides those that are found; `depth` 1 also reads what these link to. `files`: PDF, DOCX,
    EPUB, Markdown, text, HTML. The settings `model` and `endpoint` say which language model plans the questions and
    writes; a sentence that its passages do not support is left out. `timeout`: a quarter
    of an hour, unless it says otherwise."""

    topic: str = argument(WordsKind("topic"), "what to find out")
    results: int | None = option(COUNT, "number of search results to read (the setting research_results)")
    depth: int | None = option(COUNT, "how many levels of links to follow (the setting research_depth)")
    url: tuple[str, ...] | None = option(URLS, "pages to read in addition to the results")
    questions: int | None = option(COUNT, "maximum number of questions to split the topic into (1)")
    write: bool = flag("let the language model write the summary from the passages")
    no_llm: bool = flag("split the topic without a language model")
    files: str | None = option(PATH, "a document, or a folder of documents, to read beside the web")
    source: str | None = option(_SOURCE, "ddg, index, hybrid or another provider")
    sentences: int | None = option(COUNT, "number of sentences in the summary (the setting summary_sentences)")
    format: ReportFormat | None = option(
        ChoiceKind[ReportFormat]("markdown", "json", "html"), "the format of the report"
    )
    output: str | None = output_option()
    overwrite: bool = overwrite_flag()
    collection: str | None = option(IDENTIFIER, _COLLECTION_HELP)
    engine: Engine | None = option(_ENGINE, _ENGINE_HELP)


class Graph(
    Command,
    path="graph",
    family=_FAMILY,
    result="dict[str, Any]",
    scope="research",
    safe=True,
    help="Find facts about an entity, as a tree with sources",
    example='graph "Boston fern" --website en.wikipedia.org --no-llm',
):
    """Of what a search finds, or of one website. The settings `model` and `endpoint` say which language model reads it;
    without one, and with `no_llm`, a heuristic does. `timeout`: a quarter of an hour, unless it says otherwise."""

    entity: str = argument(WordsKind("entity"), "the entity: a company, a person, a plant")
    website: str | None = option(URL, "read only this website")
    no_llm: bool = flag("use no language model")
    results: int | None = option(COUNT, "number of search results to read (3)")
    format: GraphFormat | None = option(
        ChoiceKind[GraphFormat]("tree", "json", "svg", "html"), "the format of the graph"
    )
    output: str | None = output_option()
    overwrite: bool = overwrite_flag()


class Collections(
    Command,
    path="index",
    family=_FAMILY,
    result="list[CollectionRow]",
    scope="research",
    safe=True,
    reads=True,
    help="List the collections of passages that research has read",
):
    """Their names, passages and models."""


class CollectionDrop(
    Command,
    path="index drop",
    family=_FAMILY,
    effects=("index",),
    result="DroppedCollection",
    scope="research",
    help="Delete a collection",
    example="index drop ferns",
):
    """With all of its passages; the page cache keeps the pages."""

    name: str = argument(IDENTIFIER, "the collection")


RESEARCH_COMMANDS: tuple[type[Command], ...] = (
    WebSearch,
    WebExtract,
    Crawl,
    MapSite,
    Investigate,
    Graph,
    Collections,
    CollectionDrop,
)
"""Every one of them."""
