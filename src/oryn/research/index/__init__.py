"""The index of passages: found by meaning and by words, in this process or on a server (docs/research.md#index)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.research.index.factory import open_index
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
