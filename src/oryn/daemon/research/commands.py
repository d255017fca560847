"""Handlers of `search`, `extract`, `crawl`, `research`, `graph` and `index`.

A separate process does the work (`process_client`). The handlers do not take the session's lock, except to open a tab.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from oryn.daemon.host_commands import DAEMON_COMMANDS, HostCommands, SessionOpener
from oryn.daemon.research import output as answers
from oryn.daemon.research.job import ResearchJob
from oryn.daemon.research.tab_renderer import html_of_tab
from oryn.engine import Answer
from oryn.errors import (
    ConflictingOptions,
    FileError,
    InvalidValue,
    MissingArgument,
    OrynError,
    PathNotAllowed,
    SchemaInvalid,
)
from oryn.language import Command
from oryn.language.commands.research import (
    CollectionDrop,
    Collections,
    Crawl,
    Graph,
    Investigate,
    MapSite,
    WebExtract,
    WebSearch,
)
from oryn.language.lexer import shorten
from oryn.research.fetching.local_documents import CONTENT_TYPES, document_files
from oryn.research.process.protocol import error_of
from oryn.system.paths import private_folder

ResearchHandler = TypeVar("ResearchHandler", bound=Callable[..., Awaitable[Answer]])

_FORMATS_BY_SUFFIX = {".html": "html", ".htm": "html", ".json": "json", ".svg": "svg"}
"""Output formats by the suffix of a file's name."""
MAX_SCHEMA_BYTES = 1_000_000


def _handles_research(type_: type[Command]) -> Callable[[ResearchHandler], ResearchHandler]:
    def register(handler: ResearchHandler) -> ResearchHandler:
        @DAEMON_COMMANDS.handles(type_)
        async def run(host: HostCommands, name: str, command: Command, opener: SessionOpener) -> Answer:
            job = ResearchJob(host, name, command, opener)
            try:
                answer = await handler(job, command)
            except OrynError as error:
                answer = Answer(error=error)
            return job.apply_output_options(answer)

        return handler

    return register


@_handles_research(WebSearch)
async def _search(job: ResearchJob, command: WebSearch) -> Answer:
    found = await job.request("search", job.provided_arguments("query", "source", "limit", "rerank", "collection"))
    return answers.hits(found["hits"], found["left_out"])


@_handles_research(WebExtract)
async def _extract(job: ResearchJob, command: WebExtract) -> Answer:
    if command.tab and command.urls:
        raise ConflictingOptions("--tab and URLs exclude each other", "Leave one of them out.")
    if not command.tab and not command.urls:
        raise MissingArgument("extract needs a URL", "Or --tab, for the page that is open now.")
    path = job.files.writable(command.output, overwrite=command.overwrite) if command.output else None
    if command.schema is not None:
        return await _extract_data(job, command, path)
    if command.next or command.pages is not None:
        raise MissingArgument("--next and --pages need --schema", "Without one, name each page.")
    if command.tab:
        url, html = await html_of_tab(job.opener())
        await job.request("read", {"url": url, "html": html})
    else:
        urls = [_check_web_url(url) for url in command.urls or ()]
        await job.request("extract", {"urls": urls, **job.provided_arguments("browser", "fresh")})
    read = job.items
    if all("error" in item for item in read):
        raise error_of(read[0]["error"])
    answer = answers.articles(read, command.format or "markdown", links=command.links)
    if path is None or command.output is None:
        return answer
    job.files.write_bytes(command.output, answers.article_file(answer.data, command.format or "markdown"))
    return _written(path, read, "article")


