"""Tools written in Python that sessions offer to agents: `tools`, `tool call clock::now {"zone": "UTC"}`.

    # my_clock.py
    from oryn.plugins import Plugin

    plugin = Plugin("clock")

    @plugin.tool(read_only=True)
    def now(zone: str = "UTC") -> str:
        "The time in a zone of the tz database."
        return datetime.now(ZoneInfo(zone)).isoformat()

    # pyproject.toml
    [project.entry-points."oryn.plugins"]
    clock = "my_clock:plugin"

A plugin runs in Oryn's process, with the rights of the user who installed it. Its tools are named `<plugin>::<tool>`
(docs/spec/plugin-protocol.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oryn.plugins.plugin import Plugin

__all__ = ["Plugin"]


def __getattr__(name: str) -> Any:
    """Import `Plugin` when it is used: a host imports this package before its first answer."""
    if name == "Plugin":
        from oryn.plugins.plugin import Plugin

        return Plugin
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
