"""Which index a place means."""

from __future__ import annotations

from pathlib import Path

from oryn.research.index.interface import Index


def open_index(place: Path | str, *, api_key: str | None = None) -> Index:
    """The index at `place`: the address of a Qdrant server (`http://…`, `https://…`), or a folder. Nothing is opened
    before the first call. Raises `NotSupported` when the extra that it needs is not installed."""
    if isinstance(place, str) and place.startswith(("http://", "https://")):
        from oryn.research.index.server import ServerIndex

        return ServerIndex(place, api_key=api_key)
    from oryn.research.index.embedded import EmbeddedIndex

    return EmbeddedIndex(place)
