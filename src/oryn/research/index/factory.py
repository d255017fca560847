"""Creates the index of a folder or of a server's address."""

from __future__ import annotations

from pathlib import Path

from oryn.research.index.interface import Index


def open_index(location: Path | str, *, api_key: str | None = None) -> Index:
    """The index at `location`: the address of a Qdrant server (`http://…`, `https://…`), or a folder. Nothing is opened
    before the first call. Raises `NotSupported` if the extra that it needs is not installed."""
    if isinstance(location, str) and location.startswith(("http://", "https://")):
        from oryn.research.index.server import ServerIndex

        return ServerIndex(location, api_key=api_key)
    from oryn.research.index.local import EmbeddedIndex

    return EmbeddedIndex(location)
