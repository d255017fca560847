"""The index of passages: found by meaning and by words, in this process or on a server; seed 004, "Storage Layer"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.research.index.interface import Collection, Index, Mode
from oryn.research.index.opening import open_index

if TYPE_CHECKING:
    from oryn.research.index.embedded import EmbeddedIndex
    from oryn.research.index.server import ServerIndex

__all__ = ["Collection", "EmbeddedIndex", "Index", "Mode", "ServerIndex", "open_index"]


def __getattr__(name: str) -> Any:
    """Those who keep an index, imported when they are asked for: each needs an engine of its own."""
    if name == "EmbeddedIndex":
        from oryn.research.index.embedded import EmbeddedIndex

        return EmbeddedIndex
    if name == "ServerIndex":
        from oryn.research.index.server import ServerIndex

        return ServerIndex
    raise AttributeError(name)
