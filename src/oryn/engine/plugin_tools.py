"""The tools of plugins, as a session has them from its host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oryn.core.records import Record
from oryn.core.text_safety import quoted
from oryn.errors import NameNotFound


class PluginTool(Record):
    """One tool of a plugin. `name` is `plugin::tool`; `parameters` is the JSON Schema of its arguments; `read_only`:
    it changes nothing."""

    name: str
    description: str
    parameters: dict[str, Any]
    read_only: bool = False


class PluginTools:
    """The tools of a session. This class has no tools; a host with plugins gives its sessions a subclass."""

    async def all(self) -> Sequence[PluginTool]:
        """Return every tool that `call` accepts."""
        return ()

    async def call(self, name: str, arguments: Any, *, timeout: float) -> Any:
        """Return the tool's result as JSON data. `timeout` is in seconds. Raises `NameNotFound`, and the tool's own
        errors."""
        raise NameNotFound(f"there is no tool {quoted(name)}", "Run 'tools' to see which there are.")
