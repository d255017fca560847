"""Tools in the shapes of two vendors' interfaces, which most others have taken over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from oryn.tools.table import Tool


def openai(offered: Iterable[Tool]) -> list[dict[str, Any]]:
    """For `tools` of OpenAI's chat completions (https://platform.openai.com/docs/guides/function-calling), and of every
    endpoint that is compatible with it."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in offered
    ]


def anthropic(offered: Iterable[Tool]) -> list[dict[str, Any]]:
    """For `tools` of Anthropic's messages (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use)."""
    return [{"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in offered]
