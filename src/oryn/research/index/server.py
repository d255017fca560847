"""The index on a Qdrant server, by `qdrant-client` (the extra `qdrant`): for when one process, or one machine, is
too small. The same vectors, words and fusion as in `local`; the server builds a graph when a collection is large.

https://qdrant.tech/documentation/concepts/hybrid-queries/; servers since 1.16 store a collection's `metadata`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oryn.errors import IndexFailed
from oryn.research.documents import Passage, RankedPassage
from oryn.research.index.interface import (
    Collection,
    Mode,
    candidate_count,
    check_model,
    check_query,
    check_vectors,
    checked_name,
    fuse,
    no_collection,
)
from oryn.system.optional_dependencies import require_extra

with require_extra("research", "the index"):
    from oryn.research.index import bm25, points
with require_extra("qdrant", "an index on a server"):
    from qdrant_client import AsyncQdrantClient, models
    from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

if TYPE_CHECKING:
    from oryn.research.index.interface import Vectors

BATCH_PASSAGES = 256
"""Passages in one request."""

MODEL = "oryn_model"
"""The key in a collection's metadata for the hash of the model; a collection without it was created by another
program."""


class ServerIndex:
    """An `Index` on the Qdrant server at `url`. `timeout` is that of a request, in seconds. `client` is for tests."""

    def __init__(
        self, url: str, *, api_key: str | None = None, timeout: int = 30, client: AsyncQdrantClient | None = None
    ) -> None:
        self._host = urlsplit(url).netloc.rpartition("@")[2] or url
        self._client = client or AsyncQdrantClient(url=url, api_key=api_key, timeout=timeout, check_compatibility=False)
        self._collections: dict[str, Collection] = {}

    async def upsert(
        self, collection: str, passages: Sequence[Passage], vectors: Vectors, *, model: str, replace: bool = False
    ) -> None:
        check_vectors(passages, vectors)
        if not passages:
            return
        existing = await self._collection(checked_name(collection)) or await self._make(
            Collection(collection, 0, model, vectors.shape[1])
        )
        check_model(existing, model, vectors)
        for begin in range(0, len(passages), BATCH_PASSAGES):
            end = begin + BATCH_PASSAGES
            rows = vectors[begin:end].tolist()
            batch = [
                models.PointStruct(
                    id=str(points.number(passage)),
                    vector={points.DENSE: row, points.WORDS: _sparse(bm25.of_passage(passage))},
                    payload=points.payload(passage),
                )
                for passage, row in zip(passages[begin:end], rows, strict=True)
            ]
            with self._map_errors(collection):
                await self._client.upsert(collection, batch, wait=True)
        if replace:
            await self._delete(collection, {passage.url for passage in passages}, but=passages)

    async def search(
        self,
        collection: str,
        query: str,
        vector: Vectors | None,
        *,
        model: str,
        limit: int = 10,
        mode: Mode = "hybrid",
        urls: Iterable[str] | None = None,
    ) -> list[RankedPassage]:
        check_query(vector, mode)
        existing = await self._collection(checked_name(collection))
        if existing is None:
            raise no_collection(collection)
        check_model(existing, model, vector)
        candidates = candidate_count(limit) if mode == "hybrid" else limit
        only = None if urls is None else models.Filter(must=[_of_pages(urls)])
        requests = _requests(query, vector, mode, candidates, only)
        if not requests:
            return []
        with self._map_errors(collection):
            answers = await self._client.query_batch_points(collection, requests)
        rankings = [points.ranked((each.payload, each.score) for each in answer.points) for answer in answers]
        return rankings[0] if mode != "hybrid" else fuse(rankings[0], [] if len(rankings) == 1 else rankings[1], limit)

    async def delete(self, collection: str, url: str) -> None:
        if await self._collection(checked_name(collection)):
            await self._delete(collection, [url])

    async def drop(self, collection: str) -> None:
        if await self._collection(checked_name(collection)) is None:
            raise no_collection(collection)
        del self._collections[collection]
        with self._map_errors(collection):
            await self._client.delete_collection(collection)

    async def collections(self) -> list[Collection]:
        with self._map_errors():
            names = sorted(each.name for each in (await self._client.get_collections()).collections)
        found = []
        for name in names:
            if existing := await self._describe(name):
                with self._map_errors(name):
                    passages = (await self._client.count(name, exact=True)).count
                found.append(existing.replace(passages=passages))
        return found

    async def close(self) -> None:
        with self._map_errors():
            await self._client.close()

    async def _collection(self, name: str) -> Collection | None:
        """The collection, or None. Raises `IndexFailed` if it was created by another program."""
        if name not in self._collections:
            with self._map_errors():
                if not await self._client.collection_exists(name):
                    return None
            if (existing := await self._describe(name)) is None:
                raise IndexFailed(f"the collection '{name}' on {self._host} is not Oryn's", "Use another --collection.")
            self._collections[name] = existing
        return self._collections[name]

    async def _describe(self, name: str) -> Collection | None:
        """The collection without the number of its passages; None if it was created by another program."""
        with self._map_errors(name):
            config = (await self._client.get_collection(name)).config
        model, vectors = (config.metadata or {}).get(MODEL), config.params.vectors
        if not isinstance(model, str) or not isinstance(vectors, dict) or points.DENSE not in vectors:
            return None
        return Collection(name, 0, model, vectors[points.DENSE].size)

    async def _make(self, wanted: Collection) -> Collection:
        with self._map_errors():
            try:
                await self._client.create_collection(
                    wanted.name,
                    vectors_config={
                        points.DENSE: models.VectorParams(
                            size=wanted.dimensions, distance=models.Distance.COSINE, datatype=models.Datatype.FLOAT16
                        )
                    },
                    sparse_vectors_config={points.WORDS: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                    metadata={MODEL: wanted.model},
                )
            except UnexpectedResponse as refused:
                # Somebody else made it meanwhile.
                if refused.status_code != HTTPStatus.CONFLICT:
                    raise
            await self._client.create_payload_index(wanted.name, points.URL, models.PayloadSchemaType.KEYWORD)
        return await self._collection(wanted.name) or wanted

    async def _delete(self, collection: str, urls: Iterable[str], *, but: Iterable[Passage] = ()) -> None:
        excepted: list[models.ExtendedPointId] = [points.number(passage) for passage in but]
        gone = models.Filter(
            must=[_of_pages(urls)], must_not=[models.HasIdCondition(has_id=excepted)] if excepted else None
        )
        with self._map_errors(collection):
            await self._client.delete(collection, models.FilterSelector(filter=gone), wait=True)

    @contextmanager
    def _map_errors(self, collection: str | None = None) -> Iterator[None]:
        """Map errors of the client to ours; a status of 404 means that `collection` does not exist."""
        try:
            yield
        except UnexpectedResponse as refused:
            if refused.status_code == HTTPStatus.NOT_FOUND and collection is not None:
                self._collections.pop(collection, None)
                raise no_collection(collection) from refused
            status = f"{refused.status_code} {refused.reason_phrase}"
            unknown = refused.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
            hint = "Its API key is wrong, or missing." if unknown else None
            raise IndexFailed(f"the index at {self._host} refuses: {status}", hint) from refused
        except ApiException as failure:
            raise IndexFailed(
                f"the index at {self._host} does not answer: {failure}", "Is the Qdrant server running?"
            ) from failure


def _sparse(found: bm25.SparseWords) -> models.SparseVector:
    return models.SparseVector(indices=found.numbers, values=found.weights)


def _requests(
    query: str, vector: Vectors | None, mode: Mode, candidates: int, only: models.Filter | None
) -> list[models.QueryRequest]:
    """The queries by vectors and by words, in this order; a query without words has no second one."""
    queries: list[tuple[str, models.NearestQuery]] = []
    if vector is not None and mode != "bm25":
        queries.append((points.DENSE, models.NearestQuery(nearest=vector.tolist())))
    if mode != "dense" and (found := bm25.of_query(query)).numbers:
        queries.append((points.WORDS, models.NearestQuery(nearest=_sparse(found))))
    return [
        models.QueryRequest(query=each, using=using, limit=candidates, filter=only, with_payload=True)
        for using, each in queries
    ]


def _of_pages(urls: Iterable[str]) -> models.FieldCondition:
    return models.FieldCondition(
        key=points.URL, match=models.MatchAny(any=[bm25.without_surrogates(url) for url in urls])
    )
