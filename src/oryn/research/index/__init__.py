"""The index of passages: found by meaning and by words, in this process or on a server (docs/research.md#index)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.research.index.interface import Collection, Index, Mode

if TYPE_CHECKING:
    from oryn.research.index.local import EmbeddedIndex
    from oryn.research.index.server import ServerIndex

__all__ = ["Collection", "EmbeddedIndex", "Index", "Mode", "ServerIndex", "open_index"]


def __getattr__(name: str) -> Any:
    """The implementations, imported on first access: each needs an engine of its own."""
    if name == "EmbeddedIndex":
        from oryn.research.index.local import EmbeddedIndex

        return EmbeddedIndex
    if name == "ServerIndex":
        from oryn.research.index.server import ServerIndex

        return ServerIndex
    raise AttributeError(name)


def open_index(location: Path | str, *, api_key: str | None = None) -> Index:
    """The index at `location`: the address of a Qdrant server (`http://…`, `https://…`), or a folder. Nothing is opened
    before the first call. Raises `NotSupported` if the extra that it needs is not installed."""
    if isinstance(location, str) and location.startswith(("http://", "https://")):
        from oryn.research.index.server import ServerIndex

        return ServerIndex(location, api_key=api_key)
    from oryn.research.index.local import EmbeddedIndex

    return EmbeddedIndex(location)
