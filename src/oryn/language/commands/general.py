"""*The rest*: scripts, tools, help, and the host itself."""

from __future__ import annotations

from typing import Any, Literal

from oryn.language.command import Command, argument
from oryn.language.effects import SCRIPT, TOOL
from oryn.language.kinds import COMMAND_NAME, COUNT, JAVASCRIPT, JSON, NAME, PATH, ChoiceKind

__all__ = [
    "Eval",
    "Exit",
    "Help",
    "Output",
    "ScriptAdd",
    "ScriptList",
    "ScriptRemove",
    "ToolCall",
    "Tools",
]

_FAMILY = "The rest"

AnswerFormat = Literal["text", "json"]


class Eval(
    Command,
    path="eval",
    family=_FAMILY,
    acts=True,
    effects=SCRIPT,
    result="Any",
    help="Run JavaScript in the page",
    example='eval "document.title"',
):
    """In the page's own world; the value of the last expression."""

    script: str = argument(JAVASCRIPT, "the script")


class ScriptAdd(
    Command,
    path="script add",
    family=_FAMILY,
    effects=SCRIPT,
    result="ScriptRow",
    help="Run a script before each page's own scripts",
):
    """From a file."""

    path: str = argument(PATH, "the file")


class ScriptList(
    Command,
    path="script list",
    family=_FAMILY,
    result="list[ScriptRow]",
    safe=True,
    reads=True,
    help="List the scripts that run before each page's own",
):
    """With their numbers."""


class ScriptRemove(Command, path="script remove", family=_FAMILY, effects=("script",), help="Remove an added script"):
    """`number` as `script list` shows it."""

    number: int = argument(COUNT, "the script's number in script list")


class Tools(
    Command,
    path="tools",
    family=_FAMILY,
    result="list[ToolRow]",
    safe=True,
    reads=True,
    help="List the tools of the page and of plugins",
):
    """Names, parameters and descriptions; what a page says of its tools is the page's text."""


class ToolCall(
    Command,
    path="tool call",
    family=_FAMILY,
    effects=TOOL,
    result="Any",
    help="Call a tool of the page or of a plugin",
    example='tool call time/now {"zone": "UTC"}',
):
    """`arguments` is JSON data; for a tool of the page, an object. What the tool changes on the page is reported."""

    name: str = argument(NAME, "the tool", source="tools")
    arguments: Any = argument(JSON, "its arguments")


class Help(
    Command,
    path="help",
    family=_FAMILY,
    result="str",
    safe=True,
    reads=True,
    help="List the commands, or explain one",
    example="help click",
):
    """`command` is a verb in lower case, or None for the list."""

    command: str | None = argument(COMMAND_NAME, "the command", default=None, source="commands")


class Exit(
    Command,
    path="exit",
    family=_FAMILY,
    safe=True,
    scope="conversation",
    help="Close all sessions and end the program",
    aliases=("quit",),
    timed=False,
):
    """The one command without a timeout."""


class Output(
    Command, path="output", family=_FAMILY, safe=True, scope="conversation", help="Set the format of later answers"
):
    """Text for agents, or JSON for programs."""

    format: AnswerFormat = argument(ChoiceKind[AnswerFormat]("text", "json"), "the format")
