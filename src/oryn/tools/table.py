"""The tools: one for each verb of the table, and one that takes a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from oryn.errors import UnknownCommand
from oryn.language.command import CommandSpec
from oryn.language.strings import shorten
from oryn.language.suggestions import did_you_mean
from oryn.language.vocabulary import Verb, doors
from oryn.records import Record
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
}
"""What nearly every task needs, as tools of their own with the arguments that are asked for: a schema keeps models from
mistakes of quoting, and a client can let some of them pass without asking a person. All else is a line for `oryn`,
which costs nothing until it is used. (A tool for lines alone would be a third of the size, but then every act looks
alike to a client, and the language must be learnt before the first click.)"""

READING: dict[str, tuple[str, ...]] = {"search": ("query", "limit"), "extract": ("urls",), "research": ("topic",)}
"""What is offered besides `CORE` where a host has research: text with its source, without a click. `--tools Research`
has the others, and all that these take."""

_DROPS = frozenset(("clear", "close", "delete", "discard", "exit", "logout", "remove", "undefine"))
"""Words of commands that take something away which does not come back by itself, though no site notices."""

_IDEMPOTENT = frozenset(("check", "clear", "focus", "select", "uncheck", "offline", "headers", "credentials"))
"""Verbs that leave the same when they are said twice."""


class Tool(Record):
    """One tool. `parameters` is the JSON Schema of its arguments, an object's; `command` is the verb that it stands for
    at doors, empty for `LINE_TOOL`. `read_only`: it only looks and moves, and is not there to write a file;
    `destructive`: what it does may not be undone; `idempotent`: twice is as once."""

    name: str
    description: str
    parameters: dict[str, Any]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    command: str = ""


def tools(which: Listing | Iterable[str] = "core") -> tuple[Tool, ...]:
    """`core` (a few, compact), `all` (every verb of the table), or those with these names, each with all it takes.
    Raises `UnknownCommand`."""
    if which == "core":
        return (*(_tool(doors().verbs[name], only) for name, only in CORE.items()), _line_tool())
    if which == "all":
        return (*(_tool(verb) for verb in _verbs().values()), _line_tool())
    return tuple(_named(name) for name in ([which] if isinstance(which, str) else which))


def reading() -> tuple[Tool, ...]:
    """The tools of `READING`, compact."""
    return tuple(_tool(doors().verbs[name], only) for name, only in READING.items())


def _named(name: str) -> Tool:
    if name == LINE_TOOL:
        return _line_tool()
    verb = _verbs().get(name)
    if verb is None:
        near = did_you_mean(name, [LINE_TOOL, *_verbs()])
        raise UnknownCommand(f"unknown tool {shorten(name)}", near or "'core' or 'all' are sets.")
    return _tool(verb)


def _verbs() -> dict[str, Verb]:
    """Those that a model is given. It gets no tool for a person's word: it would confirm itself."""
    return {name: verb for name, verb in doors().verbs.items() if not any(spec.person for spec in verb.commands)}


def _tool(verb: Verb, only: Iterable[str] | None = None) -> Tool:
    specs = verb.commands
    # An intent that is run (`open`) does whatever its steps do.
    read_only = all(spec.safe and not (_drops(spec) or _writes(spec) or spec.open) for spec in specs)
    return Tool(
        name=verb.name,
        description=_description(verb, only),
        parameters=parameters(verb, only),
        read_only=read_only,
        destructive=not read_only and any(not spec.safe or _drops(spec) or spec.open for spec in specs),
        idempotent=read_only or verb.name in _IDEMPOTENT,
        command=verb.name,
    )


def _drops(spec: CommandSpec) -> bool:
    return any(word in _DROPS for word in spec.path)


def _writes(spec: CommandSpec) -> bool:
    """Whether it is there to write a file."""
    return any(argument.kind.label == "<path>" for argument in spec.arguments)


def _description(verb: Verb, only: Iterable[str] | None) -> str:
    alone = verb.default or verb.alone
    if len(verb.commands) == 1 or (alone and only is not None and ACTION not in only):
        return f"{(alone or verb.commands[0]).help}."
    return "\n".join(f"{_said(spec, verb)}: {spec.help}." for spec in verb.commands)


def _said(spec: CommandSpec, verb: Verb) -> str:
    """Which action, and what it needs: `set (name, value)`."""
    words = "|".join(word for word, chosen in verb.chosen.items() if chosen is spec) or f"without {ACTION}"
    taken = [each for each in spec.arguments if not (each.kind.words and set(each.kind.words) <= verb.chosen.keys())]
    names = ", ".join(each.name if each.required else f"[{each.name}]" for each in taken)
    return f"{words} ({names})" if names else words


def _line_tool() -> Tool:
    others = ", ".join(WORTH_NAMING)
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


WORTH_NAMING = (
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
