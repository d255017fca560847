"""`search`, `extract`, `crawl`, `research`, `graph` and `index`: the daemon's part of research, whose work is done in a
process of its own (`research_worker`). None of them waits for the session's lock but to open a tab."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from oryn.daemon import research_answers as answers
from oryn.daemon.hosting import Hosting, Open, performs
from oryn.daemon.research_errand import Errand
from oryn.daemon.research_rendering import html_of_tab
from oryn.engine import Answer
from oryn.errors import ConflictingOptions, InvalidValue, MissingArgument, OrynError
from oryn.language import Command
from oryn.language.commands.research import (
    CollectionDrop,
    Collections,
    Crawl,
    Graph,
    Investigate,
    WebExtract,
    WebSearch,
)
from oryn.language.strings import shorten
from oryn.paths import private_folder
from oryn.research.wire import error_of

Perform = TypeVar("Perform", bound=Callable[..., Awaitable[Answer]])

_BY_SUFFIX = {".html": "html", ".htm": "html", ".json": "json", ".svg": "svg"}
"""What a file's name says about its format."""


def _does(type_: type[Command]) -> Callable[[Perform], Perform]:
    def register(perform: Perform) -> Perform:
        @performs(type_, opens=True)
        async def performed(hosting: Hosting, name: str, command: Command, opening: Open) -> Answer:
            errand = Errand(hosting, name, command, opening)
            try:
                answer = await perform(errand, command)
            except OrynError as error:
                answer = Answer(error=error)
            return errand.told(answer)

        return perform

    return register


@_does(WebSearch)
async def _search(errand: Errand, command: WebSearch) -> Answer:
    found = await errand.ask("search", errand.given("query", "source", "limit", "rerank", "collection"))
    return answers.hits(found["hits"])


@_does(WebExtract)
async def _extract(errand: Errand, command: WebExtract) -> Answer:
    if command.tab and command.urls:
        raise ConflictingOptions("--tab and URLs exclude each other", "Leave one of them out.")
    if not command.tab and not command.urls:
        raise MissingArgument("extract needs a URL", "Or --tab, for the page that is open now.")
    path = errand.files.writable(command.to, overwrite=command.overwrite) if command.to else None
    if command.tab:
        url, html = await html_of_tab(errand.opening())
        await errand.ask("read", {"url": url, "html": html})
    else:
        urls = [_web(url) for url in command.urls or ()]
        await errand.ask("extract", {"urls": urls, **errand.given("browser", "fresh")})
    read = errand.items
    if all("error" in item for item in read):
        raise error_of(read[0]["error"])
    answer = answers.articles(read, command.format or "markdown", links=command.links)
    if path is None or command.to is None:
        return answer
    errand.files.write_bytes(command.to, answers.article_file(answer.data, command.format or "markdown"))
    return answers.written(path, answers.count(read, "article"), {"read": len(read)})


@_does(Crawl)
async def _crawl(errand: Errand, command: Crawl) -> Answer:
    arguments = errand.given("depth", "pages", "scope", "include", "exclude", "delay", "sitemaps", "feeds")
    arguments["urls"] = [_web(url) for url in command.urls]
    _work_at(errand, command.engine)
    if command.resume:
        arguments["state"] = str(private_folder(errand.folder) / f"{command.resume}.state")
    path = _crawl_file(errand, command)
    if path is not None:
        arguments |= {"file": str(path), "anew": command.resume is None}
    try:
        result = await errand.ask("crawl", arguments)
    finally:
        if path is not None:
            errand.files.finish(path)
    return answers.crawled(result["totals"], result.get("shown", ()), path)


def _crawl_file(errand: Errand, command: Crawl) -> Path | None:
    """Where its pages go; None where they are streamed."""
    if command.to:
        return errand.files.begin(command.to, overwrite=command.overwrite)
    if errand.stream is not None:
        return None
    if command.resume:
        return private_folder(errand.folder) / f"{command.resume}.jsonl"
    return errand.own_file("crawl-", ".jsonl")


@_does(Investigate)
async def _research(errand: Errand, command: Investigate) -> Answer:
    _work_at(errand, command.engine)
    form = command.format or _by_name(command.to, ("html", "json")) or "markdown"
    arguments = errand.given("topic", "results", "depth", "source", "sentences", "collection")
    arguments |= {"format": form, "url": [_web(url) for url in command.url or ()]}
    found = await _found(errand, "research", arguments, command)
    report = found["report"]
    what = f"{answers.count(report['sentences'], 'sentence')} of {answers.count(report['sources'], 'source')}"
    return _shown(errand, command.to, found.get("text"), report, what)


@_does(Graph)
async def _graph(errand: Errand, command: Graph) -> Answer:
    form = command.format or _by_name(command.to, ("html", "json", "svg")) or "tree"
    arguments = errand.given("entity", "results") | {"format": form}
    if command.website:
        arguments["website"] = _web(command.website)
    if not command.no_llm and errand.configuration.settings.model:
        arguments["model"] = await _model(errand)
    found = await _found(errand, "graph", arguments, command)
    graph = found["graph"]
    passages, cited = graph.get("passages", ()), graph.get("cited", ())
    what = f"{answers.count(passages, 'passage')} of {answers.count(cited, 'source')}"
    return _shown(errand, command.to, found.get("text"), graph, what)


@_does(Collections)
async def _collections(errand: Errand, command: Collections) -> Answer:
    return answers.collections((await errand.ask("index", {}))["collections"])


@_does(CollectionDrop)
async def _drop(errand: Errand, command: CollectionDrop) -> Answer:
    await errand.ask("drop", {"name": command.name})
    return Answer(lines=[f"dropped {command.name}"], data={"dropped": command.name})


async def _found(errand: Errand, do: str, arguments: dict[str, Any], command: Investigate | Graph) -> dict[str, Any]:
    if command.to:
        errand.files.writable(
            command.to, overwrite=command.overwrite
        )  # to find out after the work is done would be late
    return await errand.ask(do, arguments)


def _shown(errand: Errand, to: str | None, text: str | None, form: dict[str, Any], what: str) -> Answer:
    """What was found, or the file that has it. Without a `text` it is the form."""
    text = answers.json_text(form) if text is None else text
    if not to:
        return Answer(block=text.rstrip("\n"), data=form)
    path = errand.files.write_bytes(to, text.encode("utf-8", "replace"))
    return answers.written(path, what, {})


def _work_at(errand: Errand, engine: str | None) -> None:
    if engine:
        errand.options = errand.options.replace(engine=engine)


def _by_name(to: str | None, forms: tuple[str, ...]) -> str | None:
    form = _BY_SUFFIX.get(Path(to).suffix.lower()) if to else None
    return form if form in forms else None


def _web(address: str) -> str:
    """Raises `InvalidValue`."""
    if not address.lower().startswith(("http://", "https://")):
        raise InvalidValue(f"not an address of the web: {shorten(address)}", "Write the whole URL: https://….")
    return address


async def _model(errand: Errand) -> dict[str, Any]:
    """The language model of the settings. Raises `ConfigurationError`, and what getting its key does."""
    from oryn.host.agent.preparing import endpoint_of

    endpoint = endpoint_of(errand.configuration)
    return {"url": endpoint.url, "name": endpoint.model, "key": await endpoint.key()}
