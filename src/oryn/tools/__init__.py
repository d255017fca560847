"""The table of commands as tools of models: names, descriptions and JSON Schemas, and back to commands.

    tools("core")                              a few, for every request of a model
    openai(tools())  anthropic(tools())        as those vendors' interfaces want them
    command_of("click", {"target": "Sign in"}) what a model's call means

Everything is read from the table (`oryn.language.doors`), so a command that is added there is a tool. Standard library
and `oryn.language` only.
"""

from __future__ import annotations

from oryn.tools.calling import command_of, line_of
from oryn.tools.table import LINE_TOOL, Tool, tools
from oryn.tools.vendors import anthropic, openai

__all__ = ["LINE_TOOL", "Tool", "anthropic", "command_of", "line_of", "openai", "tools"]
