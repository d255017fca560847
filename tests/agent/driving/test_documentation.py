"""The page about the protocol is executed: its dialogues, and its program."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from oryn.demo.server import Shop, with_address_of
from scripts.docs.agent_examples import responses, with_current_messages

pytestmark = pytest.mark.browser

PAGE = Path(__file__).parents[3] / "docs" / "spec" / "agent-protocol.md"


@pytest.mark.slow
def test_the_talks_are_what_is_said() -> None:
    text = PAGE.read_text("utf-8")
    assert len(responses(text)) > 8
    command = "python -m scripts.docs.agent_examples docs/spec/agent-protocol.md"
    assert text == with_current_messages(text), f"if that is as it should be, run '{command}'"


def test_the_program_runs() -> None:
    found = re.search(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    heard = []

    async def model(message: str) -> str:
        heard.append(message)
        keyword = re.findall(r"\[END:[^\]]+\]", heard[0])[-1]
        said = (
            "It costs €18."
            if len(heard) > 1
            else '<tool_code>{"action": "open_tool", "name": "plant shop"}</tool_code>'
        )
        return f"{said}\n\n{keyword}"

    with Shop(0) as shop:
        names: dict[str, Any] = {}
        exec(compile(with_address_of(found[1], shop), str(PAGE), "exec"), names)
        answer = asyncio.run(names["run"]("What does a Boston fern cost?", model))
    assert answer == "It costs €18."
    assert "Boston fern €18</a>" in heard[1]
