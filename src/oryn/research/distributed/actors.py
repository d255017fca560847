"""What runs elsewhere: classes and functions that Ray makes actors and tasks of (`workers`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.research.documents import Article, Page
from oryn.research.options import ResearchOptions

if TYPE_CHECKING:
    from oryn.research.workers import Vectors


class FetchActor:
    """A fetcher with the page cache of its machine."""

    def __init__(self, options: ResearchOptions) -> None:
        from oryn.research.parts import Parts

        self._parts = Parts(options)

    async def fetch(self, url: str, fresh: bool, conditional: bool, follow: bool) -> Page:
        fetcher = await self._parts.fetcher()
        return await fetcher.fetch(url, fresh=fresh, conditional=conditional, follow=follow)


class EmbedActor:
    """The embedding model, loaded once."""

    def __init__(self, model: Path | None) -> None:
        from oryn.research.embedding import Embedder

        self._embedder = Embedder.load(model)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed(texts)


def read_page(page: Page) -> Article:
    """A task: what the page says."""
    from oryn.research.extracting import read

    return read(page)
