"""An index on a server: what is said when the server is not there, refuses, or has something else."""

from __future__ import annotations

import json
import socket

import pytest
from qdrant_client import AsyncQdrantClient, models

from oryn.errors import CollectionNotFound, IndexFailed
from oryn.research.index import ServerIndex
from tests.research.index.passages import MODEL, axis, passages, vectors
from tests.research.server import Reply, Site

DESCRIBED = {
    "status": "green",
    "optimizer_status": "ok",
    "segments_count": 1,
    "payload_schema": {},
    "config": {
        "params": {"vectors": {"dense": {"size": 8, "distance": "Cosine"}}},
        "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
        "optimizer_config": {
            "deleted_threshold": 0.2,
            "vacuum_min_vector_number": 1000,
            "default_segment_number": 0,
            "flush_interval_sec": 5,
        },
        "metadata": {"oryn_model": MODEL},
    },
}
"""What a server says of a collection, `GET /collections/{name}`."""


async def test_a_server_that_is_not_there() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        index = ServerIndex(f"http://somebody:secret@127.0.0.1:{port}")
        with pytest.raises(IndexFailed) as failed:
            await index.collections()
        await index.close()
    assert str(failed.value).startswith(f"the index at 127.0.0.1:{port} does not answer: ")
    assert "secret" not in str(failed.value)
    assert failed.value.hint == "Is the Qdrant server running?"


async def test_a_server_that_refuses_a_key() -> None:
    with Site() as site:
        site.put("/collections/plants/exists", Reply("no", status=401))
        with pytest.warns(UserWarning, match="insecure connection"):
            index = ServerIndex(site.url("/").rstrip("/"), api_key="wrong")
        with pytest.raises(IndexFailed) as failed:
            await index.upsert("plants", passages(), vectors(), model=MODEL)
        await index.close()
        assert [asked.headers["api-key"] for asked in site.requests] == ["wrong"]
    assert str(failed.value).startswith("the index at 127.0.0.1:")
    assert " refuses: 401" in str(failed.value)
    assert failed.value.hint == "Its API key is wrong, or missing."


async def test_a_collection_of_another_program_is_left_alone() -> None:
    client = AsyncQdrantClient(":memory:")
    params = models.VectorParams(size=8, distance=models.Distance.COSINE)
    await client.create_collection("plants", vectors_config=params)
    index = ServerIndex("http://index.example:6333", client=client)
    with pytest.raises(IndexFailed, match=r"the collection 'plants' on index\.example:6333 is not Oryn's"):
        await index.search("plants", "spores", axis(0), model=MODEL)
    with pytest.raises(IndexFailed, match="is not Oryn's"):
        await index.drop("plants")
    assert await index.collections() == []
    await index.close()


async def test_a_collection_that_another_program_dropped_meanwhile() -> None:
    with Site() as site:
        site.put("/collections/plants/exists", _json('{"result": {"exists": true}}'))
        site.put("/collections/plants", _json(json.dumps({"result": DESCRIBED})))
        site.put("/collections/plants/points/query/batch", Reply("{}", status=404))
        index = ServerIndex(site.url("/").rstrip("/"))
        with pytest.raises(CollectionNotFound, match="there is no collection 'plants'"):
            await index.search("plants", "spores", axis(0), model=MODEL)
        await index.close()


def _json(text: str) -> Reply:
    return Reply(text, type="application/json")
