"""`tools` and `tool call`: with no plugin there is none; a host may give a session some."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from oryn.engine.plugin_tools import PluginTool, PluginTools


class Clock(PluginTools):
    async def all(self) -> Sequence[PluginTool]:
        return [PluginTool("clock/now", 'The time "here"', {"type": "object"})]

    async def call(self, name: str, arguments: Any, *, timeout: float) -> Any:
        assert timeout > 0
        return {"name": name, "zone": arguments["zone"]} if name == "clock/now" else await super().call(
            name, arguments, timeout=timeout
        )  # fmt: skip


async def test_without_plugins_there_are_none(oryn: Any) -> None:
    assert await oryn("tools") == "ok tools"
    assert await oryn('tool call clock/now {"zone": "UTC"}') == (
        'error tool call clock/now "{\\"zone\\": \\"UTC\\"}": there is no tool "clock/now"\n\n'
        "# hint\nRun 'tools' to see which there are."
    )


async def test_a_plugins_tools(oryn: Any) -> None:
    oryn.session.tools = Clock()
    assert await oryn("tools") == 'ok tools\n\nclock/now "The time \\"here\\""'
    answer = await oryn('tool call clock/now {"zone": "UTC"}')
    assert json.loads(answer.split("\n\n")[1].replace("| ", "")) == {"name": "clock/now", "zone": "UTC"}
    assert "there is no tool" in await oryn('tool call clock/then {"zone": "UTC"}')
