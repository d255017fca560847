"""The tools of other extensions, which the hub has gathered, for the sessions of the agent that drives this browser.

The user consents to each as for pages: the hub asks in its window, and a call waits for the answer until its time
limit. docs/spec/plugin-protocol.md#agents describes the hub."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from typing import Any

from oryn.browsers.extension.bridge import Bridge
from oryn.core.text_safety import quoted
from oryn.engine.plugin_tools import PluginTool, PluginTools
from oryn.errors import InvalidValue, NameNotFound, OrynError, Timeout, ToolFailed

_NUMBERS = itertools.count(1)
_MISSING = ("TOOL_NOT_FOUND", "NOT_REGISTERED")


class HubTools(PluginTools):
    """The tools of the plugins that have registered with the hub."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    async def all(self) -> Sequence[PluginTool]:
        listed = await self._bridge.call("hub.list")
        return [PluginTool(each["name"], each["description"], each["inputSchema"]) for each in listed]

    async def call(self, name: str, arguments: Any, *, timeout: float) -> Any:
        """Call a tool, once the user has consented. Raises `NameNotFound`, `InvalidValue`, `Timeout`, `ToolFailed`, the
        last one also if the user refuses."""
        if all(each.name != name for each in await self.all()):  # the user is not asked for what there is not
            raise _not_found(name)
        id = f"agent-{next(_NUMBERS)}"
        try:
            async with asyncio.timeout(timeout):
                answer = await self._bridge.call("hub.call", id, name, arguments)
        except (TimeoutError, asyncio.CancelledError) as error:
            await self._bridge.call("hub.cancel", id)
            if isinstance(error, asyncio.CancelledError):
                raise
            raise Timeout(
                f"the tool {quoted(name)} did not answer within {timeout:.1f} s",
                "The user may have to allow it in the extension's window first.",
            ) from None
        if "error" in answer:
            raise _error(name, answer["error"])
        return answer["value"]["result"]


def _not_found(name: str) -> NameNotFound:
    return NameNotFound(f"there is no tool {quoted(name)}", "Run 'tools' to see which there are.")


def _error(name: str, error: dict[str, Any]) -> OrynError:
    """The error for a code of the hub."""
    code, message = str(error["code"]), str(error["message"])
    if code in _MISSING:
        return _not_found(name)
    if code == "INVALID_ARGUMENTS":
        return InvalidValue(f"the tool {quoted(name)} does not take these arguments: {quoted(message)}")
    if code == "TIMEOUT":
        return Timeout(f"the tool {quoted(name)} did not answer: {quoted(message)}")
    return ToolFailed(f"the tool {quoted(name)} failed: {code}, {quoted(message)}")
