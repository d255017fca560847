"""What a crawl has written becomes a collection: articles → passages → vectors → index, as a dataset that streams.

Only the index is here; cutting and embedding are wherever the cluster has room. Nothing holds the whole collection.
https://docs.ray.io/en/latest/data/data-internals.html
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.research.distributed import cluster
from oryn.research.distributed.failures import mapped
from oryn.research.documents import Passage
from oryn.research.options import ResearchOptions

if TYPE_CHECKING:
    import numpy as np

    from oryn.research.embedding.files import ModelFiles
    from oryn.research.index import Index

    Columns = dict[str, np.ndarray[Any, Any]]

LINES = 16
"""Pages that are cut at a time."""
BATCH = 256
"""Passages that are embedded, and put into the index, at a time."""


async def index_crawl(
    files: Sequence[Path | str],
    *,
    index: Index,
    collection: str,
    options: ResearchOptions = ResearchOptions(),  # noqa: B008 - frozen
) -> int:
    """Put the pages of JSON lines that `oryn crawl` has written into `collection`; how many passages they are. The
    files must be where every machine of the cluster finds them: a folder that they share, or `s3://…`.

    Raises `NotSupported` where Ray is not installed, `ClusterFailed`, and what `Index.upsert` does."""
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
    from oryn.research.embedding.files import in_folder, packaged

    return packaged() if options.embedding_model is None else in_folder(options.embedding_model)


def _next(batches: Iterator[Columns]) -> Columns | None:
    with mapped("embedding a crawl"):
        return next(batches, None)


def _batches(files: list[str], options: ResearchOptions) -> Iterator[Columns]:
    import ray

    # Whoever wants to see how far it is looks at Ray's dashboard.
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    lines = ray.data.read_text(files, drop_empty_lines=True)
    cut = lines.map_batches(
        Cutting, fn_constructor_args=(options,), batch_size=LINES, num_cpus=0.5, compute=_actors(cluster.machines())
    )
    embedded = cut.map_batches(
        Embedding, fn_constructor_args=(options,), batch_size=BATCH, num_cpus=0.5, compute=_actors(cluster.machines())
    )
    yield from embedded.iter_batches(batch_size=BATCH, batch_format="numpy")


def _actors(count: int) -> Any:
    import ray

    return ray.data.ActorPoolStrategy(size=count)


def _matrix(vectors: Any) -> Any:
    import numpy as np

    return np.stack(list(vectors)).astype(np.float32, copy=False)


class Cutting:
    """Lines of a crawl become passages; pages that failed are passed over. Of the model its tokens are enough."""

    def __init__(self, options: ResearchOptions) -> None:
        from oryn.research.embedding.tokens import Tokens

        model = _model(options)
        self._limit = model.limit
        self._tokens = Tokens(model.tokenizer, model.place)

    def __call__(self, batch: Columns) -> Columns:
        import numpy as np

        found = [json.dumps(passage.form()) for line in batch["text"] for passage in self._passages(line)]
        return {"passage": np.array(found, dtype=object)}

    def _passages(self, line: str) -> list[Passage]:
        from oryn.research.crawling import Crawled
        from oryn.research.passages import passages

        article = Crawled.read(json.loads(line)).article
        return passages(article, count=self._tokens.count, limit=self._limit) if article else []


class Embedding:
    """Passages get their vectors."""

    def __init__(self, options: ResearchOptions) -> None:
        from oryn.research.embedding import Embedder

        self._embedder = Embedder.load(options.embedding_model)

    def __call__(self, batch: Columns) -> Columns:
        texts = [json.loads(text)["text"] for text in batch["passage"]]
        return {"passage": batch["passage"], "vector": self._embedder.embed(texts)}
