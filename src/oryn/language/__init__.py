"""The Intent Language: raw text ─▶ canonical text ─▶ command, or an error. Standard library only, no I/O.

`parse` makes a `Line` of a raw line, with a `Command` of the table (`COMMANDS`) whose class says everything about it:
the parser, `render`, `help_text`, `command_json` and the reference page all read the same declarations.
The stages are the files: tokens → grammar (to a tree) → meaning (to a command, checked); render goes back.
"""

from __future__ import annotations

from oryn.language.command import MASK, VAULT_REFERENCE, Command, CommandSpec, TargetCommand, dots, of_entry
from oryn.language.commands import COMMANDS
from oryn.language.commands.acting import *  # noqa: F403
from oryn.language.commands.device import *  # noqa: F403
from oryn.language.commands.general import *  # noqa: F403
from oryn.language.commands.intents import *  # noqa: F403
from oryn.language.commands.looking import *  # noqa: F403
from oryn.language.commands.moving import *  # noqa: F403
from oryn.language.commands.network import *  # noqa: F403
from oryn.language.commands.recording import *  # noqa: F403
from oryn.language.commands.state import *  # noqa: F403
from oryn.language.commands.tabs import *  # noqa: F403
from oryn.language.commands.waiting import *  # noqa: F403
from oryn.language.help import help_text
from oryn.language.json_form import command_json, parse_output
from oryn.language.line import Line, ScriptLine, normalize, parse, parse_script, render
from oryn.language.meaning import check
from oryn.language.script import begins_definition
from oryn.language.strings import quote
from oryn.language.targets import (
    RELATIONS,
    ROLES,
    Css,
    Id,
    Point,
    Reference,
    Related,
    Relation,
    Role,
    RoleName,
    Target,
    Text,
    XPath,
    target_json,
)
from oryn.language.urls import is_relative, resolve_url
from oryn.language.usage import usage_of as usage
from oryn.language.vocabulary import doors, verb_names

__all__ = [
    "COMMANDS",
    "MASK",
    "RELATIONS",
    "ROLES",
    "VAULT_REFERENCE",
    "Command",
    "CommandSpec",
    "Css",
    "Id",
    "Line",
    "Point",
    "Reference",
    "Related",
    "Relation",
    "Role",
    "RoleName",
    "ScriptLine",
    "Target",
    "TargetCommand",
    "Text",
    "XPath",
    "begins_definition",
    "check",
    "command_json",
    "doors",
    "dots",
    "help_text",
    "is_relative",
    "normalize",
    "of_entry",
    "parse",
    "parse_output",
    "parse_script",
    "quote",
    "render",
    "resolve_url",
    "target_json",
    "usage",
    "verb_names",
]
__all__ += [command.__name__ for command in COMMANDS]
