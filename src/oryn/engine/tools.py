"""Tools that plugins offer to a session; a host that has plugins gives its sessions a `Tools` of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oryn.engine.escape import quoted
from oryn.errors import NameNotFound
from oryn.records import Record


class Tool(Record):
    """One tool. `name` is `plugin/tool`; `parameters` is the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


class Tools:
    """As it stands here, there are none."""

    async def all(self) -> Sequence[Tool]:
        return ()

    async def call(self, name: str, arguments: Any, *, timeout: float) -> Any:
        """The tool's result as JSON data. Raises `NameNotFound`, and what the tool raises."""
        raise NameNotFound(f"there is no tool {quoted(name)}", "Run 'tools' to see which there are.")
