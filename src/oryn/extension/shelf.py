"""The intents and packs of a browser: those that come with Oryn. What a session defines itself it keeps to itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from oryn.engine.intents.own.definition import Definition
from oryn.errors import NotSupported
from oryn.intents import FileLibrary

_NOWHERE = Path("/nowhere")


class ShippedLibrary(FileLibrary):
    def __init__(self) -> None:
        super().__init__(_NOWHERE, _NOWHERE)

    def save(self, definition: Definition) -> str:
        """The browser has no folder of its user's. Raises `NotSupported`."""
        raise NotSupported(hint="'export' shows it: keep it where the server is.")


@cache
def shipped_library() -> ShippedLibrary:
    """The one of the worker."""
    return ShippedLibrary()
