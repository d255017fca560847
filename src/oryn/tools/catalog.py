"""The catalog of tools: one for each verb of the command table, and one that takes a line. Renders them in two vendors'
formats, which most others have adopted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from oryn.core.records import Record
from oryn.core.suggestions import did_you_mean
from oryn.errors import UnknownCommand
from oryn.language.command import CommandSpec
from oryn.language.lexer import shorten
from oryn.language.vocabulary import Verb, api_vocabulary
from oryn.tools.schema import ACTION, parameters

Listing = Literal["core", "all"]

LINE_TOOL = "oryn"
"""The tool that takes any line of the language."""

CORE: dict[str, tuple[str, ...]] = {
    "goto": ("url",),
    "observe": ("near", "limit"),
    "click": ("target",),
    "type": ("target", "text", "append", "enter"),
    "select": ("target", "choice"),
    "press": ("keys",),
    "scroll": ("direction", "target"),
    "text": ("target",),
    "screenshot": ("fullpage", "annotate"),
    "program": ("text",),
}
"""The tools that nearly every task needs, with the arguments that they list. A schema prevents a model's quoting
mistakes, and a client can allow some tools without confirmation. Every other command is a line for `oryn`, which costs
nothing until it is used. (A tool for lines alone would be a third of the size. But every action would look alike to a
client, and the model would have to learn the language before the first click.)"""

RESEARCH_TOOLS: dict[str, tuple[str, ...]] = {
    "search": ("query", "limit"),
    "extract": ("urls",),
    "research": ("topic",),
}
"""The tools beside `CORE` in a host with research: text with its source, without a click. `--tools Research` lists the
others, and all arguments of these."""

_DROPS = frozenset(("clear", "close", "delete", "discard", "exit", "logout", "remove", "undefine"))
"""Words of commands that remove something permanently, even if no site notices."""

_IDEMPOTENT = frozenset(("check", "clear", "focus", "select", "uncheck", "offline", "headers", "credentials"))
"""Verbs that have the same effect if they run twice."""


class Tool(Record):
    """One tool."""

    name: str
    description: str
    parameters: dict[str, Any]
    """The JSON Schema of its arguments, always of type `object`."""
    read_only: bool = False
    """Whether it only looks at what is there (`CommandSpec.reads`)."""
    destructive: bool = False
    """Whether its effect may be irreversible."""
    idempotent: bool = False
    """Whether running it twice has the same effect as once."""
    command: str = ""
    """Its verb in the API vocabulary, empty for `LINE_TOOL`."""


def tools(which: Listing | Iterable[str] = "core") -> tuple[Tool, ...]:
    """Return the tools of commands.

    which: `core` (a few, with few arguments), `all` (every verb), or names of tools, each with all its arguments.

    Raises `UnknownCommand` if a name is not a tool."""
    if which == "core":
        return (*(_tool(api_vocabulary().verbs[name], only) for name, only in CORE.items()), _line_tool())
    if which == "all":
        return (*(_tool(verb) for verb in _verbs().values()), _line_tool())
    return tuple(_named(name) for name in ([which] if isinstance(which, str) else which))


def research_tools() -> tuple[Tool, ...]:
    """Return the tools of `RESEARCH_TOOLS` with the arguments listed there."""
    return tuple(_tool(api_vocabulary().verbs[name], only) for name, only in RESEARCH_TOOLS.items())


def _named(name: str) -> Tool:
    if name == LINE_TOOL:
        return _line_tool()
    verb = _verbs().get(name)
    if verb is None:
        near = did_you_mean(name, [LINE_TOOL, *_verbs()])
        raise UnknownCommand(f"unknown tool {shorten(name)}", near or "'core' or 'all' are sets.")
    return _tool(verb)


def _verbs() -> dict[str, Verb]:
    """Return the verbs that models may have as tools. Verbs that express a person's decision are left out, because a
    model would confirm its own commands."""
    return {
        name: verb for name, verb in api_vocabulary().verbs.items() if not any(spec.person for spec in verb.commands)
    }


def _tool(verb: Verb, only: Iterable[str] | None = None) -> Tool:
    specs = verb.commands
    read_only = all(spec.reads for spec in specs)
    return Tool(
        name=verb.name,
        description=_description(verb, only),
        parameters=parameters(verb, only),
        read_only=read_only,
        # An intent that is run (`open`) does whatever its steps do.
        destructive=any(not spec.safe or spec.open or not _DROPS.isdisjoint(spec.path) for spec in specs),
        idempotent=read_only or verb.name in _IDEMPOTENT,
        command=verb.name,
    )


def _description(verb: Verb, only: Iterable[str] | None) -> str:
    alone = verb.default or verb.alone
    if len(verb.commands) == 1 or (alone and only is not None and ACTION not in only):
        return f"{(alone or verb.commands[0]).help}."
    return "\n".join(f"{_action_usage(spec, verb)}: {spec.help}." for spec in verb.commands)


def _action_usage(spec: CommandSpec, verb: Verb) -> str:
    """Return the usage of an action and its arguments: `set (name, value)`."""
    words = "|".join(word for word, chosen in verb.chosen.items() if chosen is spec) or f"without {ACTION}"
    taken = [each for each in spec.arguments if not (each.kind.words and set(each.kind.words) <= verb.chosen.keys())]
    names = ", ".join(each.name if each.required else f"[{each.name}]" for each in taken)
    return f"{words} ({names})" if names else words


def _line_tool() -> Tool:
    others = ", ".join(NAMED_COMMANDS)
    return Tool(
        name=LINE_TOOL,
        description=(
            "Run one line of the Intent Language: any other command. Also "
            f"{others}. 'help' lists all, 'help <command>' explains one. "
            'Targets: 5, "Sign in", email, css(".buy"), 5 near "Total". Examples: wait visible "Done"; '
            'login "ann" "pw"; fill_form {"Name": "Ann"}; check "I agree"; tab switch 2'
        ),
        parameters={"type": "object", "properties": {"line": {"type": "string"}}, "required": ["line"]},
        destructive=True,
    )


NAMED_COMMANDS = (
    "back",
    "refresh",
    "search",
    "login",
    "fill_form",
    "accept_cookies",
    "dismiss",
    "check",
    "hover",
    "drag",
    "upload",
    "wait",
    "extract",
    "tabs",
    "frame",
    "dialog",
    "cookies",
    "eval",
)


def openai(listing: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return the field `tools` of OpenAI's chat completions (https://platform.openai.com/docs/guides/function-calling),
    and of every compatible endpoint."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in listing
    ]


def anthropic(listing: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return the field `tools` of Anthropic's messages
    (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use)."""
    return [{"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in listing]