async def _extract_data(job: ResearchJob, command: WebExtract, path: Path | None) -> Answer:
    """`extract --schema`: the data of pages, with the places of its values."""
    if command.format not in (None, "json") or command.links:
        raise ConflictingOptions("data by a schema is JSON", "Leave out --format and --links.")
    arguments: dict[str, Any] = {"schema": _schema(job, command.schema or "")}
    if not command.no_llm and job.configuration.settings.model:
        arguments["model"] = await _model(job)
    if command.tab:
        url, html = await html_of_tab(job.opener())
        await job.request("read_data", {**arguments, "url": url, "html": html})
    else:
        arguments["urls"] = [_check_web_url(url) for url in command.urls or ()]
        await job.request("data", {**arguments, **job.provided_arguments("browser", "fresh", "next", "pages")})
    read = job.items
    if all("error" in item for item in read):
        raise error_of(read[0]["error"])
    if path is None or command.output is None:
        return answers.page_data(read)
    job.files.write_bytes(command.output, answers.article_file(read, "json"))
    return _written(path, read, "page")


def _written(path: Path, read: Sequence[dict[str, Any]], what: str) -> Answer:
    found = [item for item in read if "error" not in item]
    answer = answers.written(path, answers.count(found, what), {"read": len(found)})
    return answer.replace(failed=answers.failures(read))


def _schema(job: ResearchJob, text: str) -> dict[str, Any]:
    """The JSON Schema that is `text`, or is in the file of that name. Raises `SchemaInvalid`, `FileError`."""
    if not text.startswith("{"):
        text = job.files.read_bytes(text, MAX_SCHEMA_BYTES).decode("utf-8-sig", "replace")
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaInvalid(f"the schema is not JSON: {shorten(str(error))}") from None
    if not isinstance(schema, dict):
        raise SchemaInvalid("the schema is not a JSON object")
    return schema


@_handles_research(Crawl)
async def _crawl(job: ResearchJob, command: Crawl) -> Answer:
    arguments = job.provided_arguments(
        "depth", "pages", "scope", "include", "exclude", "delay", "question", "sitemaps", "feeds", "browser"
    )
    arguments["urls"] = [_check_web_url(url) for url in command.urls]
    if command.schema is not None:
        arguments["schema"] = _schema(job, command.schema)
    _set_engine(job, command.engine)
    if command.resume:
        arguments["state"] = str(private_folder(job.folder) / f"{command.resume}.state")
    path = _crawl_file(job, command)
    if path is not None:
        arguments |= {"file": str(path), "anew": command.resume is None}
    try:
        result = await job.request("crawl", arguments)
    finally:
        if path is not None:
            job.files.finish(path)
    return answers.crawled(result["totals"], result.get("shown", ()), path)


@_handles_research(MapSite)
async def _map(job: ResearchJob, command: MapSite) -> Answer:
    arguments = job.provided_arguments("limit", "scope", "include", "exclude") | {"url": _check_web_url(command.url)}
    path = job.files.writable(command.output, overwrite=command.overwrite) if command.output else None
    found = (await job.request("map", arguments))["map"]
    if path is None or command.output is None:
        return answers.site_map(found)
    job.files.write_bytes(command.output, "".join(f"{each}\n" for each in found["urls"]).encode())
    return answers.written(path, answers.site_map_summary(found), {"urls": len(found["urls"])})


def _crawl_file(job: ResearchJob, command: Crawl) -> Path | None:
    """The file for a crawl's pages; None if they are streamed."""
    if command.output:
        return job.files.begin(command.output, overwrite=command.overwrite)
    if job.stream is not None:
        return None
    if command.resume:
        return private_folder(job.folder) / f"{command.resume}.jsonl"
    return job.own_file("crawl-", ".jsonl")


@_handles_research(Investigate)
async def _research(job: ResearchJob, command: Investigate) -> Answer:
    _set_engine(job, command.engine)
    form = command.format or _format_by_suffix(command.output, ("html", "json")) or "markdown"
    arguments = job.provided_arguments(
        "topic", "results", "depth", "source", "sentences", "collection", "questions", "write"
    )
    if command.write or ((command.questions or 1) > 1 and not command.no_llm and job.configuration.settings.model):
        arguments["model"] = await _model(job)
    arguments |= {"format": form, "url": [_check_web_url(url) for url in command.url or ()]}
    if command.files:
        arguments["files"] = await asyncio.to_thread(_documents, job, command.files)
    found = await _request_checked(job, "research", arguments, command)
    report = found["report"]
    cited = range(report["counts"]["cited"])
    what = f"{answers.count(report['sentences'], 'sentence')} of {answers.count(cited, 'source')}"
    answer = _result_answer(job, command.output, found.get("text"), report, what)
    return answer.replace(is_document=form == "markdown" and not command.output)


