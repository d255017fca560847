"""The read-only library of the intents and packs that come with Oryn. Intents that a session defines are not saved."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from oryn.engine.definitions.model import Definition
from oryn.errors import NotSupported
from oryn.intents import FileIntentLibrary

_NO_FOLDER = Path("/nowhere")


class ShippedLibrary(FileIntentLibrary):
    """The library of the extension, without a folder of the user's."""

    def __init__(self) -> None:
        super().__init__(_NO_FOLDER, _NO_FOLDER)

    def save(self, definition: Definition) -> str:
        """Raises `NotSupported`: the browser has no folder for it."""
        raise NotSupported(hint="'export' shows it: keep it where the server is.")


@cache
def shipped_library() -> ShippedLibrary:
    """The library of the worker."""
    return ShippedLibrary()
