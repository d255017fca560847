"""`PipelineWorkers`: where the work of a pipeline runs (fetching, extraction, embedding). Pipelines depend only on it.

`oryn.research.workers.local` implements it on this machine, `oryn.research.workers.ray` on a Ray cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from oryn.research.documents import Article, FetchedPage
from oryn.research.fetching.request import PageFetcher

if TYPE_CHECKING:
    from oryn.research.embedding.embedder import Vectors
    from oryn.research.fetching.throttle import CrawlThrottle


class TextEmbedder(Protocol):
    """Turns texts into vectors: `oryn.research.embedding.Embedder`."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The unit vectors of `texts`, one row each in the same order: `(n, dimensions)` of `float32`."""


class PipelineWorkers(PageFetcher, Protocol):
    """Every method may be called many times at once. All raise `ResearchError`s only."""

    async def article(self, page: FetchedPage) -> Article:
        """Extract the article of a page. Raises `NoText` if it has no text, `NeedsBrowser` if only its scripts would
        bring the text, and `ExtractionFailed` if it can't be parsed or takes too long."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """The unit vectors of `texts`, one row each in the same order: `(n, dimensions)` of
        `float32`."""

    async def throttle(self, delay: float, per_host: int) -> CrawlThrottle | None:
        """The throttle that all crawls with these workers share, for `delay` seconds between two requests to a host and
        `per_host` requests to it at once; None if each crawl creates its own."""

    async def close(self) -> None:
        """End the processes, threads and actors. No other call may be running."""