def _documents(job: ResearchJob, path: str) -> list[str]:
    """The documents at a path that the command may read. Raises `FileError`, `PathNotAllowed`."""
    allowed = []
    for file in document_files(job.files.existing(path)):
        with suppress(PathNotAllowed):
            allowed.append(str(job.files.check(file)))
    if not allowed:
        names = ", ".join(CONTENT_TYPES)
        raise FileError(f"{path} has no documents", f"Documents end in {names}.")
    return allowed


@_handles_research(Graph)
async def _graph(job: ResearchJob, command: Graph) -> Answer:
    form = command.format or _format_by_suffix(command.output, ("html", "json", "svg")) or "tree"
    arguments = job.provided_arguments("entity", "results") | {"format": form}
    if command.website:
        arguments["website"] = _check_web_url(command.website)
    if not command.no_llm and job.configuration.settings.model:
        arguments["model"] = await _model(job)
    found = await _request_checked(job, "graph", arguments, command)
    graph = found["graph"]
    passages, cited = graph.get("passages", ()), graph.get("cited", ())
    what = f"{answers.count(passages, 'passage')} of {answers.count(cited, 'source')}"
    return _result_answer(job, command.output, found.get("text"), graph, what)


@_handles_research(Collections)
async def _collections(job: ResearchJob, command: Collections) -> Answer:
    return answers.collections((await job.request("index", {}))["collections"])


@_handles_research(CollectionDrop)
async def _drop(job: ResearchJob, command: CollectionDrop) -> Answer:
    await job.request("drop", {"name": command.name})
    return Answer(lines=[f"dropped {command.name}"], data={"dropped": command.name})


async def _request_checked(
    job: ResearchJob, do: str, arguments: dict[str, Any], command: Investigate | Graph
) -> dict[str, Any]:
    if command.output:
        job.files.writable(command.output, overwrite=command.overwrite)  # fail before the work is done, not after it
    return await job.request(do, arguments)


def _result_answer(job: ResearchJob, to: str | None, text: str | None, form: dict[str, Any], what: str) -> Answer:
    """The answer with a result, or the path of the file that the result was written to.

    If `text` is None, the result is `form` as JSON."""
    text = answers.json_text(form) if text is None else text
    if not to:
        return Answer(block=text.rstrip("\n"), data=form)
    path = job.files.write_bytes(to, text.encode("utf-8", "replace"))
    return answers.written(path, what, {})


def _set_engine(job: ResearchJob, engine: str | None) -> None:
    if engine:
        job.options = job.options.replace(engine=engine)


def _format_by_suffix(to: str | None, forms: tuple[str, ...]) -> str | None:
    form = _FORMATS_BY_SUFFIX.get(Path(to).suffix.lower()) if to else None
    return form if form in forms else None


def _check_web_url(address: str) -> str:
    """Check that `address` is a web URL. Raises `InvalidValue`."""
    if not address.lower().startswith(("http://", "https://")):
        raise InvalidValue(f"not an address of the web: {shorten(address)}", "Write the whole URL: https://….")
    return address


async def _model(job: ResearchJob) -> dict[str, Any]:
    """The settings' language model as JSON data: `url`, `name`, `key`.

    Raises `ConfigurationError`, and the errors of reading its key."""
    from oryn.agent.runner.setup import endpoint_of

    endpoint = endpoint_of(job.configuration)
    return {"url": endpoint.url, "name": endpoint.model, "key": await endpoint.key()}
