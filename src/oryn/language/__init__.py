"""The Intent Language: raw text → canonical text → command, or an error. Standard library only, no I/O.

`parse` turns a raw line into a `Line` with a `Command` of the table (`COMMANDS`). The command's class declares
everything about it: the parser, `render`, `help_text`, `command_json` and the reference page all read the same
declarations.

The modules are the stages: a lexer (`tokens.LineLexer` for a raw line, `argv.ArgvLexer` for the words of a command
line) → `parser` (syntax tree, then checked command). `render` is the inverse."""

from __future__ import annotations

from oryn.language.command import (
    MASK,
    VAULT_REFERENCE,
    Command,
    CommandSpec,
    TargetCommand,
    mask_secret,
    with_vault_field,
)
from oryn.language.commands import COMMANDS
from oryn.language.commands.audits import *  # noqa: F403
from oryn.language.commands.device import *  # noqa: F403
from oryn.language.commands.general import *  # noqa: F403
from oryn.language.commands.intents import *  # noqa: F403
from oryn.language.commands.interaction import *  # noqa: F403
from oryn.language.commands.mouse import *  # noqa: F403
from oryn.language.commands.navigation import *  # noqa: F403
from oryn.language.commands.network import *  # noqa: F403
from oryn.language.commands.notes import *  # noqa: F403
from oryn.language.commands.observation import *  # noqa: F403
from oryn.language.commands.recording import *  # noqa: F403
from oryn.language.commands.state import *  # noqa: F403
from oryn.language.commands.tabs import *  # noqa: F403
from oryn.language.commands.waits import *  # noqa: F403
from oryn.language.help import help_text, usage
from oryn.language.json_codec import command_json, parse_output
from oryn.language.kinds.targets import target_of_text
from oryn.language.kinds.text import is_relative, resolve_url
from oryn.language.lexer import quote
from oryn.language.line import Line, ScriptLine, begins_definition, normalize, parse, parse_script, render
from oryn.language.parser import check_conflicts
from oryn.language.targets import (
    RELATIONS,
    ROLES,
    CssTarget,
    IdTarget,
    KindTarget,
    PatternTarget,
    PointTarget,
    ReferenceTarget,
    RelatedTarget,
    Relation,
    RoleName,
    RoleTarget,
    SimpleTarget,
    SourceTarget,
    Target,
    TargetData,
    TextTarget,
    XPathTarget,
    is_kind,
    is_selector,
    target_json,
)
from oryn.language.vocabulary import api_vocabulary, verb_names

__all__ = [
    "COMMANDS",
    "MASK",
    "RELATIONS",
    "ROLES",
    "VAULT_REFERENCE",
    "Command",
    "CommandSpec",
    "CssTarget",
    "IdTarget",
    "KindTarget",
    "Line",
    "PatternTarget",
    "PointTarget",
    "ReferenceTarget",
    "RelatedTarget",
    "Relation",
    "RoleName",
    "RoleTarget",
    "ScriptLine",
    "SimpleTarget",
    "SourceTarget",
    "Target",
    "TargetCommand",
    "TargetData",
    "TextTarget",
    "XPathTarget",
    "api_vocabulary",
    "begins_definition",
    "check_conflicts",
    "command_json",
    "help_text",
    "is_kind",
    "is_relative",
    "is_selector",
    "mask_secret",
    "normalize",
    "parse",
    "parse_output",
    "parse_script",
    "quote",
    "render",
    "resolve_url",
    "target_json",
    "target_of_text",
    "usage",
    "verb_names",
    "with_vault_field",
]
__all__ += [command.__name__ for command in COMMANDS]
