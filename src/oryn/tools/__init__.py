"""The table of commands as tools of models: names, descriptions and JSON Schemas, and back to commands.

    tools("core")                              a few, for every request of a model
    openai(tools())  anthropic(tools())        in the format of those vendors' interfaces
    command_of("click", {"target": "Sign in"}) the command of a model's call

All tools are derived from the table (`oryn.language.api_vocabulary`), so a command that is added there is a tool.
Standard library and `oryn.language` only."""

from __future__ import annotations

from oryn.tools.calls import command_of, line_of
from oryn.tools.catalog import LINE_TOOL, Tool, anthropic, openai, tools

__all__ = ["LINE_TOOL", "Tool", "anthropic", "command_of", "line_of", "openai", "tools"]
