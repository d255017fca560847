"""The tools of `oryn.tools` as clients of the protocol see them: names that can't be mistaken among the tools of other
servers, titles, descriptions, true hints, and the schemas of structured results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mcp_types import Tool as ListedTool
from mcp_types import ToolAnnotations

from oryn.errors import InvalidValue, MissingArgument, UnexpectedInput
from oryn.language.result_schema import result_schema
from oryn.tools.catalog import LINE_TOOL

if TYPE_CHECKING:
    from oryn.language import Line
    from oryn.language.vocabulary import Verb
    from oryn.mcp.host import McpHost
    from oryn.tools import Tool

NAMES: Mapping[str, str] = {
    "extract": "read_url",
    "extract_page": "extract_from_page",
    "search": "web_search",
    "site_search": "search_this_site",
    "text": "read_page",
}
"""Names of tools whose verb is called as something else too. The verbs stay callable, unlisted."""

VERBS: Mapping[str, str] = {name: verb for verb, name in NAMES.items()}

_DESCRIPTIONS: Mapping[str, str] = {
    "goto": "Open a URL in the browser tab.",
    "observe": "List the page's interactive elements with their numbers. Do this before acting.",
    "click": "Click an element. The answer says what changed.",
    "type": "Type text into a field, replacing its content.",
    "select": "Choose an option of a drop-down list.",
    "press": "Press a key, or keys together.",
    "scroll": "Scroll the page, or an element into view.",
    "text": "Read the text of the open page, or of one element.",
    "screenshot": "Take a picture of the open page.",
    "program": (
        'Run Python whose functions are the commands: click("Save"), observe() (elements with number, name). '
        "Acts return changes or raise OrynError."
    ),
    "search": "Search the web with a search engine. Not for the open page.",
    "extract": "Fetch web pages by URL and read their main text. Not for the open page.",
    "research": "Search and read several web pages, and report with sources.",
    LINE_TOOL: (
        "Run other commands in order until one fails: back, refresh, wait, hover, drag, upload, fill_form, login, "
        "search, accept_cookies, dismiss, frame, dialog, cookies, eval and more. 'help' lists them, 'help wait' "
        "explains one. "
        'Examples: wait visible "Done"; fill_form {"Name": "Ann"}; check "I agree"; '
        'click 5 near "Total"; tab switch 2'
    ),
}
"""Descriptions for models that see these tools among others."""

_TARGET = "number from observe, text, or css(...)"
_ARGUMENTS: Mapping[tuple[str, str], str] = {
    ("goto", "url"): "address; https if no scheme",
    ("click", "target"): f"element: {_TARGET}",
    ("type", "target"): f"field: {_TARGET}",
    ("select", "target"): f"list: {_TARGET}",
    ("scroll", "target"): f"element: {_TARGET}",
    ("observe", "limit"): "0 for all",
    ("scroll", "direction"): "default: down",
    ("search", "limit"): "default: 10",
    ("text", "target"): f"element: {_TARGET}; default: whole page",
    **dict.fromkeys((("type", "text"), ("search", "query"), ("extract", "urls"), ("research", "topic")), ""),
}
"""Descriptions of arguments in the core listing; empty where the name says it all."""

_LINES: dict[str, Any] = {
    "type": "object",
    "properties": {"lines": {"type": "array", "items": {"type": "string"}}},
    "required": ["lines"],
}
"""The arguments of the tool for lines. It also takes one `line`, as it did when it took no more."""


def mcp_name(name: str) -> str:
    """Return a tool's name for clients of the protocol."""
    return NAMES.get(name, name)


