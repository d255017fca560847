"""The model that makes vectors of texts, for research."""

from __future__ import annotations

from oryn.cli.checks.finding import Found
from oryn.errors import OrynError
from oryn.settings import Configuration


def embedding(configuration: Configuration) -> Found:
    """Reads the model and embeds a text: only that proves that it works here."""
    try:
        from oryn.research.embedding import Embedder
    except ImportError:
        return "ok", "none is needed without the extra research", ""
    folder = configuration.settings.embedding_model
    try:
        Embedder.load(folder).embed(["fern"])
    except OrynError as error:
        return "missing", error.message, error.hint or ""
    return "ok", f"the one in {folder}" if folder else "all-MiniLM-L6-v2, for research", ""
