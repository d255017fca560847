"""The base of the generated classes: what their methods are given, and how they run a command."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from oryn.client.result import Result

Target = int | str | Mapping[str, Any]
"""An element: its number, a target of the language (`"@e5"`, `"email"`, `'css(".buy")'`, `'"Save" near "Total"'`), or
a tagged object (`{"css": ".buy"}`). Any other text is that of the element, and so is `{"text": …}` always."""

Duration = float | str
"""Seconds, or a duration of the language: `"500ms"`."""

FilePath = str | os.PathLike[str]


class CommandCaller:
    """Base of the classes with the methods of commands, for a client without `await`ed calls of its own."""

    async def _call(self, action: str, arguments: Mapping[str, Any]) -> Result[Any]:
        """Run the command of this name in the API vocabulary. Arguments that are None or False count as absent.

        Raises the command's error, unless the client was asked not to."""
        raise NotImplementedError


class SyncCommandCaller:
    """The same for programs without an event loop."""

    def _call(self, action: str, arguments: Mapping[str, Any]) -> Result[Any]:
        """As `CommandCaller._call`."""
        raise NotImplementedError