def listing(tool: Tool, *, structured: bool = True) -> ListedTool:
    """Return a tool as the protocol lists it; with the schema of its structured result, if it has one.

    Hints with their default values are left out. By default a tool changes something, perhaps irreversibly, and reaches
    the outside world. A tool that only looks at the browser reaches nothing."""
    hints = ToolAnnotations(
        read_only_hint=True if tool.read_only else None,
        destructive_hint=None if tool.read_only or tool.destructive else False,
        idempotent_hint=True if tool.idempotent and not tool.read_only else None,
        open_world_hint=False if tool.read_only else None,
    )
    name = mcp_name(tool.name)
    return ListedTool(
        name=name,
        title=_title(name),
        description=_DESCRIPTIONS.get(tool.name, tool.description),
        input_schema=_LINES if tool.name == LINE_TOOL else _described(tool),
        output_schema=output_schema(tool) if structured else None,
        annotations=hints if hints.model_dump(exclude_none=True) else None,
    )


def _title(name: str) -> str | None:
    """Return the name as a person reads it; None if that is the name itself."""
    if name == LINE_TOOL:
        return "Run commands"
    return name.replace("_", " ").capitalize().replace("url", "URL") if "_" in name else None


def _described(tool: Tool) -> dict[str, Any]:
    properties = tool.parameters["properties"]
    described = {}
    for name, each in properties.items():
        text = _ARGUMENTS.get((tool.name, name), each.get("description"))
        plain = {key: value for key, value in each.items() if key != "description"}
        described[name] = {**plain, "description": text} if text else plain
    return {**tool.parameters, "properties": described}


def output_schema(tool: Tool) -> dict[str, Any]:
    """Return the schema of a tool's structured result: the JSON form of its answer (`output json`).

    It says what kind of data the result is and no more, as every request of a model has the schemas of all tools;
    `/openapi.json` has them whole."""
    result = None if tool.name == LINE_TOOL else _result_kind(tool)
    return {"type": "object", **({"properties": {"result": result}} if result else {})}


def _result_kind(tool: Tool) -> dict[str, Any] | None:
    """Return the schema of `result` without what is inside; None if there is no one kind."""
    from oryn.language import api_vocabulary

    verb: Verb | None = api_vocabulary().verbs.get(tool.command)
    if verb is None or verb.name == "observe":
        return None
    kinds = [_kind(result_schema(spec)) for spec in verb.commands]
    return kinds[0] if kinds[0] is not None and all(each == kinds[0] for each in kinds) else None


def _kind(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    if "$ref" in schema:
        return {"type": "object"}
    kind = schema.get("type")
    return {"type": kind} if isinstance(kind, str) and kind != "null" else None


def with_hidden_names(offered: Mapping[str, Tool]) -> dict[str, Tool]:
    """Return the tools that a client may call: those it is offered, and each by its verb too."""
    return {**offered, **{tool.name: tool for tool in offered.values()}}


def verb_names(words: Iterable[str]) -> list[str]:
    """Return the names of tools as `oryn.tools` has them."""
    return [VERBS.get(word, word) for word in words]


# --- several lines in one call ---

MAX_LINES = 50
"""Maximum number of lines of one call."""


def is_script(tool: Tool, arguments: Mapping[str, Any] | None) -> bool:
    """Whether a call has several lines."""
    return tool.name == LINE_TOOL and "lines" in (arguments or {})


async def parse_lines(host: McpHost, arguments: Mapping[str, Any]) -> list[Line]:
    """Return all lines of a call, which are parsed before the first one runs. Raises `LanguageError`, whose message
    names the line."""
    lines = arguments["lines"]
    if isinstance(lines, str):  # as some models write a list of one
        lines = lines.split("\n")
    if set(arguments) != {"lines"} or not isinstance(lines, list):
        raise UnexpectedInput("oryn needs lines, and nothing else", 'As {"lines": ["check 4", "click 5"]}.')
    written = [line for line in lines if not isinstance(line, str) or line.strip()]
    if not written:
        raise MissingArgument("there is no line", "'help' lists the commands.")
    if len(written) > MAX_LINES:
        raise InvalidValue(f"{len(written)} lines", f"One call may have {MAX_LINES}.")
    found = []
    for number, line in enumerate(written, 1):
        try:
            found.append(await host.parse_tool_call(LINE_TOOL, {"line": line}))
        except (InvalidValue, MissingArgument, UnexpectedInput) as error:
            raise type(error)(f"line {number}: {error.message}", error.hint) from error
    return found
