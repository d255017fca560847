"""The index on a Qdrant server, by `qdrant-client` (the extra `qdrant`): for when one process, or one machine, is
too small. The same vectors, words and fusion as in `embedded`; the server builds a graph when a collection is large.

https://qdrant.tech/documentation/concepts/hybrid-queries/; servers since 1.16 keep what a collection's `metadata` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oryn.extras import needed
from oryn.research.documents import Passage, Ranked
from oryn.research.failures import IndexFailed
from oryn.research.index.fusion import candidates, fused
from oryn.research.index.interface import (
    Collection,
    Mode,
    check_model,
    check_query,
    check_vectors,
    checked_name,
    no_collection,
)

with needed("research", "the index"):
    from oryn.research.index import points, words
with needed("qdrant", "an index on a server"):
    from qdrant_client import AsyncQdrantClient, models
    from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

if TYPE_CHECKING:
    from oryn.research.index.interface import Vectors

BATCH = 256
"""Passages in one request."""

MODEL = "oryn_model"
"""The key of a collection's metadata that has the model's hash; a collection without it is another program's."""


class ServerIndex:
    """An `Index` on the Qdrant server at `url`. For tests, `client` is one that is there already."""

    def __init__(
        self, url: str, *, api_key: str | None = None, timeout: int = 30, client: AsyncQdrantClient | None = None
    ) -> None:
        self._host = urlsplit(url).netloc.rpartition("@")[2] or url
        self._client = client or AsyncQdrantClient(url=url, api_key=api_key, timeout=timeout, check_compatibility=False)
        self._known: dict[str, Collection] = {}

    async def upsert(
        self, collection: str, passages: Sequence[Passage], vectors: Vectors, *, model: str, replace: bool = False
    ) -> None:
        check_vectors(passages, vectors)
        if not passages:
            return
        kept = await self._collection(checked_name(collection)) or await self._make(
            Collection(collection, 0, model, vectors.shape[1])
        )
        check_model(kept, model, vectors)
        for begin in range(0, len(passages), BATCH):
            end = begin + BATCH
            rows = vectors[begin:end].tolist()
            made = [_point(each, row) for each, row in zip(passages[begin:end], rows, strict=True)]
            with self._told(collection):
                await self._client.upsert(collection, made, wait=True)
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
    ) -> list[Ranked]:
        check_query(vector, mode)
        kept = await self._collection(checked_name(collection))
        if kept is None:
            raise no_collection(collection)
        check_model(kept, model, vector)
        many = candidates(limit) if mode == "hybrid" else limit
        only = None if urls is None else models.Filter(must=[_of_pages(urls)])
        asked = _requests(query, vector, mode, many, only)
        if not asked:
            return []
        with self._told(collection):
            answers = await self._client.query_batch_points(collection, asked)
        rankings = [points.ranked((each.payload, each.score) for each in answer.points) for answer in answers]
        return rankings[0] if mode != "hybrid" else fused(rankings[0], [] if len(rankings) == 1 else rankings[1], limit)

    async def delete(self, collection: str, url: str) -> None:
        if await self._collection(checked_name(collection)):
            await self._delete(collection, [url])

    async def drop(self, collection: str) -> None:
        if await self._collection(checked_name(collection)) is None:
            raise no_collection(collection)
        del self._known[collection]
        with self._told(collection):
            await self._client.delete_collection(collection)

    async def collections(self) -> list[Collection]:
        with self._told():
            names = sorted(each.name for each in (await self._client.get_collections()).collections)
        found = []
        for name in names:
            if kept := await self._described(name):
                with self._told(name):
                    passages = (await self._client.count(name, exact=True)).count
                found.append(kept.replace(passages=passages))
        return found

    async def close(self) -> None:
        with self._told():
            await self._client.close()

    async def _collection(self, name: str) -> Collection | None:
        """None when there is none of that name. Raises `IndexFailed` when another program has made it."""
        if name not in self._known:
            with self._told():
                if not await self._client.collection_exists(name):
                    return None
            if (kept := await self._described(name)) is None:
                raise IndexFailed(f"the collection '{name}' on {self._host} is not Oryn's", "Use another --collection.")
            self._known[name] = kept
        return self._known[name]

    async def _described(self, name: str) -> Collection | None:
        """None when another program has made it. How many passages it has is not asked."""
        with self._told(name):
            config = (await self._client.get_collection(name)).config
        model, vectors = (config.metadata or {}).get(MODEL), config.params.vectors
        if not isinstance(model, str) or not isinstance(vectors, dict) or points.DENSE not in vectors:
            return None
        return Collection(name, 0, model, vectors[points.DENSE].size)

    async def _make(self, wanted: Collection) -> Collection:
        with self._told():
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
        kept: list[models.ExtendedPointId] = [points.number(passage) for passage in but]
        gone = models.Filter(must=[_of_pages(urls)], must_not=[models.HasIdCondition(has_id=kept)] if kept else None)
        with self._told(collection):
            await self._client.delete(collection, models.FilterSelector(filter=gone), wait=True)

    @contextmanager
    def _told(self, collection: str | None = None) -> Iterator[None]:
        """What the client raises, as errors of ours; `collection` is what a status of 404 means."""
        try:
            yield
        except UnexpectedResponse as refused:
            if refused.status_code == HTTPStatus.NOT_FOUND and collection is not None:
                self._known.pop(collection, None)
                raise no_collection(collection) from refused
            said = f"{refused.status_code} {refused.reason_phrase}"
            unknown = refused.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
            hint = "Its API key is wrong, or missing." if unknown else None
            raise IndexFailed(f"the index at {self._host} refuses: {said}", hint) from refused
        except ApiException as failure:
            raise IndexFailed(
                f"the index at {self._host} does not answer: {failure}", "Is the Qdrant server running?"
            ) from failure


def _point(passage: Passage, vector: list[float]) -> models.PointStruct:
    return models.PointStruct(
        id=str(points.number(passage)),
        vector={points.DENSE: vector, points.WORDS: _sparse(words.of_passage(passage))},
        payload=points.payload(passage),
    )


def _sparse(found: words.Words) -> models.SparseVector:
    return models.SparseVector(indices=found.numbers, values=found.weights)


def _requests(
    query: str, vector: Vectors | None, mode: Mode, many: int, only: models.Filter | None
) -> list[models.QueryRequest]:
    """By the vectors, by the words, or both in this order; a query that has no words is not asked by them."""
    asked: list[tuple[str, models.NearestQuery]] = []
    if vector is not None and mode != "bm25":
        asked.append((points.DENSE, models.NearestQuery(nearest=vector.tolist())))
    if mode != "dense" and (found := words.of_query(query)).numbers:
        asked.append((points.WORDS, models.NearestQuery(nearest=_sparse(found))))
    return [
        models.QueryRequest(query=each, using=using, limit=many, filter=only, with_payload=True)
        for using, each in asked
    ]


def _of_pages(urls: Iterable[str]) -> models.FieldCondition:
    return models.FieldCondition(key=points.URL, match=models.MatchAny(any=[words.legal(url) for url in urls]))
