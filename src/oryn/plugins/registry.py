"""`InstalledPlugins`: the tools of the plugins that are installed beside Oryn, found by their entry points.

https://packaging.python.org/en/latest/specifications/entry-points/"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import quoted
from oryn.engine.plugin_tools import PluginTool, PluginTools
from oryn.errors import InvalidValue, NameNotFound, OrynError, Timeout, ToolFailed

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from oryn.plugins.plugin import Plugin, PythonTool

GROUP = "oryn.plugins"
MAX_RESULT_CHARACTERS = 1_000_000
"""The longest result of a tool, as JSON text."""


class PluginFailure(Exception):
    """Why an installed plugin can't be used."""


def entry_points() -> Iterable[EntryPoint]:
    """The entry points of the installed plugins."""
    from importlib import metadata  # imported late, because it is slow

    return metadata.entry_points(group=GROUP)


def load_plugin(entry: EntryPoint) -> Plugin:
    """Import the plugin of an entry point. Raises `PluginFailure`, whatever the plugin's code raises."""
    from oryn.plugins.plugin import Plugin

    try:
        plugin = entry.load()
    except Exception as error:  # any code of others
        raise PluginFailure(f"{entry.value} can't be imported: {type(error).__name__}: {error}") from error
    if not isinstance(plugin, Plugin):
        raise PluginFailure(f"{entry.value} is a {type(plugin).__name__}, not a Plugin")
    return plugin


class InstalledPlugins(PluginTools):
    """The tools of all installed plugins. They are imported when a session first lists or calls tools.

    find: returns the entry points (default: those of the installed packages)."""

    def __init__(self, find: Callable[[], Iterable[EntryPoint]] = entry_points) -> None:
        self._find = find
        self._tools: dict[str, PythonTool] | None = None
        self._checks: dict[str, Callable[[Any], Any]] = {}

    async def all(self) -> Sequence[PluginTool]:
        return [
            PluginTool(name, tool.description, tool.parameters, tool.read_only)
            for name, tool in (await self._load()).items()
        ]

    async def call(self, name: str, arguments: Any, *, timeout: float) -> Any:
        """Call a tool with checked arguments, and return its result as JSON data.

        Raises `NameNotFound`, `InvalidValue` for arguments that its schema does not allow, `Timeout`, `ToolFailed`."""
        tool = (await self._load()).get(name)
        if tool is None:
            raise NameNotFound(f"there is no tool {quoted(name)}", "Run 'tools' to see which there are.")
        self._check(name, tool, arguments)
        try:
            async with asyncio.timeout(timeout):
                value = await _run(tool.function, arguments)
        except TimeoutError:
            raise Timeout(f"the tool {quoted(name)} did not answer within {timeout:.1f} s") from None
        return _json_data(name, value)

    async def _load(self) -> dict[str, PythonTool]:
        if self._tools is None:
            # In a thread: importing a plugin may take long.
            self._tools = await asyncio.to_thread(self._import_all)
        return self._tools

    def _import_all(self) -> dict[str, PythonTool]:
        import logging

        tools: dict[str, PythonTool] = {}
        for entry in self._find():
            try:
                plugin = load_plugin(entry)
            except PluginFailure as failure:
                logging.getLogger(__name__).warning("plugin %s: %s", entry.name, failure)
                continue
            for tool in plugin.tools.values():
                tools.setdefault(f"{plugin.id}::{tool.name}", tool)
        return tools

    def _check(self, name: str, tool: PythonTool, arguments: Any) -> None:
        import fastjsonschema

        if not isinstance(arguments, dict):
            raise InvalidValue("the arguments of a tool are a JSON object", "Write {} for none.")
        try:
            if name not in self._checks:
                self._checks[name] = fastjsonschema.compile(tool.parameters, use_default=False)
            self._checks[name](arguments)
        except fastjsonschema.JsonSchemaValueException as error:
            raise InvalidValue(
                f"the arguments of {quoted(name)} are not allowed: {error.message}", "'tools' shows its parameters."
            ) from None
        except fastjsonschema.JsonSchemaDefinitionException as error:
            raise ToolFailed(f"the schema of the tool {quoted(name)} is invalid: {error}") from None


async def _run(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a tool's function. Raises `ToolFailed` for what it raises."""
    try:
        if inspect.iscoroutinefunction(function):
            return await function(**arguments)
        return await asyncio.to_thread(function, **arguments)
    except (OrynError, asyncio.CancelledError):
        raise
    except Exception as error:  # any code of others
        import logging

        logging.getLogger(__name__).warning("a tool failed", exc_info=error)
        raise ToolFailed(f"the tool failed: {type(error).__name__}: {error}") from None


def _json_data(name: str, value: Any) -> Any:
    """Return a result as JSON data. Raises `ToolFailed` if it is none, or too long."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolFailed(f"the tool {quoted(name)} returned data that is not JSON: {error}") from None
    if len(text) > MAX_RESULT_CHARACTERS:
        raise ToolFailed(f"the tool {quoted(name)} returned {len(text)} characters, more than {MAX_RESULT_CHARACTERS}")
    return json.loads(text)
