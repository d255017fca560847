"""Writes the results of a crawl to a collection: articles → passages → vectors → index, as a streaming dataset.

Only the index is in this process; splitting and embedding run wherever the cluster has room. No process holds the
whole collection. https://docs.ray.io/en/latest/data/data-internals.html"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.research.documents import Passage
from oryn.research.options import ResearchOptions
from oryn.research.workers.ray import cluster
from oryn.research.workers.ray.cluster import map_ray_errors

if TYPE_CHECKING:
    import numpy as np

    from oryn.research.embedding.model import ModelFiles
    from oryn.research.index import Index

    Columns = dict[str, np.ndarray[Any, Any]]

SPLIT_BATCH_PAGES = 16
"""Pages that are split at a time."""
BATCH_PASSAGES = 256
"""Passages that are embedded, and written to the index, at a time."""


async def index_crawl(
    files: Sequence[Path | str],
    *,
    index: Index,
    collection: str,
    options: ResearchOptions = ResearchOptions(),  # noqa: B008 - frozen
) -> int:
    """Write the pages in files of JSON lines that `oryn crawl` has written to `collection`; returns the number of
    passages. Every machine of the cluster must be able to read the files: in a shared folder, or `s3://…`.

    Raises `NotSupported` if Ray is not installed, `ClusterFailed`, and what `Index.upsert` does."""
    await asyncio.to_thread(cluster.join, options.ray_address)
    try:
        model = await asyncio.to_thread(_model, options)
        batches = _batches([str(file) for file in files], options)
        done = 0
        while (batch := await asyncio.to_thread(_next, batches)) is not None:
            passages = [Passage(**json.loads(text)) for text in batch["passage"]]
            await index.upsert(collection, passages, _matrix(batch["vector"]), model=model.hash)
            done += len(passages)
        return done
    finally:
        await asyncio.to_thread(cluster.leave)


def _model(options: ResearchOptions) -> ModelFiles:
    from oryn.research.embedding.model import model_in_folder, packaged_model

    return packaged_model() if options.embedding_model is None else model_in_folder(options.embedding_model)


def _next(batches: Iterator[Columns]) -> Columns | None:
    with map_ray_errors("embedding a crawl"):
        return next(batches, None)


def _batches(files: list[str], options: ResearchOptions) -> Iterator[Columns]:
    import ray

    # Ray's dashboard shows the progress.
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    lines = ray.data.read_text(files, drop_empty_lines=True)
    cut = lines.map_batches(
        PassageSplitter,
        fn_constructor_args=(options,),
        batch_size=SPLIT_BATCH_PAGES,
        num_cpus=0.5,
        compute=_actors(cluster.machines()),
    )
    embedded = cut.map_batches(
        PassageEmbedder,
        fn_constructor_args=(options,),
        batch_size=BATCH_PASSAGES,
        num_cpus=0.5,
        compute=_actors(cluster.machines()),
    )
    yield from embedded.iter_batches(batch_size=BATCH_PASSAGES, batch_format="numpy")


def _actors(count: int) -> Any:
    import ray

    return ray.data.ActorPoolStrategy(size=count)


def _matrix(vectors: Any) -> Any:
    import numpy as np

    return np.stack(list(vectors)).astype(np.float32, copy=False)


class PassageSplitter:
    """Splits the articles in lines of a crawl into passages; pages that failed are skipped. It only loads the tokenizer
    of the model."""

    def __init__(self, options: ResearchOptions) -> None:
        from oryn.research.embedding.model import TextTokenizer

        model = _model(options)
        self._limit = model.limit
        self._tokens = TextTokenizer(model.tokenizer, model.place)

    def __call__(self, batch: Columns) -> Columns:
        import numpy as np

        found = [json.dumps(passage.form()) for line in batch["text"] for passage in self._passages(line)]
        return {"passage": np.array(found, dtype=object)}

    def _passages(self, line: str) -> list[Passage]:
        from oryn.research.crawling import CrawlResult
        from oryn.research.passages.splitter import passages

        article = CrawlResult.read(json.loads(line)).article
        return passages(article, count=self._tokens.count, limit=self._limit) if article else []


class PassageEmbedder:
    """Adds the vectors of passages."""

    def __init__(self, options: ResearchOptions) -> None:
        from oryn.research.embedding import Embedder

        self._embedder = Embedder.load(options.embedding_model)

    def __call__(self, batch: Columns) -> Columns:
        texts = [json.loads(text)["text"] for text in batch["passage"]]
        return {"passage": batch["passage"], "vector": self._embedder.embed(texts)}
