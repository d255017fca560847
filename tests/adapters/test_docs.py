"""The programs in `docs/adapters.md`: what they import is there, and what they call takes these arguments."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from agents import Agent, ComputerTool, Runner
from anthropic import AsyncAnthropic

PAGE = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text("utf-8")
PROGRAMS = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
NOT_INSTALLED = {"langchain.agents"}
"""Large packages that only an example uses."""


@pytest.mark.parametrize("number", range(3))
def test_what_a_program_imports_is_there(number: int) -> None:
    for node in ast.walk(ast.parse(PROGRAMS[number])):
        if isinstance(node, ast.ImportFrom) and node.module not in NOT_INSTALLED:
            assert node.module and all(hasattr(import_module(node.module), each.name) for each in node.names)


def test_what_the_programs_call_takes_these_arguments() -> None:
    runner = AsyncAnthropic(api_key="none").beta.messages.tool_runner
    assert {"model", "max_tokens", "tools", "messages"} <= set(inspect.signature(runner).parameters)
    assert {"name", "model", "tools", "model_settings"} <= set(inspect.signature(Agent).parameters)
    assert {"starting_agent", "input"} <= set(inspect.signature(Runner.run).parameters)
    assert "computer" in inspect.signature(ComputerTool).parameters
